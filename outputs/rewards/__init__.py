"""Reward functions, one small file per trainer; each imports the standard library and the verifiers only."""
