"""Sampling completions, their tokens, and their log-probabilities."""
