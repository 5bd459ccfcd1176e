"""The figures of an evaluation as a person reads them, beside the paper's."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from hacpo.evaluation.benchmark_result import BenchmarkResult
from hacpo.evaluation.paper_figures import figures_of

PAPER_BENCHMARKS = 7
"""The paper's averages are over so many benchmarks; over fewer, nothing is set beside them."""


def print_results(results: Mapping[str, Sequence[BenchmarkResult]], console: Console) -> None:
    """Print one table an agent: every benchmark's figure, with how it was made."""
    for agent, listed in results.items():
        console.print(result_table(agent, listed))
        for line in remarks(listed):
            console.out(f"  {line}", highlight=False)


def result_table(agent: str, results: Sequence[BenchmarkResult]) -> Table:
    """Return the table of one agent."""
    table = Table(title=agent, title_justify="left", box=None, pad_edge=False)
    table.add_column("benchmark")
    table.add_column("metric")
    for title in ("value [95%]", "problems", "samples", "cut", "tokens"):
        table.add_column(title, justify="right", no_wrap=True)
    for result in results:
        table.add_row(
            result.benchmark,
            result.metric,
            str(result.headline),
            str(result.num_problems),
            str(result.num_samples),
            f"{result.truncated_share:.0%}",
            f"{result.mean_length:.0f}",
        )
    return table


def remarks(results: Sequence[BenchmarkResult]) -> Iterator[str]:
    """Yield what must stand beside the figures: the average, the paper's, and all settings."""
    average = statistics.fmean(result.headline.value for result in results)
    if len(results) > 1:
        yield f"average of {len(results)}: {average:.3f}"
    if len(results) == PAPER_BENCHMARKS:
        model = results[0].settings["model"]
        for figure in figures_of(str(model["hub_id"] or model["path"])):
            yield f"paper, {figure.method} in {figure.pair}: {figure.average:.3f}"
    for result in results:
        benchmark = result.settings["benchmark"]
        yield (
            f"{result.benchmark}: temperature {benchmark['temperature']:g}, "
            f"top_p {benchmark['top_p']:g}, at most {benchmark['max_new_tokens']} tokens, "
            f"{result.settings['model']['dtype']}, {result.settings['engine']}, "
            f"seed {result.settings['seed']}, data {result.settings['data']}; verdicts by "
            + ", ".join(f"{way} {count}" for way, count in sorted(result.ways.items()))
        )
