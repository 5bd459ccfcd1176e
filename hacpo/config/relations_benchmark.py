"""What the settings of the benchmarks must be together, and what an evaluation needs."""

from __future__ import annotations

from pathlib import Path

from hacpo.config.benchmark import PLACE, BenchmarkConfig
from hacpo.config.errors import ConfigError
from hacpo.config.names import PLAIN_WORD
from hacpo.config.schema import Config, Mode

FILE_TYPES = (".jsonl", ".parquet")


def check_benchmarks(config: Config) -> None:
    """Raise ConfigError for the first benchmark whose settings cannot work together."""
    if config.mode is Mode.evaluate and not config.benchmarks:
        raise ConfigError(
            "an evaluation needs benchmarks, and none is chosen",
            key="benchmarks",
            fix="benchmarks=paper7, or benchmarks=math500_only",
        )
    check_limits_in_training(config)
    for name, benchmark in config.benchmarks.items():
        at = f"benchmarks.{name}"
        check_name(name)
        check_source(benchmark, at)
        check_question(benchmark, at)
        check_sampling(benchmark, at)


def check_limits_in_training(config: Config) -> None:
    """The limits of training act on something, and several samples differ."""
    evaluation = config.evaluation
    for key in ("every_steps", "max_problems", "max_new_tokens", "samples"):
        value = getattr(evaluation, f"benchmark_{key}")
        if value and (config.mode is not Mode.train or not config.benchmarks):
            raise ConfigError(
                f"evaluation.benchmark_{key}={value} has no effect: it is for benchmarks that are "
                "answered during training",
                key=f"evaluation.benchmark_{key}",
                fix="benchmarks=embedded, or benchmarks.NAME's own keys in mode=evaluate",
            )
    if (evaluation.benchmark_samples or 1) > 1:
        for name, benchmark in config.benchmarks.items():
            if benchmark.temperature == 0:
                raise ConfigError(
                    f"{evaluation.benchmark_samples} samples at temperature 0 are all the same",
                    key=f"benchmarks.{name}.temperature",
                    fix=f"benchmarks.{name}.temperature=1.0",
                )


def check_name(name: str) -> None:
    """The name can stand as a file's name and in the keys of metrics."""
    if PLAIN_WORD.fullmatch(str(name)) is None:
        raise ConfigError(
            f"the benchmark name {str(name)!r} is not a plain word: a letter, then up to 39 "
            "letters, digits, _ or -",
            key="benchmarks",
        )


def check_source(benchmark: BenchmarkConfig, at: str) -> None:
    """There is a source, and a local one exists."""
    if benchmark.path is None:
        if benchmark.hub_id is None:
            raise ConfigError(
                "this benchmark has no problems: set hub_id or path", key=at, fix=f"{at}.path=FILE"
            )
        return
    path = Path(benchmark.path)
    if path.suffix.lower() not in FILE_TYPES:
        raise ConfigError(
            f"{benchmark.path} is neither a .jsonl nor a .parquet file",
            key=f"{at}.path",
            fix=f"{at}.path=FILE.jsonl",
        )
    if not path.is_file():
        raise ConfigError(
            f"there is no file {benchmark.path}",
            key=f"{at}.path",
            fix=f"{at}.path=FILE, or {at}.path=null to read the hub",
        )


def check_question(benchmark: BenchmarkConfig, at: str) -> None:
    """The prompt has a place for the problem, and a row has columns for text and gold."""
    if PLACE not in benchmark.prompt:
        raise ConfigError(
            f"the prompt {benchmark.prompt!r} has no {PLACE}, the place of the problem",
            key=f"{at}.prompt",
        )
    if not benchmark.question_columns:
        raise ConfigError("no column holds the problem", key=f"{at}.question_columns")
    if not benchmark.answer_columns and benchmark.solution_column is None:
        raise ConfigError("no column holds the gold answer", key=f"{at}.answer_columns")


def check_sampling(benchmark: BenchmarkConfig, at: str) -> None:
    """Several samples differ, and top_p has something to choose from."""
    if benchmark.temperature > 0:
        return
    if benchmark.samples > 1:
        raise ConfigError(
            f"{benchmark.samples} samples at temperature 0 are all the same",
            key=f"{at}.temperature",
            fix=f"{at}.temperature=1.0, or {at}.samples=1",
        )
    if benchmark.top_p < 1:
        raise ConfigError(
            f"{at}.top_p={benchmark.top_p:g} has no effect at temperature 0",
            key=f"{at}.top_p",
            fix=f"{at}.temperature=1.0, or {at}.top_p=1",
        )
