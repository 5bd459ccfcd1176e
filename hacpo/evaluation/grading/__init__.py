"""Grading answers: from what a model wrote and a gold answer to a verdict with its reason.

Nothing here loads torch, and computer algebra is loaded by worker processes only.
"""

from hacpo.evaluation.grading.extraction import extract
from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.pool import GradingPool
from hacpo.evaluation.grading.verdict import Verdict

__all__ = ["GradingOptions", "GradingPool", "Verdict", "extract"]
