"""Where an agent's model and tokenizer come from.

`folders` imports nothing heavy, so a missing model is noticed before torch is loaded.
"""
