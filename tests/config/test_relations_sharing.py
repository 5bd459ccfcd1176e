"""Who learns from whom: what is refused, and how many completions a learner gets."""

from __future__ import annotations

import pytest

from hacpo.config.relations_sharing import authors_of, learnt_per_prompt
from tests.config.composing import checked, refused

SHARING = "algorithm.sharing"


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ([f"+{SHARING}.learns_from.qwen=[lama]"], "'lama' is no agent of this run"),
        ([f"+{SHARING}.learns_from.gwen=[llama]"], "'gwen' is no agent of this run"),
        ([f"+{SHARING}.learns_from.qwen=[qwen]"], "name only others"),
        ([f"+{SHARING}.learns_from.qwen=[llama, llama]"], "stands twice"),
        ([f"{SHARING}.success_reward=0.5"], "failures are shared too"),
        (["algorithm=gspo", f"{SHARING}.ratio=0.5"], "nothing is shared"),
        (["algorithm=gspo", f"{SHARING}.smallest_advantage=0"], "nothing is shared"),
        ([f"{SHARING}.ratio=-1"], "must be at least 0"),
        ([f"{SHARING}.ratio=0.0", "algorithm.update.sequences=200"], "yields 128 to qwen"),
    ],
)
def test_what_has_no_sense_is_refused(overrides: list[str], words: str) -> None:
    assert words in str(refused(*overrides))


def test_by_default_everybody_learns_from_everybody() -> None:
    config = checked("agents=tiny_trio")
    for name in config.agents:
        assert authors_of(config, name) == tuple(a for a in config.agents if a != name)
        assert learnt_per_prompt(config, name) == 3 * config.rollout.completions_per_prompt


def test_a_graph_a_ratio_and_no_exchange_change_what_is_learnt_from() -> None:
    config = checked(f"+{SHARING}.learns_from.qwen=[]")
    assert authors_of(config, "qwen") == ()
    assert authors_of(config, "llama") == ("qwen",)
    assert (learnt_per_prompt(config, "qwen"), learnt_per_prompt(config, "llama")) == (8, 16)
    assert learnt_per_prompt(checked(f"{SHARING}.ratio=0.25"), "qwen") == 10
    assert learnt_per_prompt(checked(f"{SHARING}.ratio=7"), "qwen") == 16
    assert authors_of(checked("algorithm=gspo"), "qwen") == ()
