"""Whether an answer is the gold: the same text, the same number, the same parts, the same algebra.

Each way decides where it understands both sides, and hands on to the next where it does not.
"""

from __future__ import annotations

import re

from hacpo.evaluation.grading.arithmetic import is_too_large
from hacpo.evaluation.grading.normalisation import clean, key, to_latex
from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.parts import compare_parts
from hacpo.evaluation.grading.quantities import same_quantity
from hacpo.evaluation.grading.quantity import read_quantity
from hacpo.evaluation.grading.structure import MAX_PARTS, assignment, read_structure
from hacpo.evaluation.grading.verdict import Finding, Symbolic

MAX_NESTING = 30

_WORD = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{3,}(?![A-Za-z])")
_FUNCTION_WORDS = {"sin", "cos", "tan", "log", "exp", "max", "min", "lim", "gcd", "lcm", "mod"}
_CHOICE = re.compile(r"^\(?([A-Z])\)?$")
_NAME = re.compile(r"^[A-Za-z][A-Za-z .'\-]*\d{0,4}$")
_UNKNOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|\\(?:def|newcommand|input|loop|csname|let)\b")


def _word_count(text: str) -> int:
    bare = re.sub(r"⟦[^⟦⟧]*⟧", " ", text)
    return sum(word.lower() not in _FUNCTION_WORDS for word in _WORD.findall(bare))


def is_prose(cleaned: str) -> bool:
    """Say whether a text is a sentence, so that no value may be read out of it."""
    return _word_count(cleaned) >= 3


def _spoken(cleaned: str) -> str:
    return re.sub(r"[\s⟦⟧.]+", " ", cleaned).strip()


def is_words(cleaned: str) -> bool:
    """Say whether an answer is a name or a word, which algebra would take for a product."""
    spoken = _spoken(cleaned)
    marked = cleaned.startswith("⟦") and cleaned.endswith("⟧")
    letters = sum(sign.isalpha() for sign in spoken)
    return bool(_NAME.match(spoken)) and (marked or letters >= 4)


def _same_words(gold: str, answer: str) -> bool:
    wanted, given = _spoken(gold), _spoken(answer)
    choice, chosen = _CHOICE.match(wanted), _CHOICE.match(given)
    if choice and chosen:
        return choice[1] == chosen[1]
    return wanted.casefold() == given.casefold()


def _numbers(gold: str, answer: str, options: GradingOptions) -> Finding | None:
    wanted, given = read_quantity(gold), read_quantity(answer)
    if wanted is not None and given is not None:
        return Finding(right=same_quantity(wanted, given, options), way="number")
    for quantity in (wanted, given):
        if quantity is not None and quantity.kind != "number":
            return Finding(right=False, way="number")
    return None


def _symbolically(gold: str, answer: str, symbolic: Symbolic) -> Finding:
    if "%" in gold or "%" in answer:
        both = gold.endswith("%") and answer.endswith("%")
        gold, answer = gold.rstrip("% "), answer.rstrip("% ")
        if not both or "%" in gold or "%" in answer:
            return Finding(right=False, way="unparsed")
    same = symbolic(to_latex(gold), to_latex(answer))
    return Finding(right=bool(same), way="unparsed" if same is None else "math_verify")


def _without_word_unit(text: str) -> str:
    """Return an expression without a unit in words at its end."""
    bare = re.sub(r"(?:\s*⟦\s*[A-Za-z][^⟦⟧]*⟧)+(?:\s*\^\s*\{?[23]\}?)?$", "", text).strip()
    return bare or text


def _same_text(gold: str, answer: str) -> bool:
    return key(gold) == key(answer) != ""


def _decided(gold: str, answer: str, options: GradingOptions) -> Finding | None:
    """Compare by what needs no algebra; None where that is not enough."""
    number = _numbers(gold, answer, options)
    if number is not None:
        return number
    if is_words(gold) or (_CHOICE.match(_spoken(gold)) and "⟦" in gold):
        return Finding(right=_same_words(gold, answer), way="string")
    if (is_words(answer) and not answer.isalpha()) or is_prose(gold) or is_prose(answer):
        return Finding(right=False, way="unparsed")
    if _without_meaning(gold) or _without_meaning(answer):
        return Finding(right=False, way="unparsed")
    return None


