"""What customers say: requests, changes of mind, typing errors; rendered and parsed."""
