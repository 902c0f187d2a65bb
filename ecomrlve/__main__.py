"""``python -m ecomrlve``: the command line."""

from ecomrlve.cli import main

if __name__ == "__main__":
    main()
