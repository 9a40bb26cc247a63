"""Several processes behind one address."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import pytest

PROGRAM = textwrap.dedent("""
    import asyncio, os, sys, time
    from sage_rag.common.web.serving import Serving, run_workers

    def app_of(number):
        if len(sys.argv) > 1:
            if number >= int(sys.argv[1]):
                print("starts", number, flush=True)
                time.sleep(600)
            if len(sys.argv) > 2:
                sys.exit(int(sys.argv[2]))

        async def app(scope, receive, send):
            if scope["type"] != "http":
                raise RuntimeError
            if scope["path"] == "/slow":
                print("asked", flush=True)
                await asyncio.sleep(0.5)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": f"{number} {os.getpid()}".encode()})

        return app

    def ready(address):
        print("listening on", address, flush=True)

    run_workers(2, app_of, Serving("127.0.0.1", 0), ready)
    print("ended", flush=True)
""")


@dataclass
class Server:
    """Two processes and the one that supervises them."""

    process: subprocess.Popen[str]
    url: str

    def asked(self, count: int) -> dict[int, int]:
        """Ask over new connections at once; return the process ids that answered, by number."""
        with httpx.Client() as client:
            texts = [
                client.get(self.url, headers={"connection": "close"}).text for _ in range(count)
            ]
        return {int(number): int(pid) for number, pid in (text.split() for text in texts)}

    def workers(self) -> dict[int, int]:
        """Ask until both processes have answered."""
        end, found = time.monotonic() + 10, self.asked(1)
        while len(found) < 2 and time.monotonic() < end:
            found |= self.asked(5)
        return found


@contextmanager
def started(*arguments: str) -> Iterator[Server]:
    line = [sys.executable, "-c", PROGRAM, *arguments]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            first = re.fullmatch(r"listening on (\S+)\n", run.stdout.readline())
            assert first is not None
            yield Server(run, first.group(1))
        finally:
            run.kill()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_ended(processes: Iterator[int] | list[int]) -> None:
    end = time.monotonic() + 10
    while any(map(is_alive, processes)):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_both_processes_answer_and_sigterm_ends_them_after_open_requests() -> None:
    with started() as server:
        assert set(server.workers()) == {1, 2}
        ask = [sys.executable, "-c", f"import httpx; print(httpx.get('{server.url}/slow').text)"]
        with subprocess.Popen(ask, stdout=subprocess.PIPE, text=True) as asking:
            assert server.process.stdout is not None
            assert server.process.stdout.readline() == "asked\n"
            server.process.send_signal(signal.SIGTERM)
            answer, _ = asking.communicate(timeout=10)
        out, _ = server.process.communicate(timeout=10)
        assert re.fullmatch(r"[12] \d+\n", answer)
        assert (server.process.returncode, out) == (0, "ended\n")


def test_a_process_that_is_killed_is_replaced_while_the_other_one_answers() -> None:
    with started() as server:
        first = server.workers()
        os.kill(first[2], signal.SIGKILL)
        wait_until_ended([first[2]])  # until then its socket takes connections, and resets them
        assert server.asked(5)
        end, again = time.monotonic() + 10, first
        while again[2] == first[2] and time.monotonic() < end:
            again = {**first, **server.asked(5)}
        assert again[2] != first[2]
        assert again[1] == first[1]


def test_the_processes_end_when_their_supervisor_is_killed() -> None:
    with started() as server:
        workers = server.workers()
        server.process.kill()
        wait_until_ended(list(workers.values()))


def test_an_interrupt_ends_all() -> None:
    with started() as server:
        workers = server.workers()
        server.process.send_signal(signal.SIGINT)
        server.process.communicate(timeout=10)
        assert server.process.returncode in (130, -signal.SIGINT)
        wait_until_ended(list(workers.values()))


@pytest.mark.parametrize("status", [2, 3])
def test_a_first_process_that_does_not_start_ends_the_server_with_its_status(status: int) -> None:
    line = [sys.executable, "-c", PROGRAM, "9", str(status)]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=20, check=False)
    assert (ended.returncode, ended.stdout) == (status, "")


@pytest.mark.parametrize(
    ("sleeping", "sent"), [(1, signal.SIGTERM), (2, signal.SIGTERM), (2, signal.SIGINT)]
)
def test_a_signal_while_processes_start_ends_them_at_once(
    sleeping: int, sent: signal.Signals
) -> None:
    line = [sys.executable, "-c", PROGRAM, str(sleeping)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == f"starts {sleeping}\n"
        run.send_signal(sent)
        out, _ = run.communicate(timeout=60)  # the process that starts would sleep on
        assert out == ("ended\n" if sent == signal.SIGTERM else "")
        assert run.returncode in ((0,) if sent == signal.SIGTERM else (130, -signal.SIGINT))
