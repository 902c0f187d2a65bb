"""The twelve difficulty axes and the levels; it knows only environments, levels and probabilities."""

if not __name__.startswith("ecomrlve."):
    # Importing it as a top-level package would make a second copy of every class.
    raise ImportError("import ecomrlve.difficulty, not difficulty")
