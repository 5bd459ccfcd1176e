"""The whole configuration. Groups under `conf/` fill it; this file says what may be filled."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from omegaconf import MISSING

from hacpo.config.agent import AgentConfig, Precision
from hacpo.config.algorithm import AlgorithmConfig, CrossClipConfig, OwnClipConfig
from hacpo.config.benchmark import BenchmarkConfig
from hacpo.config.reward import RewardConfig, RewardPartConfig
from hacpo.config.sealed import Sealed


class Mode(StrEnum):
    """What a run does with its agents."""

    train = "train"
    evaluate = "evaluate"
    """Answer the benchmarks with the agents as they are, without any training."""


@dataclass
class RecipeConfig(Sealed):
    """Settings that were tuned for the chosen agents; algorithm, rollout and budget read them.

    A group of agents sets them, and everything can still be overridden where it is used, for
    example ``algorithm.alpha=0``.
    """

    name: str = MISSING
    """Which agents these settings were tuned for; part of the experiment's name."""
    alpha: float = MISSING
    clip: OwnClipConfig = field(default_factory=OwnClipConfig)
    """Own clip range of sequence-level ratios; GRPO's token-level range is its own."""
    cross_clip: CrossClipConfig = field(default_factory=CrossClipConfig)
    lr: float = MISSING
    steps: int = MISSING
    prompts_per_step: int = MISSING
    completions_per_prompt: int = MISSING
    update_sequences: int = MISSING
    max_new_tokens: int = MISSING
    eval_every_steps: int = MISSING


@dataclass
class RolloutConfig(Sealed):
    """What every agent samples in one step."""

    prompts_per_step: int = MISSING
    completions_per_prompt: int = MISSING
    """G, before `algorithm.rollout_factor`."""
    temperature: float = 1.0
    max_prompt_tokens: int = 1024
    max_new_tokens: int = MISSING
    shared_length_factor: float = 2.0
    """A shared completion longer than this times `max_new_tokens`, in the learner's tokens, is
    dropped and counted."""


@dataclass
class TaskConfig(Sealed):
    """What is trained on: a `_target_` that builds the task, with its arguments."""

    _target_: str = MISSING
    name: str = MISSING
    split_seed: int = 0
    """Seed of the fixed train/test split; apart from `seed`."""
    num_test: int = MISSING
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass
class EngineConfig(Sealed):
    """Who samples."""

    name: str = MISSING
    batch_size: int = 1024
    """Completions that are decoded side by side."""


@dataclass
class RuntimeConfig(Sealed):
    """Where agents live, and how long they wait for each other."""

    name: str = MISSING
    swap_timeout_s: float = 1800.0
    start_timeout_s: float = 3600.0
    threads_per_agent: int | None = None
    """CPU threads of each agent; null divides the machine's cores among the agents."""


@dataclass
class TrainerConfig(Sealed):
    """Lightning Trainer of each agent."""

    accelerator: str = MISSING
    devices: int = 1
    precision: Precision = Precision.fp32
    """Of every agent that does not say otherwise."""
    checkpoint_every_steps: int = 0
    """0: only at the end."""


@dataclass
class LoggerConfig(Sealed):
    """Where metrics go besides `metrics.csv`, which is always written."""

    name: str = MISSING
    project: str = "hacpo"
    entity: str | None = None
    mode: str = "offline"
    """`online` or `offline`; offline runs are sent later with `wandb sync`."""
    tags: list[str] = field(default_factory=list)
    samples_every_steps: int = 5
    """Steps between the joint groups kept in `samples.jsonl`."""
    samples_prompts: int = 2
    """Prompts whose joint groups are kept each time."""


@dataclass
class BudgetConfig(Sealed):
    """What may be spent."""

    name: str = MISSING
    steps: int = MISSING
    scale: float = 1.0
    """Multiplies `steps`: half, double."""
    max_warm_start_steps: int | None = None
    """Upper limit of every agent's warm start; null: none. The files in `conf/agent/` apply it."""


@dataclass
class EvaluationConfig(Sealed):
    """Greedy accuracy on the task's held-out problems, and how benchmarks are answered."""

    every_steps: int = MISSING
    max_problems: int | None = None
    score: RewardPartConfig = field(
        default_factory=lambda: RewardPartConfig(_target_="hacpo.reward.TaskReward")
    )
    """What says that a held-out answer is right. It is apart from `reward`, so that accuracies of
    different rewards compare."""
    at_start: bool = True
    benchmark_every_steps: int = 0
    """Training: steps between answers to the benchmarks; 0: only after the last step."""
    benchmark_max_problems: int | None = None
    """Training: of each benchmark, always the same ones; null: the benchmark's own."""
    benchmark_max_new_tokens: int | None = None
    """Training: limit of an answer; null: the benchmark's own."""
    benchmark_samples: int | None = None
    """Training: answers per problem; null: the benchmark's own."""
    chunk_problems: int = 32
    """Benchmarks: problems that are answered, graded and kept together. An interrupted evaluation
    goes on after the last of them."""


@dataclass
class OutputConfig(Sealed):
    """Folders; all are git-ignored."""

    root: str = "outputs"
    cache: str = "${output.root}/cache"
    export: bool = True
    """Write `hf/`, the model folder that transformers loads alone."""


@dataclass
class Config(Sealed):
    """Everything that a run is made of."""

    mode: Mode = Mode.train
    seed: int = 0
    name: str = MISSING
    """Of the experiment; part of the run folder's name, and the W&B group."""
    agents: dict[str, AgentConfig] = field(default_factory=dict)
    recipe: RecipeConfig = field(default_factory=RecipeConfig)
    algorithm: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    ablation: str = "none"
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    task: TaskConfig = field(default_factory=TaskConfig)
    reward: RewardConfig = field(default_factory=RewardConfig)
    benchmarks: dict[str, BenchmarkConfig] = field(default_factory=dict)
    engine: EngineConfig = field(default_factory=EngineConfig)
    runtime: RuntimeConfig = field(default_factory=RuntimeConfig)
    trainer: TrainerConfig = field(default_factory=TrainerConfig)
    logger: LoggerConfig = field(default_factory=LoggerConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    output: OutputConfig = field(default_factory=OutputConfig)
