"""The hub as a remote object inside an agent's process."""

from __future__ import annotations

import threading
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from typing import Any, cast

from hacpo.callbacks.hub import HubError
from hacpo.runtime.server import HubAddress
from hacpo.types import AgentRollouts, AgentStatus, AgentSummary


class HubClient:
    """Implements `hacpo.callbacks.hub.Hub` over a socket.

    It connects at the first call, once per calling thread, so a thread that waits in `swap` does
    not hold up another one's `report`. What the hub raises is raised here as the same class.
    """

    def __init__(self, address: HubAddress) -> None:
        """Remember where the hub is; nothing is opened yet."""
        self._address = address
        self._local = threading.local()

    def join(self, agent: str) -> None:
        """See `Hub.join`."""
        self._call("join", agent)

    def swap(self, rollouts: AgentRollouts) -> dict[str, AgentRollouts]:
        """See `Hub.swap`."""
        return cast("dict[str, AgentRollouts]", self._call("swap", rollouts))

    def report(self, agent: str, status: AgentStatus) -> None:
        """See `Hub.report`."""
        self._call("report", agent, status)

    def finish(self, agent: str, summary: AgentSummary) -> None:
        """See `Hub.finish`."""
        self._call("finish", agent, summary)

    def fail(self, agent: str, cause: str) -> None:
        """Tell the hub that this agent cannot go on; its process calls it, not the agent's code."""
        self._call("fail", agent, cause)

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            connection = self._borrow()
            connection.send((method, arguments))
            succeeded, answer = connection.recv()
        except AuthenticationError as error:
            raise HubError("The hub refused the key of this process.") from error
        except (EOFError, OSError) as error:
            raise HubError(f"The hub does not answer ({error!r}): the run has ended.") from error
        # Only now: after an interrupted call the old answer would be taken for the next one's.
        self._local.connection = connection
        if succeeded:
            return answer
        raise answer

    def _borrow(self) -> Connection[Any, Any]:
        """Take this thread's connection, or open one."""
        connection = vars(self._local).pop("connection", None)
        if connection is None:
            connection = Client(self._address.address, authkey=self._address.key)
        return cast("Connection[Any, Any]", connection)
