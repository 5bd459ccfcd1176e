"""Builds one agent: task, tokenizer, model, warm start, engine, and the module around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lightning import seed_everything
from transformers import PreTrainedModel

from hacpo.agent.clock import PhaseClock
from hacpo.agent.collection import RolloutCollector
from hacpo.agent.module import Agent
from hacpo.assembly.assignment import Assignment
from hacpo.assembly.loading import description, load_model_and_codec
from hacpo.assembly.optimizer import build_optimizer, build_schedule
from hacpo.assembly.reward import build_reward
from hacpo.assembly.settings import largest_shared, learning_settings, sampling_settings
from hacpo.assembly.task import build_task
from hacpo.config.algorithm import Exchange
from hacpo.config.schema import Config
from hacpo.rollout.hf import HFEngine
from hacpo.rollout.tokens import TokenCodec
from hacpo.task.sampling import step_problems
from hacpo.task.task import Task
from hacpo.types import AgentStatus, Phase
from hacpo.warm_start.cache import warm_started

Report = Callable[[AgentStatus], None]


@dataclass(frozen=True, kw_only=True)
class BuiltAgent:
    """An agent that is ready to learn, and its task."""

    agent: Agent
    task: Task


def build_agent(assignment: Assignment, report: Report) -> BuiltAgent:
    """Load or build one agent's model, warm start it, and wrap it; report what it is doing.

    Raises:
        ValueError: with a sentence for the user when a part cannot be had or does not fit.
    """
    config, agent = assignment.config, assignment.agent
    optimizer = build_optimizer(agent)
    schedule = build_schedule(agent, optimizer)
    clock = PhaseClock()
    seed_everything(config.seed, workers=True, verbose=False)
    report(AgentStatus(phase=Phase.LOAD))
    with clock("load"):
        task = build_task(config)
        model, codec = load_model_and_codec(agent, task)
        check_lengths(task, codec, model, config)
    with clock("warm_start"):
        _warm_start(assignment, task, model, codec, report)
    print(description(model, codec))
    print(getattr(task, "notes", ""))
    sampling = sampling_settings(config)
    module = Agent(
        name=assignment.name,
        collector=RolloutCollector(
            name=assignment.name,
            model=model,
            codec=codec,
            engine=HFEngine(model, codec, batch_size=config.engine.batch_size),
            reward=build_reward(config, task),
            sampling=sampling,
            token_budget=agent.update_tokens,
            clock=clock,
        ),
        problems_at=lambda step: step_problems(
            task.train,
            seed=config.seed,
            step=step,
            prompts_per_step=config.rollout.prompts_per_step,
        ),
        learning=learning_settings(config.algorithm, agent),
        optimizer=optimizer,
        schedule=schedule,
        gradient_checkpointing=agent.gradient_checkpointing,
        seed=config.seed,
    )
    return BuiltAgent(agent=module, task=task)


def check_lengths(task: Task, codec: TokenCodec, model: PreTrainedModel, config: Config) -> None:
    """Refuse prompts that are too long, and lengths that the model has no positions for."""
    limit = config.rollout.max_prompt_tokens
    lengths = {
        problem.id: len(codec.encode_prompt(problem.prompt))
        for problem in (*task.train, *task.test)
    }
    problem_id, longest = max(lengths.items(), key=lambda item: item[1])
    if longest > limit:
        raise ValueError(
            f"the prompt of problem {problem_id} has {longest} tokens, more than "
            f"rollout.max_prompt_tokens={limit}; prompts are never cut. Tasks from files leave "
            "long ones out with task.arguments.max_prompt_chars"
        )
    positions = getattr(model.config, "max_position_embeddings", None)
    needed = longest + config.rollout.max_new_tokens
    if positions is not None and needed > positions:
        raise ValueError(
            f"prompt and completion may have {longest} + {config.rollout.max_new_tokens} tokens, "
            f"but the model has {positions} positions; lower rollout.max_new_tokens"
        )
    if positions is not None and config.algorithm.exchange is not Exchange.none:
        _check_shared(longest + largest_shared(config.rollout), positions)


def _check_shared(needed: int, positions: int) -> None:
    """Refuse completions of others that the learner has no positions for.

    Their authors' tokens may be longer than the learner's, so they may be longer than own ones.
    """
    if needed > positions:
        raise ValueError(
            f"a prompt with a shared completion may have {needed} tokens, but the model has "
            f"{positions} positions; lower rollout.shared_length_factor or rollout.max_new_tokens"
        )


def _warm_start(
    assignment: Assignment, task: Task, model: PreTrainedModel, codec: TokenCodec, report: Report
) -> None:
    settings = assignment.agent.warm_start
    if settings.steps == 0:
        return

    def progress(step: int, total: int, loss: float) -> None:
        if step % max(1, total // 100) == 0 or step == total:
            status = AgentStatus(
                phase=Phase.WARM_START, step=step, total_steps=total, message=f"loss {loss:.3f}"
            )
            report(status)

    warm_started(
        model,
        codec,
        task.train,
        task.demonstrator(**settings.demonstrator),
        steps=settings.steps,
        batch_size=settings.batch_size,
        lr=settings.lr,
        seed=assignment.agent.init_seed,
        cache_dir=assignment.cache_dir,
        on_progress=progress,
    )
