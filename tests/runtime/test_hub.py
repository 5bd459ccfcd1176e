"""The hub's barrier, seen from threads."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from hacpo.callbacks.hub import (
    AgentFailed,
    HubError,
    PromptMismatch,
    StepMismatch,
    SwapTimeout,
    first_difference,
)
from hacpo.runtime.hub import Failure, RolloutHub
from hacpo.types import AgentRollouts, AgentStatus, AgentSummary, Phase

Make = Callable[..., AgentRollouts]


def make_hub(*agents: str, start: float = 5.0, swap: float = 5.0) -> RolloutHub:
    return RolloutHub(agents, start_timeout_s=start, swap_timeout_s=swap)


@pytest.fixture
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(4)


def settle(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def wait_in_swap(
    hub: RolloutHub, pool: ThreadPoolExecutor, rollouts: AgentRollouts
) -> Future[dict[str, AgentRollouts]]:
    """Start a swap in a thread, and return once it waits."""
    future = pool.submit(hub.swap, rollouts)
    settle(lambda: hub.open_meetings() == 1)
    return future


def test_swap_returns_everyone_in_the_runs_order(make_rollouts: Make) -> None:
    hub = make_hub("c", "a", "b")
    results: dict[str, dict[str, AgentRollouts]] = {}
    threads = [
        threading.Thread(target=lambda n=name: results.update({n: hub.swap(make_rollouts(n, 0))}))
        for name in ("a", "b", "c")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {name: make_rollouts(name, 0) for name in ("c", "a", "b")}
    assert results == {"a": expected, "b": expected, "c": expected}
    assert [list(result) for result in results.values()] == [["c", "a", "b"]] * 3


def test_nobody_passes_the_barrier_before_the_last_one(
    pool: ThreadPoolExecutor, make_rollouts: Make
) -> None:
    hub = make_hub("a", "b")
    early = wait_in_swap(hub, pool, make_rollouts("a", 0))
    time.sleep(0.1)
    assert not early.done()
    hub.swap(make_rollouts("b", 0))
    assert list(early.result(timeout=5)) == ["a", "b"]
    waited = hub.waited_s()
    assert waited["a"] >= 0.1
    assert waited["b"] < waited["a"]


def test_join_waits_for_all(pool: ThreadPoolExecutor) -> None:
    hub = make_hub("a", "b")
    early = pool.submit(hub.join, "a")
    time.sleep(0.05)
    assert not early.done()
    hub.join("b")
    early.result(timeout=5)


def test_many_steps_leave_nothing_behind(make_rollouts: Make, summary: AgentSummary) -> None:
    hub, agents, steps = make_hub("a", "b", "c"), ("a", "b", "c"), 200

    def learn(name: str) -> int:
        hub.join(name)
        for step in range(steps):
            everyone = hub.swap(make_rollouts(name, step))
            assert {theirs.step for theirs in everyone.values()} == {step}
        hub.finish(name, summary)
        return steps

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(learn, agents)) == [steps] * 3
    assert hub.open_meetings() == 0
    assert hub.failure() is None


def test_a_slow_reader_still_gets_its_step(pool: ThreadPoolExecutor, make_rollouts: Make) -> None:
    """b may hand in step 1 while a has not yet been scheduled to take step 0."""
    hub = make_hub("a", "b")
    for step in range(20):
        early = pool.submit(hub.swap, make_rollouts("a", step))
        assert hub.swap(make_rollouts("b", step))["a"].step == step
        assert early.result(timeout=5)["b"].step == step


def test_different_problems_are_an_error_for_both(
    pool: ThreadPoolExecutor, make_rollouts: Make
) -> None:
    hub = make_hub("a", "b")
    early = wait_in_swap(hub, pool, make_rollouts("a", 4, ("p1", "p2")))
    with pytest.raises(PromptMismatch) as late:
        hub.swap(make_rollouts("b", 4, ("p1", "p9")))
    assert str(late.value) == (
        "Problems differ in step 4, at position 1: b sees 'p9' and a sees 'p2'."
    )
    with pytest.raises(PromptMismatch, match="b sees 'p9'"):
        early.result(timeout=5)
    assert hub.failure() == Failure(agent="b", cause=str(late.value))


def test_a_shorter_list_of_problems_is_an_error(
    pool: ThreadPoolExecutor, make_rollouts: Make
) -> None:
    hub = make_hub("a", "b")
    early = wait_in_swap(hub, pool, make_rollouts("a", 0, ("p1", "p2")))
    with pytest.raises(PromptMismatch, match="position 1: b sees nothing and a sees 'p2'"):
        hub.swap(make_rollouts("b", 0, ("p1",)))
    assert isinstance(early.exception(timeout=5), PromptMismatch)


def test_different_steps_are_an_error(pool: ThreadPoolExecutor, make_rollouts: Make) -> None:
    hub = make_hub("a", "b")
    early = wait_in_swap(hub, pool, make_rollouts("a", 1))
    with pytest.raises(StepMismatch, match="b swaps at step 2 while agent a waits at step 1"):
        hub.swap(make_rollouts("b", 2))
    assert isinstance(early.exception(timeout=5), StepMismatch)


def test_a_timeout_names_who_is_missing(pool: ThreadPoolExecutor, make_rollouts: Make) -> None:
    hub = make_hub("a", "b", "c", swap=0.2)
    early = wait_in_swap(hub, pool, make_rollouts("c", 7))
    with pytest.raises(SwapTimeout, match=r"Waited 0.2 s at step 7 for agent b\.") as caught:
        hub.swap(make_rollouts("a", 7))
    assert caught.value.missing == ("b",)
    assert isinstance(early.exception(timeout=5), SwapTimeout)
    failure = hub.failure()
    assert failure is not None
    assert failure.agent == "b"


def test_the_start_has_its_own_timeout() -> None:
    hub = make_hub("a", "b", "c", start=0.1)
    with pytest.raises(SwapTimeout, match=r"at the start for agents b, c.*start_timeout_s"):
        hub.join("a")


def test_a_failure_wakes_all_waits_and_the_first_cause_stays(
    pool: ThreadPoolExecutor, make_rollouts: Make
) -> None:
    hub = make_hub("a", "b", swap=60)
    early = wait_in_swap(hub, pool, make_rollouts("a", 0))
    start = time.monotonic()
    hub.fail("b", "killed by SIGKILL")
    with pytest.raises(AgentFailed, match="Agent b failed: killed by SIGKILL"):
        early.result(timeout=5)
    assert time.monotonic() - start < 5  # the swap's own limit is 60
    hub.fail("a", "a consequence")
    assert hub.failure() == Failure(agent="b", cause="killed by SIGKILL")
    with pytest.raises(AgentFailed):
        hub.swap(make_rollouts("a", 0))


def test_others_go_on_without_a_finished_agent(
    pool: ThreadPoolExecutor, make_rollouts: Make, summary: AgentSummary
) -> None:
    hub = make_hub("a", "b", "c")
    waiting = wait_in_swap(hub, pool, make_rollouts("a", 5))
    hub.finish("c", summary)
    assert not waiting.done()
    assert list(hub.swap(make_rollouts("b", 5))) == ["a", "b"]
    assert list(waiting.result(timeout=5)) == ["a", "b"]
    alone = wait_in_swap(hub, pool, make_rollouts("a", 6))
    hub.finish("b", summary)
    assert list(alone.result(timeout=5)) == ["a"]
    with pytest.raises(HubError, match="already finished"):
        hub.swap(make_rollouts("b", 6))


def test_reports_and_summaries(summary: AgentSummary) -> None:
    hub = make_hub("a", "b")
    hub.report("b", AgentStatus(phase=Phase.LOAD))
    hub.report("b", AgentStatus(phase=Phase.TRAIN, step=3))
    assert hub.statuses() == {"b": AgentStatus(phase=Phase.TRAIN, step=3)}
    hub.finish("b", summary)
    assert hub.statuses()["b"].phase is Phase.DONE
    assert hub.statuses()["b"].step == 3
    assert hub.summaries() == {"b": summary}


def test_misuse_is_refused(pool: ThreadPoolExecutor, make_rollouts: Make) -> None:
    hub = make_hub("a", "b")
    with pytest.raises(HubError, match="Agent z is not part of this run; its agents are a, b"):
        hub.join("z")
    wait_in_swap(hub, pool, make_rollouts("a", 0))
    with pytest.raises(HubError, match="already handed in its rollouts of step 0"):
        hub.swap(make_rollouts("a", 0))
    with pytest.raises(ValueError, match="distinct names"):
        make_hub("a", "a")
    hub.close()


def test_one_agent_meets_itself(make_rollouts: Make) -> None:
    hub = make_hub("a")
    hub.join("a")
    assert list(hub.swap(make_rollouts("a", 0))) == ["a"]


@pytest.mark.parametrize(
    "error",
    [
        AgentFailed("a", "cause"),
        SwapTimeout(("a", "b"), "step 3", 1.5, "runtime.swap_timeout_s"),
        StepMismatch("a", 1, "b", 2),
        PromptMismatch(1, ("a", "b"), 0, ("p", None)),
    ],
)
def test_errors_survive_pickling(error: HubError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_first_difference() -> None:
    assert first_difference(("p", "q"), ("p", "q")) is None
    assert first_difference(("p", "q"), ("p", "r")) == (1, "q", "r")
    assert first_difference((), ("p",)) == (0, None, "p")
