"""Who runs where, how agents meet, and what happens when one of them dies.

The parent's side imports neither torch nor transformers nor Lightning.
"""
