"""The languages: constraints, policy rules, utterances and noise, with their word lists as data files."""

if not __name__.startswith("ecomrlve."):
    # Importing it as a top-level package would make a second copy of every class.
    raise ImportError("import ecomrlve.grammars, not grammars")
