"""The hub: a barrier per step, and the first failure told to everybody.

One object in the parent process, called from one thread per agent. A *meeting* is one step's
barrier. Two questions decide everything and have one method each: who must have handed in before a
meeting is complete (`_absent`), and what ends all waits (`_break`). An asynchronous hub would
answer the first differently, a restart policy the second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Condition

from hacpo.callbacks.hub import (
    AgentFailed,
    HubError,
    PromptMismatch,
    StepMismatch,
    SwapTimeout,
    first_difference,
)
from hacpo.types import AgentRollouts, AgentStatus, AgentSummary, Phase


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The root cause of a run's end: the first agent that went wrong, and how."""

    agent: str
    cause: str


@dataclass(kw_only=True, slots=True)
class _Meeting:
    """One step's barrier, kept until each of its agents has taken the result."""

    step: int
    rollouts: dict[str, AgentRollouts] = field(default_factory=dict)
    complete: bool = False
    taken: set[str] = field(default_factory=set)


class RolloutHub:
    """Thread-safe implementation of `hacpo.callbacks.hub.Hub` for any number of agents."""

    def __init__(
        self, agents: Sequence[str], *, start_timeout_s: float, swap_timeout_s: float
    ) -> None:
        """Expect these agents, and wait at most so many seconds at the start and at a swap."""
        if not agents or len(set(agents)) != len(agents):
            raise ValueError(f"A hub needs agents with distinct names, not {list(agents)}.")
        self._agents = tuple(agents)
        self._start_timeout_s = start_timeout_s
        self._swap_timeout_s = swap_timeout_s
        self._changed = Condition()
        self._joined: set[str] = set()
        self._meetings: dict[int, _Meeting] = {}
        self._statuses: dict[str, AgentStatus] = {}
        self._summaries: dict[str, AgentSummary] = {}
        self._waited = dict.fromkeys(agents, 0.0)
        self._failure: Failure | None = None
        self._error: HubError | None = None

    def join(self, agent: str) -> None:
        """Wait until every agent has joined; see `Hub.join`."""
        with self._changed:
            self._check_welcome(agent)
            self._joined.add(agent)
            self._changed.notify_all()
            self._wait(
                agent,
                until=lambda: not self._not_joined(),
                missing=self._not_joined,
                place="the start",
                limit=(self._start_timeout_s, "runtime.start_timeout_s"),
            )

    def swap(self, rollouts: AgentRollouts) -> dict[str, AgentRollouts]:
        """Meet everyone who is still in the run at this step; see `Hub.swap`."""
        agent = rollouts.author
        with self._changed:
            self._check_welcome(agent)
            meeting = self._hand_in(rollouts)
            self._complete_meetings()
            self._wait(
                agent,
                until=lambda: meeting.complete,
                missing=lambda: self._absent(meeting),
                place=f"step {meeting.step}",
                limit=(self._swap_timeout_s, "runtime.swap_timeout_s"),
            )
            return self._take(meeting, agent)

    def report(self, agent: str, status: AgentStatus) -> None:
        """Replace the agent's status."""
        with self._changed:
            self._check_known(agent)
            self._statuses[agent] = status

    def finish(self, agent: str, summary: AgentSummary) -> None:
        """Keep the summary, and let waiting agents go on without this one."""
        with self._changed:
            self._check_known(agent)
            self._summaries[agent] = summary
            last = self._statuses.get(agent, AgentStatus(phase=Phase.DONE))
            self._statuses[agent] = replace(last, phase=Phase.DONE, seconds_left=0.0)
            self._complete_meetings()
            self._changed.notify_all()

    def fail(self, agent: str, cause: str) -> None:
        """Record why an agent failed, and end all waits with `AgentFailed`; the first counts."""
        with self._changed:
            self._check_known(agent)
            self._break(AgentFailed(agent, cause), Failure(agent=agent, cause=cause))

    def close(self) -> None:
        """Wake all waits: the run is over, whether or not something went wrong."""
        with self._changed:
            self._break(HubError("The run has ended."), None)

    def failure(self) -> Failure | None:
        """Return the root cause, if anything went wrong."""
        with self._changed:
            return self._failure

    def statuses(self) -> Mapping[str, AgentStatus]:
        """Return the last report of every agent that has reported, in the run's order."""
        with self._changed:
            return {name: self._statuses[name] for name in self._agents if name in self._statuses}

    def summaries(self) -> Mapping[str, AgentSummary]:
        """Return the summary of every agent that has finished, in the run's order."""
        with self._changed:
            return {name: self._summaries[name] for name in self._agents if name in self._summaries}

    def waited_s(self) -> Mapping[str, float]:
        """Return the seconds that each agent has spent waiting for others, start included."""
        with self._changed:
            return dict(self._waited)

    def open_meetings(self) -> int:
        """Return how many steps are still held in memory."""
        with self._changed:
            return len(self._meetings)

    # Everything below runs with the lock held.

    def _check_known(self, agent: str) -> None:
        if agent not in self._agents:
            known = ", ".join(self._agents)
            raise HubError(f"Agent {agent} is not part of this run; its agents are {known}.")

    def _check_welcome(self, agent: str) -> None:
        self._check_known(agent)
        self._raise_if_broken()
        if agent in self._summaries:
            raise HubError(f"Agent {agent} has already finished.")

    def _not_joined(self) -> list[str]:
        here = self._joined | self._summaries.keys()
        return [agent for agent in self._agents if agent not in here]

    def _absent(self, meeting: _Meeting) -> list[str]:
        """Agents that must still hand in: all that have not finished (a full barrier)."""
        here = meeting.rollouts.keys() | self._summaries.keys()
        return [agent for agent in self._agents if agent not in here]

    def _hand_in(self, rollouts: AgentRollouts) -> _Meeting:
        step, agent = rollouts.step, rollouts.author
        for meeting in self._meetings.values():
            if not meeting.complete and meeting.step != step:
                other = next(iter(meeting.rollouts))
                self._refuse(agent, StepMismatch(agent, step, other, meeting.step))
        meeting = self._meetings.setdefault(step, _Meeting(step=step))
        if agent in meeting.rollouts:
            raise HubError(f"Agent {agent} has already handed in its rollouts of step {step}.")
        for other, theirs in meeting.rollouts.items():
            difference = first_difference(rollouts.problem_ids, theirs.problem_ids)
            if difference is not None:
                position, *ids = difference
                error = PromptMismatch(step, (agent, other), position, (ids[0], ids[1]))
                self._refuse(agent, error)
        meeting.rollouts[agent] = rollouts
        return meeting

    def _complete_meetings(self) -> None:
        for meeting in self._meetings.values():
            if not meeting.complete and not self._absent(meeting):
                meeting.complete = True
                self._changed.notify_all()

    def _take(self, meeting: _Meeting, agent: str) -> dict[str, AgentRollouts]:
        """Return the meeting's rollouts, and forget it once everybody has them."""
        meeting.taken.add(agent)
        if meeting.taken == meeting.rollouts.keys():
            del self._meetings[meeting.step]
        return {name: meeting.rollouts[name] for name in self._agents if name in meeting.rollouts}

    def _wait(
        self,
        agent: str,
        *,
        until: Callable[[], bool],
        missing: Callable[[], list[str]],
        place: str,
        limit: tuple[float, str],
    ) -> None:
        """Sleep until the condition holds, something breaks, or the time limit is over."""
        seconds, key = limit
        start = time.monotonic()
        try:
            self._changed.wait_for(lambda: until() or self._error is not None, timeout=seconds)
        finally:
            self._waited[agent] += time.monotonic() - start
        if until():
            return
        self._raise_if_broken()
        absent = tuple(missing())
        self._refuse(absent[0], SwapTimeout(absent, place, seconds, key))

    def _refuse(self, agent: str, error: HubError) -> None:
        """End the run because of the agents' behaviour towards each other."""
        self._break(error, Failure(agent=agent, cause=str(error)))
        self._raise_if_broken()

    def _break(self, error: HubError, failure: Failure | None) -> None:
        if self._error is None:
            self._error, self._failure = error, failure
            self._changed.notify_all()

    def _raise_if_broken(self) -> None:
        if self._error is not None:
            # A fresh copy: several threads raise it, and each adds its own traceback.
            raise type(self._error)(*self._error.args)
