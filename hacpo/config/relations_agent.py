"""What the settings of one agent must be together: model, tokenizer, prompt, optimizer."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from hacpo.config.agent import AgentConfig, ModelConfig, TokenizerConfig, TokenizerKind
from hacpo.config.errors import ConfigError
from hacpo.config.schema import Config, Mode
from hacpo.model.folders import file_in_folder, model_folder

WITHOUT_BETAS = frozenset(
    f"torch.optim.{name}"
    for name in ("ASGD", "Adadelta", "Adagrad", "LBFGS", "Muon", "RMSprop", "Rprop", "SGD")
)
"""Optimizers that would stumble over AdamW's `betas`."""


def check_agents(config: Config) -> None:
    """Raise ConfigError for the first agent whose settings cannot work together."""
    for name, agent in config.agents.items():
        at = f"agents.{name}"
        check_model(agent.model, f"{at}.model")
        check_tokenizer(agent, f"{at}.tokenizer")
        check_prompt(agent, f"{at}.prompt")
        for key, new_tokens in lengths(config).items():
            check_positions(agent, at, key, new_tokens)
        check_optimizer(agent.optimizer, f"{at}.optimizer")
        check_schedule(agent.schedule, f"{at}.schedule")


def check_model(model: ModelConfig, at: str) -> None:
    """The weights come from exactly one place, and a local one exists."""
    sources = [
        name for name in ("hub_id", "path", "architecture") if getattr(model, name) is not None
    ]
    if not sources:
        raise ConfigError(
            "this agent has no model: set hub_id, path or architecture",
            key=at,
            fix=f"{at}.path=FOLDER, or ~{at.removesuffix('.model')} to leave the agent out",
        )
    if len(sources) > 1:
        # A group of agents sets the architecture, so the other one is what the user wants.
        others = " ".join(f"{at}.{name}=null" for name in sources[1:])
        raise ConfigError(
            f"a model comes from one place, and {' and '.join(sources)} are set", key=at, fix=others
        )
    if model.gguf_file is not None and model.architecture is not None:
        raise ConfigError("a GGUF file belongs to a path or a hub_id", key=f"{at}.gguf_file")
    if model.revision is not None and model.hub_id is None:
        raise ConfigError("a revision belongs to a hub_id, and there is none", key=at)
    if model.architecture is not None and "model_type" not in model.architecture:
        raise ConfigError(
            "an architecture needs a model_type, such as llama",
            key=f"{at}.architecture",
            fix=f"+{at}.architecture.model_type=llama",
        )
    if model.path is not None:
        _check_path(model, f"{at}.path")


def _check_path(model: ModelConfig, key: str) -> None:
    assert model.path is not None
    try:
        file_in_folder(model_folder(model.path), model.gguf_file or "config.json")
    except ValueError as error:
        raise ConfigError(str(error), key=key, fix=f"{key}=FOLDER") from error


def check_tokenizer(agent: AgentConfig, at: str) -> None:
    """A model built in code names a tokenizer; a real model has its own."""
    tokenizer = agent.tokenizer
    built = agent.model.architecture is not None
    if tokenizer.kind is not None and tokenizer.path is not None:
        raise ConfigError("a tokenizer is either built in code or read from a folder", key=at)
    if built and tokenizer.kind is None and tokenizer.path is None:
        raise ConfigError(
            "a model built in code has no tokenizer of its own", key=at, fix=f"{at}.kind=characters"
        )
    if not built and tokenizer.kind is not None:
        raise ConfigError(
            "a trained model knows only its own tokens, so its tokenizer cannot be built anew",
            key=f"{at}.kind",
            fix=f"{at}.kind=null",
        )
    if tokenizer.path is not None:
        try:
            file_in_folder(model_folder(tokenizer.path), "tokenizer_config.json")
        except ValueError as error:
            raise ConfigError(f"no tokenizer: {error}", key=f"{at}.path") from error
    _check_merges(tokenizer, at)


