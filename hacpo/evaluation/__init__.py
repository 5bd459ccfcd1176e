"""Measuring an agent on problems that it was not trained on."""
