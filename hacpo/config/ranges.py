"""What every number and every closed set of words may be, declared as data.

A range belongs to a field of a schema class, so it holds wherever that class is used. The tests
check that no numeric field is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from hacpo.config.agent import AgentConfig, ModelConfig, TokenizerConfig, WarmStartConfig
from hacpo.config.algorithm import (
    AdvantageConfig,
    AlgorithmConfig,
    CapabilityConfig,
    CrossClipConfig,
    LossConfig,
    OwnClipConfig,
    SharingConfig,
    UpdateConfig,
)
from hacpo.config.benchmark import BenchmarkConfig
from hacpo.config.errors import ConfigError
from hacpo.config.nearest import nearest_option
from hacpo.config.reward import RewardPartConfig
from hacpo.config.schema import (
    BudgetConfig,
    Config,
    EngineConfig,
    EvaluationConfig,
    LoggerConfig,
    RecipeConfig,
    RolloutConfig,
    RuntimeConfig,
    TaskConfig,
    TrainerConfig,
)

LARGEST_SEED = 2**31 - 1
"""Every random generator that is used takes a seed up to this."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both included unless `above_low` is set."""

    low: float = 0.0
    high: float = math.inf
    above_low: bool = False
    """Leaves `low` itself out."""
    infinite: bool = False
    """Allows `.inf`, which switches a limit off."""

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the range; nan never does."""
        if math.isinf(value) and not self.infinite:
            return False
        return (self.low < value if self.above_low else self.low <= value) and value <= self.high

    def __str__(self) -> str:
        """Return the range in words, such as `above 0 and at most 1`."""
        words = f"above {self.low:g}" if self.above_low else f"at least {self.low:g}"
        if self.high < math.inf:
            words += f" and at most {self.high:.10g}"
        return words + (" (or inf: no limit)" if self.infinite else "")


POSITIVE = Range(above_low=True)
NOT_NEGATIVE = Range()
COUNT = Range(low=1)
SHARE = Range(high=1)
SEED = Range(high=LARGEST_SEED)
LIMIT = Range(infinite=True)
POSITIVE_LIMIT = Range(above_low=True, infinite=True)

RANGES: dict[type, dict[str, Range]] = {
    OwnClipConfig: {"low": SHARE, "high": NOT_NEGATIVE},
    CrossClipConfig: {"delta": LIMIT, "step": SHARE, "upper": POSITIVE_LIMIT},
    CapabilityConfig: {
        "window": COUNT,
        "baseline_exponent": Range(high=10),
        "coefficient_exponent": Range(high=10),
        "floor": POSITIVE,
        "ratio_min": Range(above_low=True, high=1),
        "ratio_max": Range(low=1),
    },
    AdvantageConfig: {
        "std_correction": SHARE,
        "std_epsilon": SHARE,
        "uniform_tolerance": SHARE,
    },
    SharingConfig: {
        "ratio": LIMIT,
        "success_reward": Range(low=-math.inf),
        "smallest_advantage": Range(low=-math.inf, infinite=True),
    },
    UpdateConfig: {"sequences": COUNT},
    LossConfig: {
        "constant_length": COUNT,
        "kl_coefficient": NOT_NEGATIVE,
        "log_ratio_limit": Range(above_low=True, high=80),  # exp(88) is too large for float32
    },
    AlgorithmConfig: {"rollout_factor": COUNT, "alpha": NOT_NEGATIVE},
    RecipeConfig: {
        "alpha": NOT_NEGATIVE,
        "lr": POSITIVE,
        "steps": COUNT,
        "prompts_per_step": COUNT,
        "completions_per_prompt": COUNT,
        "update_sequences": COUNT,
        "max_new_tokens": COUNT,
        "eval_every_steps": COUNT,
    },
    RolloutConfig: {
        "prompts_per_step": COUNT,
        "completions_per_prompt": COUNT,
        "temperature": Range(above_low=True, high=100),
        "max_prompt_tokens": COUNT,
        "max_new_tokens": COUNT,
        "shared_length_factor": Range(low=1, high=100),
    },
    RewardPartConfig: {
        "weight": Range(low=-math.inf),
        "time_limit_s": POSITIVE,
    },
    TaskConfig: {"split_seed": SEED, "num_test": COUNT},
    BenchmarkConfig: {
        "expected_count": COUNT,
        "samples": COUNT,
        "temperature": Range(high=100),
        "top_p": Range(above_low=True, high=1),
        "max_new_tokens": COUNT,
        "max_problems": COUNT,
    },
    EngineConfig: {"batch_size": COUNT},
    RuntimeConfig: {
        "swap_timeout_s": POSITIVE,
        "start_timeout_s": POSITIVE,
        "threads_per_agent": COUNT,
    },
    TrainerConfig: {"devices": COUNT, "checkpoint_every_steps": NOT_NEGATIVE},
    LoggerConfig: {"samples_every_steps": COUNT, "samples_prompts": COUNT},
    BudgetConfig: {"steps": COUNT, "scale": POSITIVE, "max_warm_start_steps": NOT_NEGATIVE},
    EvaluationConfig: {
        "every_steps": COUNT,
        "max_problems": COUNT,
        "benchmark_every_steps": NOT_NEGATIVE,
        "benchmark_max_problems": COUNT,
        "benchmark_max_new_tokens": COUNT,
        "benchmark_samples": COUNT,
        "chunk_problems": COUNT,
    },
    TokenizerConfig: {"merges": NOT_NEGATIVE},
    WarmStartConfig: {"steps": NOT_NEGATIVE, "batch_size": COUNT, "lr": POSITIVE},
    AgentConfig: {"gradient_clip": POSITIVE_LIMIT, "update_tokens": COUNT, "init_seed": SEED},
    Config: {"seed": SEED},
}

CHOICES: dict[type, dict[str, tuple[str, ...]]] = {
    ModelConfig: {"dtype": ("float32", "bfloat16", "float16")},
    BenchmarkConfig: {
        "gold": ("verbatim", "after_hashes"),
        "metric": ("avg", "any", "pass", "maj", "best"),
    },
    EngineConfig: {"name": ("hf",)},
    RuntimeConfig: {"name": ("local",)},
    TrainerConfig: {"accelerator": ("cpu", "gpu", "cuda", "mps", "auto")},
    LoggerConfig: {"name": ("wandb", "csv"), "mode": ("offline", "online")},
}
"""Words of closed sets that are plain strings; enums close the others."""


def check_ranges(config: Config) -> None:
    """Raise ConfigError for the first value outside its range or its set of words."""
    for key, owner, name, value in _values(config, ""):
        allowed = RANGES.get(owner, {}).get(name)
        if allowed is not None and value is not None and not allowed.holds(value):
            raise ConfigError(f"{key} must be {allowed}, and is {value}", key=key)
        words = CHOICES.get(owner, {}).get(name)
        if words is not None and value not in words:
            best = nearest_option(str(value), words) or words[0]
            raise ConfigError(
                f"{key} must be one of {', '.join(words)}, and is {value!r}",
                key=key,
                fix=f"{key}={best}",
            )


def _values(node: Any, path: str) -> Iterator[tuple[str, type, str, Any]]:
    """Yield (dotted key, schema class, field, value) of every field below a node."""
    if isinstance(node, dict):
        for key, child in node.items():
            yield from _values(child, f"{path}{key}.")
    if not is_dataclass(node):
        return
    for field in fields(node):
        value = getattr(node, field.name)
        yield f"{path}{field.name}", type(node), field.name, value
        yield from _values(value, f"{path}{field.name}.")
