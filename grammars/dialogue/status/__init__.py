"""What customers say when they ask where an order is: said and read."""
