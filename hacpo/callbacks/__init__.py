"""Callbacks of an agent's Trainer; `exchange` is the only place where agents meet."""
