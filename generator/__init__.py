"""Catalogs, customers, orders, policies, worlds, environments and their verifiers."""

if not __name__.startswith("ecomrlve."):
    # Importing it as a top-level package would make a second copy of every class.
    raise ImportError("import ecomrlve.generator, not generator")
