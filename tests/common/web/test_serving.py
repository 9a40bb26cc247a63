import re
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.web.serving import address_of, bind, is_loopback

PROGRAM = textwrap.dedent("""
    import asyncio, signal, sys
    # A shell's background job is started deaf to it, and hands that down.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from sage_rag.common.web.serving import Serving, run_server

    async def app(scope, receive, send):
        if scope["type"] != "http":
            raise RuntimeError
        if scope["path"] == "/fail":
            raise RuntimeError("canary in a message")
        if scope["path"] == "/slow":
            print("asked", flush=True)
            await asyncio.sleep(0.5)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    serving = Serving(sys.argv[1], int(sys.argv[2]))
    run_server(app, serving, lambda address: print("listening on", address, flush=True))
    print("ended", flush=True)
""")


@contextmanager
def process(host: str = "127.0.0.1") -> Iterator[tuple[subprocess.Popen, str]]:
    line = [sys.executable, "-c", PROGRAM, host, "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(line, **pipes) as running:
        try:
            first = running.stdout.readline()
            yield running, re.fullmatch(r"listening on (\S+)\n", first).group(1)
        finally:
            running.kill()


def test_it_says_where_it_listens_once_it_answers_and_sigterm_ends_it_with_0():
    with process() as (running, address):
        assert httpx.get(f"{address}/path-canary?q=canary").status_code == 204
        running.send_signal(signal.SIGTERM)
        out, logged = running.communicate(timeout=10)
        assert (running.returncode, out) == (0, "ended\n")
        assert "canary" not in logged


def test_sigint_ends_it_as_an_interrupt():
    with process() as (running, _):
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=10)
        assert running.returncode in (130, -signal.SIGINT)


def test_an_exception_is_logged_by_its_type_only():
    with process() as (running, address):
        assert httpx.get(f"{address}/fail").status_code == 500
        running.send_signal(signal.SIGTERM)
        _, logged = running.communicate(timeout=10)
        assert "(RuntimeError)" in logged
        assert "canary" not in logged


def test_a_body_that_breaks_off_after_the_answer_is_one_line_of_the_log():
    head = b"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with process() as (running, address):
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port)) as client:
            client.sendall(head + b"5\r\nbegin\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 204")
            client.sendall(b"canary, not the size of a chunk\r\n")
            assert client.recv(100) == b"", "closed"
        running.send_signal(signal.SIGTERM)
        _, logged = running.communicate(timeout=10)
        assert len(logged.splitlines()) == 1
        assert "canary" not in logged


def test_answers_do_not_wait_for_acknowledgements():
    with bind("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP, "else asyncio leaves Nagle's algorithm on"


def test_a_port_in_use_is_one_line_with_a_hint():
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} on 127.0.0.1 is in use") as caught:
            bind("127.0.0.1", port)
    assert "--port" in caught.value.hint


def test_an_address_that_is_not_ours_is_refused():
    with pytest.raises(InputError):
        bind("203.0.113.7", 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_an_ipv6_address_is_written_as_a_url():
    try:
        listener = bind("::1", 0)
    except InputError:
        pytest.skip("no IPv6 loopback here")
    with listener:
        assert re.fullmatch(r"http://\[::1\]:\d+", address_of(listener))


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),  # noqa: S104
        ("10.0.0.1", False),
        ("example.org", False),
        ("", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_loopback_is_told_from_the_rest(host, loopback):
    assert is_loopback(host) is loopback


def test_sigterm_lets_an_open_request_end():
    with process() as (running, url), ThreadPoolExecutor(1) as clients:
        answer = clients.submit(httpx.get, url + "/slow")
        assert running.stdout.readline().strip() == "asked"
        running.send_signal(signal.SIGTERM)
        assert answer.result(10).status_code == 204
        assert running.wait(10) == 0
