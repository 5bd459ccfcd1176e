"""Builds one agent from its configuration, in its own process, and runs it.

The child's side of the composition root; `hacpo.experiment` is the parent's.
"""
