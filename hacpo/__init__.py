"""HACPO: different language models learn together from each other's verified rollouts.

Implements "Heterogeneous Agent Collaborative Policy Optimization" (arXiv 2603.02604).
"""

__version__ = "0.1.0"
