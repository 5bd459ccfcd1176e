"""Answers that are made to hang, crash or bloat whatever reads them."""

from __future__ import annotations

import resource
import time

import pytest

from hacpo.evaluation.grading import GradingPool
from tests.evaluation.grading.test_pool import gone

GOLDS = ("5", r"\sqrt{2}", "x^2+1", "(1,2)", "[0,1)", r"1,\sqrt{3}", r"\text{west}", "31_7")

AT_ONCE = {
    "tower": "9^{9^{9^{9^9}}}",
    "python tower": "9**9**9**9",
    "factorial": "123456789!",
    "factorials": "9!!!!!",
    "exponent": "1e999999999999",
    "many digits": "7" * 100_000,
    "megabyte": "x" * 10**6,
    "spaces": " " * 10**6,
    "brackets": "(" * 900 + "1" + ")" * 900,
    "deep fractions": r"\frac{" * 200 + "1" + "}{2}" * 200,
    "deep roots": r"\sqrt{" * 100 + "2" + "}" * 100,
    "unbalanced": "{" * 1500,
    "closed first": "}}}{{{",
    "zero byte": "5\x00",
    "control": "".join(map(chr, range(32))),
    "surrogate": "\ud800",
    "macro": r"\def\a{\a\a}\a",
    "command": r"\newcommand{\x}{\x\x}\x",
    "file": r"\input{/etc/passwd}",
    "boxes": r"\boxed{" * 200,
    "words": "banana " * 200,
    "commas": "," * 1500,
    "list": ",".join(map(str, range(400))),
    "backslashes": "\\" * 1999,
    "dollars": "$" * 1999,
    "scripts": "a_{" * 400,
    "nothing": "",
}
"""Hostile answers that no worker needs to see."""

COMPUTED = {
    "product": r"\prod_{k=1}^{9000000} k",
    "sum": r"\sum_{n=1}^{90000000} \frac{1}{n^{3}}",
    "expansion": "(x+y+z)^{300}(a+b)^{300}",
    "logarithm": r"\log_{3}(9^{3899399})",
    "integral": r"\int_0^{2} \sin(x^{x^x}) e^{x^2} dx",
    "binomial": r"\binom{900000000}{90000}",
    "matrix": r"\begin{pmatrix}" + r"1&1&1\\" * 90 + r"\end{pmatrix}",
    "python": "__import__('os').system('sleep 60')",
    "recursion": "(lambda f: f(f))(lambda f: f(f))",
    "infinity": r"\infty-\infty",
}


@pytest.mark.parametrize("answer", AT_ONCE.values(), ids=AT_ONCE)
def test_hostile_text_is_settled_without_a_worker(answer: str) -> None:
    with GradingPool() as pool:
        begin = time.monotonic()
        for gold in GOLDS:
            assert not pool.grade_answer(gold, answer).right
            assert not pool.grade(gold, rf"so \boxed{{{answer}}}").right
            assert not pool.grade("", answer).right
        assert pool.worker_pids == ()
        assert time.monotonic() - begin < 3


@pytest.mark.slow
def test_hostile_mathematics_stays_within_its_limits() -> None:
    with GradingPool(num_workers=2, limit_s=1.0, memory_mb=1024) as pool:
        begin, memory = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        pairs = [(gold, answer) for answer in COMPUTED.values() for gold in GOLDS[1:3]]
        verdicts = pool.grade_many(pairs, bare=True)
        assert not any(verdict.right for verdict in verdicts)
        assert {"timeout"} <= {verdict.way for verdict in verdicts}
        assert time.monotonic() - begin < len(pairs) * 4
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 50 * 1024
        assert pool.grade_answer(r"\sqrt{8}", r"2\sqrt{2}").right
        pids = pool.worker_pids
    assert gone(pids)
