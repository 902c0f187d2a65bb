"""A shop's rules on anything but returns: conditions to an answer, changes to it, exceptions; and their words."""
