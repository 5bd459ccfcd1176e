"""The mathematics of HACPO (arXiv 2603.02604): pure functions of tensors and numbers.

`docs/paper.md` maps every equation to its function and test, and lists every departure.
"""

from hacpo.objective.advantage import (
    Advantages,
    author_weighted,
    joint_advantages,
    joint_baseline,
    joint_std,
)
from hacpo.objective.capability import (
    CapabilityWindow,
    author_coefficients,
    baseline_omegas,
    capability_ratio,
    mean_reward,
)
from hacpo.objective.clipping import clip_fully, clipped_surrogate, cross_clip_bounds
from hacpo.objective.importance import (
    exponential_weight,
    reweight,
    sequence_mean_logprob,
    sequence_ratio,
    token_ratio,
)
from hacpo.objective.kl import low_variance_kl
from hacpo.objective.loss import micro_batch_loss
from hacpo.objective.normalization import LossScale, row_weights
from hacpo.objective.rows import LossOutput, LossRows, RowStatistics
from hacpo.objective.settings import ObjectiveSettings
from hacpo.objective.sharing import chosen_share, without_unwanted
from hacpo.objective.terms import Term, over_tokens, own_term, shared_term

__all__ = [
    "Advantages",
    "CapabilityWindow",
    "LossOutput",
    "LossRows",
    "LossScale",
    "ObjectiveSettings",
    "RowStatistics",
    "Term",
    "author_coefficients",
    "author_weighted",
    "baseline_omegas",
    "capability_ratio",
    "chosen_share",
    "clip_fully",
    "clipped_surrogate",
    "cross_clip_bounds",
    "exponential_weight",
    "joint_advantages",
    "joint_baseline",
    "joint_std",
    "low_variance_kl",
    "mean_reward",
    "micro_batch_loss",
    "over_tokens",
    "own_term",
    "reweight",
    "row_weights",
    "sequence_mean_logprob",
    "sequence_ratio",
    "shared_term",
    "token_ratio",
    "without_unwanted",
]
