"""The hub as an agent sees it: the meeting point, and what can go wrong there.

Pure Python: the runtime's parent process imports this file too, without torch. Every exception
keeps its parts in `args`, so that it survives pickling between processes unchanged.
"""

# The names say what happened; an "Error" behind each would add nothing.
# ruff: noqa: N818

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hacpo.types import AgentRollouts, AgentStatus, AgentSummary


class Hub(Protocol):
    """Where agents wait for each other and hand over rollouts.

    Calls may block and may come from any thread. Every wait ends: with the others' arrival, or
    with a `HubError`.
    """

    def join(self, agent: str) -> None:
        """Wait until every agent is ready to start.

        Raises:
            SwapTimeout: an agent did not get ready in time.
            AgentFailed: another agent failed.
        """
        ...

    def swap(self, rollouts: AgentRollouts) -> dict[str, AgentRollouts]:
        """Hand in one step's rollouts, wait for the others', and return everyone's.

        The result holds the caller's own rollouts too, always in the run's order of agents.
        Agents that have finished are not waited for.

        Raises:
            PromptMismatch: two agents sampled for different problems.
            StepMismatch: two agents stand at different steps.
            SwapTimeout: an agent did not arrive in time.
            AgentFailed: another agent failed.
        """
        ...

    def report(self, agent: str, status: AgentStatus) -> None:
        """Replace what the live table shows of this agent. Never blocks on other agents."""
        ...

    def finish(self, agent: str, summary: AgentSummary) -> None:
        """Hand in what the run came to and leave: the others go on without this agent."""
        ...


class HubError(RuntimeError):
    """The meeting of the agents failed. Its text is a full sentence."""


class AgentFailed(HubError):
    """Another agent failed, so there is nobody to meet. A consequence, never the root cause."""

    def __init__(self, agent: str, cause: str) -> None:
        """Name the agent that failed, and why."""
        super().__init__(agent, cause)
        self.agent = agent
        self.cause = cause

    def __str__(self) -> str:
        return f"Agent {self.agent} failed: {self.cause}"


class SwapTimeout(HubError):
    """Agents did not arrive in time."""

    def __init__(self, missing: tuple[str, ...], place: str, seconds: float, key: str) -> None:
        """Name who is missing, where (such as "step 3"), and the setting that holds the limit."""
        super().__init__(missing, place, seconds, key)
        self.missing = missing
        self.place = place
        self.seconds = seconds
        self.key = key

    def __str__(self) -> str:
        agents = "agent" if len(self.missing) == 1 else "agents"
        return (
            f"Waited {self.seconds:g} s at {self.place} for {agents} {', '.join(self.missing)}. "
            f"If they are only slow, raise {self.key}."
        )


class StepMismatch(HubError):
    """Two agents stand at different steps, so they could wait for each other for ever."""

    def __init__(self, agent: str, step: int, other: str, other_step: int) -> None:
        """Name both agents and where each of them is."""
        super().__init__(agent, step, other, other_step)
        self.agents = (agent, other)
        self.steps = (step, other_step)

    def __str__(self) -> str:
        (agent, other), (step, other_step) = self.agents, self.steps
        return f"Agent {agent} swaps at step {step} while agent {other} waits at step {other_step}."


class PromptMismatch(HubError):
    """Two agents sampled for different problems, so their rewards cannot be compared."""

    def __init__(
        self, step: int, agents: tuple[str, str], position: int, ids: tuple[str | None, str | None]
    ) -> None:
        """Name the first position [0, P) at which they differ; None: that list is shorter."""
        super().__init__(step, agents, position, ids)
        self.step = step
        self.agents = agents
        self.position = position
        self.ids = ids

    def __str__(self) -> str:
        seen = " and ".join(
            f"{agent} sees {'nothing' if problem is None else repr(problem)}"
            for agent, problem in zip(self.agents, self.ids, strict=True)
        )
        return f"Problems differ in step {self.step}, at position {self.position}: {seen}."


def first_difference(
    ours: Sequence[str], theirs: Sequence[str]
) -> tuple[int, str | None, str | None] | None:
    """Return the first position at which two lists of ids differ with both ids, or None."""
    for position in range(max(len(ours), len(theirs))):
        left = ours[position] if position < len(ours) else None
        right = theirs[position] if position < len(theirs) else None
        if left != right:
            return position, left, right
    return None
