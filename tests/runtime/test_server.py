"""The hub across a socket."""

from __future__ import annotations

import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from hacpo.callbacks.hub import AgentFailed, HubError, PromptMismatch
from hacpo.runtime.client import HubClient
from hacpo.runtime.hub import RolloutHub
from hacpo.runtime.server import HubServer
from hacpo.types import AgentRollouts, AgentStatus, AgentSummary, Phase

Make = Callable[..., AgentRollouts]


@pytest.fixture
def hub() -> RolloutHub:
    return RolloutHub(("a", "b"), start_timeout_s=5, swap_timeout_s=5)


@pytest.fixture
def server(hub: RolloutHub) -> Iterator[HubServer]:
    with HubServer(hub) as server:
        yield server
    hub.close()


def test_a_whole_run_over_the_socket(
    hub: RolloutHub, server: HubServer, make_rollouts: Make, summary: AgentSummary
) -> None:
    def learn(name: str) -> list[dict[str, AgentRollouts]]:
        client = HubClient(server.address)
        client.join(name)
        met = [client.swap(make_rollouts(name, step)) for step in range(3)]
        client.report(name, AgentStatus(phase=Phase.TRAIN, step=3))
        client.finish(name, summary)
        return met

    with ThreadPoolExecutor(2) as pool:
        a, b = pool.map(learn, ("a", "b"))
    assert a == b == [{n: make_rollouts(n, step) for n in ("a", "b")} for step in range(3)]
    assert hub.summaries() == {"a": summary, "b": summary}


def test_a_report_passes_while_the_same_client_waits(
    hub: RolloutHub, server: HubServer, make_rollouts: Make
) -> None:
    client = HubClient(server.address)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.swap, make_rollouts("a", 0))
        client.report("a", AgentStatus(phase=Phase.TRAIN, step=1))
        assert hub.statuses()["a"].step == 1
        assert not waiting.done()
        client.fail("b", "gone")
        with pytest.raises(AgentFailed, match="Agent b failed: gone"):
            waiting.result(timeout=5)


def test_errors_arrive_as_the_same_class(
    hub: RolloutHub, server: HubServer, make_rollouts: Make
) -> None:
    client = HubClient(server.address)
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(client.swap, make_rollouts("a", 0, ("p",)))
        while hub.open_meetings() == 0:
            time.sleep(0.005)
        with pytest.raises(PromptMismatch) as late:
            client.swap(make_rollouts("b", 0, ("q",)))
        assert late.value.ids == ("q", "p")
        assert str(early.exception(timeout=5)) == str(late.value)


def test_a_wrong_key_is_refused(hub: RolloutHub, server: HubServer) -> None:
    stranger = HubClient(replace(server.address, key=b"x" * 32))
    with pytest.raises(HubError, match="refused the key"):
        stranger.report("a", AgentStatus(phase=Phase.TRAIN))
    assert hub.statuses() == {}
    HubClient(server.address).report("a", AgentStatus(phase=Phase.LOAD))
    assert hub.statuses()["a"].phase is Phase.LOAD


def test_a_silent_caller_locks_nobody_out(hub: RolloutHub, server: HubServer) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(server.address.address))
        HubClient(server.address).report("a", AgentStatus(phase=Phase.LOAD))
    assert "a" in hub.statuses()


def test_only_the_hubs_methods_are_served(server: HubServer) -> None:
    with pytest.raises(HubError, match="no method 'close'"):
        HubClient(server.address)._call("close")
    with pytest.raises(HubError, match="failed in join: TypeError"):
        HubClient(server.address)._call("join")


def test_the_socket_is_private_and_removed(hub: RolloutHub) -> None:
    with HubServer(hub) as server:
        folder = Path(str(server.address.address)).parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert server.address.key.hex() not in repr(server.address)
    assert not folder.exists()


def test_closing_leaves_no_thread_and_no_descriptor(hub: RolloutHub) -> None:
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with HubServer(hub) as server:
            client = HubClient(server.address)
            client.report("a", AgentStatus(phase=Phase.LOAD))
        del client
    deadline = time.monotonic() + 2
    while threading.active_count() > threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_loopback_where_a_path_is_too_long(
    hub: RolloutHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with HubServer(hub) as server:
        assert server.address.address[0] == "127.0.0.1"
        HubClient(server.address).report("a", AgentStatus(phase=Phase.LOAD))
        stranger = HubClient(replace(server.address, key=b"x" * 32))
        with pytest.raises(HubError, match="refused the key"):
            stranger.join("a")
    assert "a" in hub.statuses()


def test_a_client_without_a_server_says_so(hub: RolloutHub) -> None:
    with HubServer(hub) as server:
        address = server.address
    with pytest.raises(HubError, match="does not answer"):
        HubClient(address).join("a")
