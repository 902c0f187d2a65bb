"""Order books: what customers bought, when it came, and how one of its orders or lines is described."""
