"""Rows, shards, manifests and the engines that write them. This is code: nothing is ever written here."""

if not __name__.startswith("ecomrlve."):
    # Importing it as a top-level package would make a second copy of every class.
    raise ImportError("import ecomrlve.outputs, not outputs")
