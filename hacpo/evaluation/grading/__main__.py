r"""Grade one response: `python -m hacpo.evaluation.grading --gold '\frac12' --pred '\boxed{0.5}'`.

Exit code 0 for right, 1 for wrong, 2 for a command that cannot be understood.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.pool import GradingPool


def _arguments(command: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hacpo.evaluation.grading",
        description="Grade one response.",
        allow_abbrev=False,
    )
    parser.add_argument("--gold", required=True, help="the gold answer, without a box")
    parser.add_argument("--pred", required=True, help="all that the model wrote")
    parser.add_argument("--bare", action="store_true", help="--pred is an answer without a box")
    parser.add_argument(
        "--fallback",
        action="append",
        default=[],
        choices=["hash", "answer_is"],
        help="where to look when there is no box",
    )
    parser.add_argument("--several-boxes", action="store_true", help="one answer in each box")
    parser.add_argument("--ordered", action="store_true", help="the order of answers counts")
    parser.add_argument("--no-inequalities", action="store_true", help="x<3 is not (-oo,3)")
    parser.add_argument("--units", default="optional", choices=["optional", "required"])
    parser.add_argument("--percent", default="either", choices=["either", "sign_optional", "value"])
    parser.add_argument("--relative-tolerance", type=float, default=0.0)
    parser.add_argument("--absolute-tolerance", type=float, default=0.0)
    parser.add_argument("--round-to-gold", action="store_true", help="1.62 is right for 1.6")
    parser.add_argument("--limit-s", type=float, default=5.0, help="seconds for one answer")
    return parser.parse_args(command)


def main(command: Sequence[str] | None = None) -> int:
    """Print verdict and way, and return the exit code."""
    chosen = _arguments(command)
    try:
        options = GradingOptions(
            fallbacks=tuple(chosen.fallback),
            several_boxes=chosen.several_boxes,
            ordered=chosen.ordered,
            inequalities=not chosen.no_inequalities,
            units=chosen.units,
            percent=chosen.percent,
            relative_tolerance=chosen.relative_tolerance,
            absolute_tolerance=chosen.absolute_tolerance,
            round_to_gold=chosen.round_to_gold,
        )
        pool = GradingPool(options, num_workers=1, limit_s=chosen.limit_s)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    with pool:
        grade = pool.grade_answer if chosen.bare else pool.grade
        verdict = grade(chosen.gold, chosen.pred)
    answer = "none" if verdict.answer is None else repr(verdict.answer)
    print(f"{'right' if verdict.right else 'wrong'} by {verdict.way}, answer {answer}")
    return 0 if verdict.right else 1


if __name__ == "__main__":
    sys.exit(main())
