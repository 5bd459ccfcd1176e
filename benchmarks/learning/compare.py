"""Compares the runs of a sweep: learning curves with seed bands, and paired differences.

python benchmarks/learning/compare.py outputs/multirun/DATE/TIME-NAME [--picture FILE.png]

Reads `summary.json` and each agent's `metrics.csv`; needs numpy, and matplotlib for the picture.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

T_95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045),
)
"""Two-sided 95% quantiles of Student's t for 2 to 30 seeds; more take the last."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Held-out accuracy of one agent in one run."""

    agent: str
    label: str
    seed: int
    accuracy: Mapping[int, float]  # step -> accuracy
    no_signal: float
    rollouts: int

    def mean_over_run(self) -> float:
        """Return the mean of all evaluations after step 0."""
        return float(np.mean([value for step, value in self.accuracy.items() if step > 0]))

    def last(self, count: int) -> float:
        """Return the mean of the last `count` evaluations."""
        return float(np.mean([self.accuracy[step] for step in sorted(self.accuracy)[-count:]]))


def read_curves(sweep: Path) -> Iterator[Curve]:
    """Yield the curves of every finished run below a folder."""
    for path in sorted(sweep.rglob("summary.json")):
        summary = json.loads(path.read_text())
        if summary["status"] != "finished":
            print(f"left out, {summary['status']}: {path.parent}")
            continue
        ablation = summary["ablation"]
        label = summary["algorithm"] + ("" if ablation == "none" else f" {ablation}")
        for agent, spent in summary["agents"].items():
            rows = _rows(path.parent / "agents" / agent / "metrics.csv")
            yield Curve(
                agent=agent,
                label=label,
                seed=summary["seed"],
                accuracy={
                    int(float(row["step"])): float(row["eval/accuracy"])
                    for row in rows
                    if row["eval/accuracy"]
                },
                no_signal=float(
                    np.mean([float(r["signal/no_signal_share"]) for r in rows if r["reward/mean"]])
                ),
                rollouts=spent["rollouts"],
            )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


Grouped = Mapping[tuple[str, str], Sequence[Curve]]


def grouped(curves: Sequence[Curve]) -> Grouped:
    """Return curves by (label, agent), seeds in order."""
    groups: dict[tuple[str, str], list[Curve]] = defaultdict(list)
    for curve in sorted(curves, key=lambda curve: curve.seed):
        known = groups[curve.label, curve.agent]
        if known and known[-1].seed == curve.seed:
            raise SystemExit(
                f"{curve.label} ran more than once with seed {curve.seed}; compare sweeps over "
                "methods and seeds, in which nothing else varies"
            )
        known.append(curve)
    return groups


def paired(one: Mapping[int, float], other: Mapping[int, float]) -> str:
    """Return mean difference, its 95% interval over seeds, and in how many seeds it is above 0.

    Args:
        one: a figure by seed.
        other: the same of another method; seeds that only one of them has are left out.
    """
    seeds = sorted(one.keys() & other.keys())
    if not seeds:
        return "no seed in common"
    difference = np.array([one[seed] - other[seed] for seed in seeds])
    text = f"{difference.mean():+.3f}"
    count = len(difference)
    if count > 1:
        quantile = T_95[min(count, len(T_95) + 1) - 2]
        half = quantile * difference.std(ddof=1) / np.sqrt(count)
        text += f" [{difference.mean() - half:+.3f}, {difference.mean() + half:+.3f}]"
    return f"{text} {int((difference > 0).sum())}/{count}"


def print_tables(groups: Grouped, *, against: str) -> None:
    """Print levels of every method, then `against` minus each other method, paired by seed."""
    labels = list(dict.fromkeys(label for label, _ in groups))
    agents = list(dict.fromkeys(agent for _, agent in groups))
    print("| method | agent | seeds | rollouts | start | mean over run | last three | no signal |")
    print("|---|---|---|---|---|---|---|---|")
    for label in labels:
        for agent in agents:
            curves = groups[label, agent]
            print(
                f"| {label} | {agent} | {len(curves)} | {curves[0].rollouts} "
                f"| {np.mean([curve.accuracy[0] for curve in curves]):.3f} "
                f"| {np.mean([curve.mean_over_run() for curve in curves]):.3f} "
                f"| {np.mean([curve.last(3) for curve in curves]):.3f} "
                f"| {np.mean([curve.no_signal for curve in curves]):.0%} |"
            )
    print(f"\n| {against} minus | agent | mean over run | last three |\n|---|---|---|---|")
    for label in labels:
        if label == against:
            continue
        for agent in agents:
            mine, other = groups[against, agent], groups[label, agent]
            over_run = paired(
                {c.seed: c.mean_over_run() for c in mine},
                {c.seed: c.mean_over_run() for c in other},
            )
            last = paired({c.seed: c.last(3) for c in mine}, {c.seed: c.last(3) for c in other})
            print(f"| {label} | {agent} | {over_run} | {last} |")


def draw(groups: Grouped, picture: Path) -> None:
    """Draw accuracy against steps: a panel an agent, a line a method, a band over seeds."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    labels = list(dict.fromkeys(label for label, _ in groups))
    agents = list(dict.fromkeys(agent for _, agent in groups))
    figure, axes = plt.subplots(
        1, len(agents), figsize=(4.6 * len(agents), 3.4), sharey=True, squeeze=False
    )
    for axis, agent in zip(axes[0], agents, strict=True):
        for label in labels:
            curves = groups[label, agent]
            steps = sorted(curves[0].accuracy)
            values = np.array([[curve.accuracy[step] for step in steps] for curve in curves])
            (line,) = axis.plot(steps, values.mean(0), label=label, linewidth=2)
            axis.fill_between(
                steps, values.min(0), values.max(0), color=line.get_color(), alpha=0.15
            )
        axis.set_title(agent)
        axis.set_xlabel("step")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("held-out accuracy")
    axes[0][-1].legend(frameon=False, loc="lower right")
    figure.tight_layout()
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=150)


def main() -> None:
    """Read the command line, print the tables, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sweep", type=Path)
    parser.add_argument("--against", default="hacpo", help="method that the others are held to")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    groups = grouped(list(read_curves(arguments.sweep)))
    if not groups:
        raise SystemExit(f"no finished run below {arguments.sweep}")
    print_tables(groups, against=arguments.against)
    if arguments.picture:
        draw(groups, arguments.picture)


if __name__ == "__main__":
    main()