def _is_nested_too_deeply(latex: str) -> bool:
    """Say whether braces do not match, or whether brackets stand deeper than in any gold."""
    braces = brackets = 0
    for sign in re.findall(r"(?<!\\)[{}()\[\]]", latex):
        braces += (sign == "{") - (sign == "}")
        brackets += (sign in "([") - (sign in ")]")
        if braces < 0 or max(braces, brackets) > MAX_NESTING:
            return True
    return braces != 0


def _without_meaning(cleaned: str) -> bool:
    """Say whether algebra would learn nothing from a text, or take forever over it."""
    latex = to_latex(cleaned)
    return (
        not latex.isascii()
        or not any(sign.isalnum() for sign in latex)
        or latex.count(",") > MAX_PARTS
        or _is_nested_too_deeply(latex)
        or bool(_UNKNOWN.search(latex))
        or is_too_large(cleaned)
    )


def compare_atoms(gold: str, answer: str, options: GradingOptions, symbolic: Symbolic) -> Finding:
    """Compare two pieces without outer shape."""
    if not gold or not answer:
        return Finding(right=False, way="unparsed")
    same = _same_text(gold, answer) and _same_quantity_if_any(gold, answer, options)
    if same:
        return Finding(right=True, way="string")
    (name, gold_value), (other_name, answer_value) = assignment(gold), assignment(answer)
    if name and other_name and name != other_name:
        return Finding(right=False, way="structure")
    if (name and not other_name and not answer_value.isalpha()) or other_name:
        gold, answer = gold_value, answer_value
        if _same_text(gold, answer):
            return Finding(right=True, way="string")
    decided = _decided(gold, answer, options)
    if decided is not None:
        return decided
    if options.units == "optional":
        gold, answer = _without_word_unit(gold), _without_word_unit(answer)
    return _symbolically(gold, answer, symbolic)


def _same_quantity_if_any(gold: str, answer: str, options: GradingOptions) -> bool:
    """Guard equal texts: `9 cm` and `9 m` without their marks would differ, `5%` and `5` do."""
    wanted, given = read_quantity(gold), read_quantity(answer)
    if wanted is None or given is None:
        return True
    return same_quantity(wanted, given, options)


def _alternatives(cleaned: str) -> list[str]:
    r"""Return the exact side of `a \approx b`, and then the rounded one."""
    pieces = re.split(r"\\approx(?![A-Za-z])", cleaned)
    return [piece.strip() for piece in pieces if piece.strip()][:3]


def _compare_cleaned(
    gold: str, answer: str, options: GradingOptions, symbolic: Symbolic
) -> Finding:
    wanted, given = read_quantity(gold), read_quantity(answer)
    whole = None if wanted is None or given is None else _numbers(gold, answer, options)
    if whole is not None and whole.right:
        return Finding(right=True, way="string" if key(gold) == key(answer) else "number")
    gold_node, answer_node = read_structure(gold), read_structure(answer)
    if whole is not None and not gold_node.shape == answer_node.shape == "list":
        return whole
    return compare_parts(gold_node, answer_node, options, symbolic, compare_atoms)


def compare(gold: str, answer: str, options: GradingOptions, symbolic: Symbolic) -> Finding:
    """Compare an answer with the gold.

    An empty gold accepts nothing. The length of both is the caller's to bound.
    """
    if not gold.strip():
        return Finding(right=False, way="no_gold")
    if gold.strip() == answer.strip():
        return Finding(right=True, way="string")
    golds, answers = _alternatives(clean(gold)), _alternatives(clean(answer))
    if not golds or not answers:
        return Finding(right=False, way="unparsed")
    findings = []
    for wanted in golds:
        finding = _compare_cleaned(wanted, answers[0], options, symbolic)
        if finding.right:
            return finding
        findings.append(finding)
    return findings[0]
