"""What customers who send something back say."""
