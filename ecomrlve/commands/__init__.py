"""The commands of ``ecomrlve``, one file each, holding ``command``. What a command needs is imported when it runs."""
