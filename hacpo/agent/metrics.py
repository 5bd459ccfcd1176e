"""Flat metrics of one step; docs/metrics.md defines every key.

Every agent logs the same keys: what concerns one author is logged by all agents under the
author's name, the learner included.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from hacpo.agent.rows import JointGroups, TrainingRow
from hacpo.agent.update import LearntRow
from hacpo.reward import GradedTexts
from hacpo.types import FinishReason, StepBatch

Metrics = dict[str, float]


def rollout_metrics(batch: StepBatch) -> Metrics:
    """Return what the learner's own completions look like."""
    own = [rollout for group in batch.own for rollout in group]
    lengths = [len(rollout.completion.token_ids) for rollout in own]
    truncated = [rollout.completion.finish_reason is FinishReason.LENGTH for rollout in own]
    logprob_sum = sum(rollout.rollout.logprob_sum for rollout in own)
    rewards = [rollout.rollout.reward for rollout in own]
    return {
        "reward/mean": statistics.fmean(rewards),
        "reward/std": statistics.pstdev(rewards),
        "rollout/length_mean": statistics.fmean(lengths),
        "rollout/length_max": float(max(lengths)),
        "rollout/truncated_share": statistics.fmean(truncated),
        "rollout/entropy_estimate": -logprob_sum / sum(lengths),
    }


def reward_metrics(graded: GradedTexts) -> Metrics:
    """Return what the rewards are made of, where there is more than one part."""
    parts = graded.parts if len(graded.parts) > 1 else {}
    return {
        **{f"reward/part/{name}": statistics.fmean(values) for name, values in parts.items()},
        "reward/rejected_share": statistics.fmean(graded.rejected),
    }


def signal_metrics(joint: JointGroups, rows: Sequence[TrainingRow]) -> Metrics:
    """Return how much of the step can teach anything, and from whom it comes."""
    uniform = joint.advantages.uniform_P
    own = joint.rewards_NPG[0].masked_fill(~joint.mask_NPG[0], float("nan"))
    own_uniform = (
        own.nan_to_num(nan=-float("inf")).amax(-1) - own.nan_to_num(nan=float("inf")).amin(-1)
    ) <= 0
    mass = sum(abs(row.advantage) for row in rows)
    shared_mass = sum(abs(row.advantage) for row in rows if row.shared)
    return {
        "signal/no_signal_share": float(uniform.double().mean()),
        "signal/own_no_signal_share": float(own_uniform.double().mean()),
        "signal/rescued_share": float((own_uniform & ~uniform).double().mean()),
        "signal/guarded_share": float(joint.advantages.guarded_P.double().mean()),
        "signal/shared_mass": shared_mass / mass if mass else 0.0,
        "advantage/mean": statistics.fmean(row.advantage for row in rows) if rows else 0.0,
    }


def capability_metrics(batch: StepBatch, joint: JointGroups) -> Metrics:
    """Return capability, baseline ratio and coefficient of every author."""
    metrics: Metrics = {}
    if len(joint.authors) == 1:
        return metrics
    for n, author in enumerate(joint.authors):
        metrics[f"author/{author}/capability"] = batch.capabilities[author]
        metrics[f"author/{author}/omega"] = joint.omegas_N[n]
        metrics[f"author/{author}/coefficient"] = joint.coefficients_N[n]
    return metrics


def ratio_metrics(rows: Sequence[LearntRow], authors: Sequence[str]) -> Metrics:
    """Return raw importance ratios and clipped shares, of own rows, shared rows and each author.

    Only rows that were computed count: those with advantage 0 are skipped.
    """
    metrics = {
        **_ratio_summary("ratio/own", [row for row in rows if not row.shared]),
        "kl/own_sum_mean": _mean(row.kl_sum for row in rows if not row.shared),
    }
    if len(authors) > 1:
        metrics |= _ratio_summary("ratio/shared", [row for row in rows if row.shared])
        for author in authors:
            chosen = [row for row in rows if row.author == author]
            metrics |= _ratio_summary(f"author/{author}/ratio", chosen)
    return metrics


def _ratio_summary(prefix: str, rows: Sequence[LearntRow]) -> Metrics:
    ratios = sorted(row.ratio for row in rows)
    quantiles = {
        f"{prefix}_p{percent}": ratios[min(len(ratios) - 1, len(ratios) * percent // 100)]
        if ratios
        else float("nan")
        for percent in (10, 50, 90)
    }
    return {
        f"{prefix}_mean": _mean(ratios),
        f"{prefix}_min": ratios[0] if ratios else float("nan"),
        f"{prefix}_max": ratios[-1] if ratios else float("nan"),
        **quantiles,
        f"{prefix}_clipped_low": _mean(row.clipped_low for row in rows),
        f"{prefix}_clipped_high": _mean(row.clipped_high for row in rows),
    }


def _mean(values: Iterable[float]) -> float:
    collected = list(values)
    return statistics.fmean(collected) if collected else float("nan")
