"""What a prompt shows: each rendering beside its parsing."""
