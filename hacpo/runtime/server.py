"""Serve a hub to other processes from threads of this one.

One connection per calling thread, one thread per connection: a call that waits in the barrier
blocks nobody else. The socket is a file in a private folder, or a port of the loopback interface
where there are no such sockets; either way a caller must know the random key before anything that
it sends is unpickled.

`multiprocessing.managers` offers the same, but its server cannot be closed: its accepting thread
lives on after every run, and it resets `sys.stdout`, which a sweep and a live table do not survive.
"""

from __future__ import annotations

import secrets
import shutil
import socket
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any

from hacpo.callbacks.hub import HubError
from hacpo.runtime.hub import RolloutHub

SERVED = frozenset({"join", "swap", "report", "finish", "fail"})
"""The hub's methods that a client may call."""

_MAX_SOCKET_PATH = 100
"""Bytes that every system takes as the path of a socket (Linux: 107, macOS: 103)."""
_KEY_BYTES = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class HubAddress:
    """Where a hub is served, and the key that opens it."""

    address: str | tuple[str, int]
    key: bytes = field(repr=False)


class HubServer:
    """A running server of one hub; closes as a context manager."""

    def __init__(self, hub: RolloutHub) -> None:
        """Start to listen; the clients find it at `self.address`."""
        self._hub = hub
        self._closing = Event()
        self._folder = Path(tempfile.mkdtemp(prefix="hacpo-"))  # mode 0700
        self._listener = _listen(self._folder / "hub")
        self.address = HubAddress(
            address=self._listener.address, key=secrets.token_bytes(_KEY_BYTES)
        )
        self._thread = Thread(target=self._accept, name="hub", daemon=True)
        self._thread.start()

    def __enter__(self) -> HubServer:
        """Return the running server."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop listening."""
        self.close()

    def close(self) -> None:
        """Stop listening and remove the socket. Open connections end when their clients do."""
        if self._closing.is_set():
            return
        self._closing.set()
        with suppress(OSError):  # the socket's file may be gone; the thread is a daemon
            Client(self.address.address).close()  # wakes the accepting thread
            self._thread.join()
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        while not self._closing.is_set():
            connection = self._listener.accept()
            if self._closing.is_set():
                connection.close()
            else:
                Thread(target=self._serve, args=(connection,), name="hub call", daemon=True).start()

    def _serve(self, connection: Connection[Any, Any]) -> None:
        """Answer one client until it hangs up."""
        with connection:
            try:
                # Here and not in accept(): a client that stays silent must not lock out others.
                deliver_challenge(connection, self.address.key)
                answer_challenge(connection, self.address.key)
                while True:
                    method, arguments = connection.recv()
                    connection.send(self._call(method, arguments))
            except (AuthenticationError, EOFError, OSError):
                return

    def _call(self, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Return (True, result) or (False, exception), always an exception the client can raise."""
        if method not in SERVED:
            return False, HubError(f"The hub has no method {method!r}.")
        try:
            return True, getattr(self._hub, method)(*arguments)
        except HubError as error:
            return False, error
        except Exception as error:  # a fault of the hub itself: tell, and keep serving
            return False, HubError(f"The hub failed in {method}: {type(error).__name__}: {error}")


def _listen(path: Path) -> Listener:
    if hasattr(socket, "AF_UNIX") and len(bytes(path)) <= _MAX_SOCKET_PATH:
        return Listener(str(path), family="AF_UNIX", backlog=64)
    return Listener(("127.0.0.1", 0), family="AF_INET", backlog=64)