def _check_merges(tokenizer: TokenizerConfig, at: str) -> None:
    merging = tokenizer.kind in (TokenizerKind.bpe, TokenizerKind.bytes)
    if tokenizer.merges and not merging:
        raise ConfigError(
            f"{at}.merges={tokenizer.merges} has no effect, because only the kinds bpe and bytes "
            "learn merges",
            key=f"{at}.merges",
            fix=f"{at}.merges=0",
        )


def check_prompt(agent: AgentConfig, at: str) -> None:
    """A chat template needs a chat tokenizer; a plain template has a place for the problem."""
    prompt = agent.prompt
    if prompt.chat and agent.tokenizer.kind is not None:
        raise ConfigError(
            "a tokenizer built in code has no chat template",
            key=f"{at}.chat",
            fix=f"{at}.chat=false",
        )
    if not prompt.chat and "{prompt}" not in prompt.template:
        raise ConfigError(
            f"the template {prompt.template!r} has no {{prompt}}, the place of the problem",
            key=f"{at}.template",
        )
    if not prompt.chat and (prompt.system is not None or prompt.chat_arguments):
        raise ConfigError(
            "a system prompt and chat arguments have no effect without the chat template",
            key=f"{at}.chat",
            fix=f"{at}.chat=true",
        )


def lengths(config: Config) -> dict[str, int]:
    """Return the limits on completions that this run reaches, by their keys."""
    if config.mode is Mode.train:
        return {"rollout.max_new_tokens": config.rollout.max_new_tokens}
    return {
        f"benchmarks.{name}.max_new_tokens": benchmark.max_new_tokens
        for name, benchmark in config.benchmarks.items()
    }


def check_positions(agent: AgentConfig, at: str, key: str, new_tokens: int) -> None:
    """A completion of full length fits into a model built in code."""
    positions = (agent.model.architecture or {}).get("max_position_embeddings")
    if isinstance(positions, int) and new_tokens >= positions:
        raise ConfigError(
            f"completions of {new_tokens} tokens do not fit into the {positions} positions of "
            f"{at}.model.architecture",
            key=key,
            fix=f"{key}={positions // 2}, or a model with more positions"
            if key.startswith("benchmarks.")
            else f"{at}.model.architecture.max_position_embeddings={2 * new_tokens}",
        )


def check_optimizer(optimizer: Mapping[str, object], at: str) -> None:
    """The optimizer names an import path and a learning rate, and takes its arguments."""
    target = optimizer.get("_target_")
    if not _is_import_path(target):
        raise ConfigError(
            f"{target!r} is not the import path of an optimizer",
            key=f"{at}._target_",
            fix=f"{at}._target_=torch.optim.AdamW",
        )
    rate = optimizer.get("lr")
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < float("inf"):
        raise ConfigError(f"{at}.lr must be above 0, and is {rate}", key=f"{at}.lr")
    if target in WITHOUT_BETAS and "betas" in optimizer:
        name = at.split(".")[1]
        raise ConfigError(
            f"{target} takes no betas",
            key=f"{at}.betas",
            fix=f"optimizer@agents.{name}.optimizer=sgd, or ~{at}.betas",
        )


def check_schedule(schedule: Mapping[str, object], at: str) -> None:
    """A schedule is left out, or names an import path and waits for its optimizer."""
    if not schedule:
        return
    if not _is_import_path(schedule.get("_target_")):
        raise ConfigError(
            f"{schedule.get('_target_')!r} is not the import path of a learning rate schedule",
            key=f"{at}._target_",
            fix=f"+schedule@{at}=cosine",
        )
    if schedule.get("_partial_") is not True:
        raise ConfigError(
            "a schedule waits for its optimizer, so it must be partial",
            key=f"{at}._partial_",
            fix=f"+{at}._partial_=true",
        )


def _is_import_path(target: object) -> bool:
    return isinstance(target, str) and find_spec(target.partition(".")[0] or "?") is not None
