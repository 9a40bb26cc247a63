"""Limits of the HTTP protocol, by bytes over real sockets."""

import json
import socket
import time
from contextlib import contextmanager, suppress

import httpx
import pytest

from sage_rag.common.web import protocol
from sage_rag.common.web.testing import running


async def app(scope, receive, send):
    """Answer with the headers that the body of a request comes with, and the body."""
    if scope["type"] != "http":
        return
    body, more = b"", scope["path"] != "/at-once"
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    names = b",".join(name for name, _ in scope["headers"])
    headers = [(b"content-length", str(len(body)).encode()), (b"x-names", names)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Connection(socket.socket):
    """A connection that reads one answer after the other."""

    __slots__ = ("arrived",)

    def __init__(self):
        super().__init__()
        # Small, so that what was sent has also been read by the other side, but for this much.
        self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)
        self.settimeout(20)
        self.arrived = b""

    def read_until(self, done):
        while not done(self.arrived):
            if not (piece := self.recv(65_536)):
                raise EOFError(self.arrived)
            self.arrived += piece


@contextmanager
def connected(url):
    with Connection() as client:
        client.connect(("127.0.0.1", httpx.URL(url).port))
        yield client


def answer(client):
    """Return the status, the headers and the body of the next answer."""
    client.read_until(lambda arrived: b"\r\n\r\n" in arrived)
    head, _, client.arrived = client.arrived.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    length = int(headers["content-length"])
    client.read_until(lambda arrived: len(arrived) >= length)
    body, client.arrived = client.arrived[:length], client.arrived[length:]
    return int(first.split()[1]), headers, body


def closes(client):
    try:
        return client.recv(100) == b""
    except ConnectionResetError:  # bytes that were on their way
        return True


def send(client, data):
    """Send as much as the other side takes."""
    try:
        client.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        return


GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\n"
FORBIDDEN = {
    "a long header": GET + b"A: " + b"a" * 40_000 + b"\r\n\r\n",
    "many headers": GET + b"A: a\r\n" * 8_000 + b"\r\n",
    "a long address": b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": GET + b"Host: y\r\n\r\n",
    "a tunnel": b"CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a space before a colon": GET + b"A : a\r\n\r\n",
    "a folded header": GET + b"A: a\r\n b\r\n\r\n",
    "bytes that are no request": b"\x16\x03\x01\x02\x00\x01",
}


@pytest.mark.parametrize("request_bytes", FORBIDDEN.values(), ids=FORBIDDEN)
def test_it_is_refused_with_400_and_the_connection_closed(request_bytes):
    with running(app) as url, connected(url) as client:
        client.sendall(request_bytes)
        status, headers, body = answer(client)
        assert (status, headers["content-type"]) == (400, "application/json")
        error = json.loads(body)["error"]
        assert (error["type"], error["code"]) == ("invalid_request_error", "invalid_http")
        assert "no valid HTTP/1.1" in error["message"]
        assert closes(client)


def test_headers_within_the_limit_are_read():
    with running(app) as url, connected(url) as client:
        client.sendall(GET + b"A: " + b"a" * 30_000 + b"\r\n\r\n")
        assert answer(client)[0] == 200


@pytest.mark.parametrize(
    "begin",
    [GET + b"A: ", b"GET /", b"", POST + b"Transfer-Encoding: chunked\r\n\r\n1;"],
    ids=["header", "address", "line ends", "chunk extension"],
)
def test_a_megabyte_that_never_ends_is_not_kept(begin):
    piece = (b"a" if begin else b"\r\n") * 8_192
    with running(app) as url, connected(url) as client:
        send(client, begin)
        sent = 0
        while sent < 1_000_000:
            try:
                sent += client.send(piece)
                time.sleep(0.001)  # until the other side has read it
            except (BrokenPipeError, ConnectionResetError):
                break
        assert sent < 1_000_000


def test_trailers_without_an_end_are_not_kept_and_do_not_become_headers():
    begin = POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
    with running(app) as url, connected(url) as client:
        client.sendall(begin + b"X-Trailer: 1\r\n\r\n")
        status, headers, body = answer(client)
        assert (status, body, headers["x-names"]) == (200, b"a", "host,transfer-encoding")
        client.sendall(begin)
        for _ in range(200):
            send(client, b"X-Trailer: 1\r\n" * 500)
        assert answer(client)[0] == 400
        assert closes(client)


def test_a_body_in_small_chunks_is_no_framing():
    with running(app) as url, connected(url) as client:
        client.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(100):
            client.sendall(b"1\r\na\r\n" * 200)
        client.sendall(b"0\r\n\r\n")
        assert answer(client)[2] == b"a" * 20_000


def test_many_waiting_requests_of_one_connection_are_refused():
    with running(app) as url, connected(url) as client:
        client.sendall((GET + b"\r\n") * 5)
        assert [answer(client)[0] for _ in range(5)] == [200] * 5
        send(client, (GET + b"\r\n") * 1_000)
        with suppress(ConnectionResetError, EOFError):
            client.read_until(lambda arrived: False)
        assert client.arrived.count(b"HTTP/1.1 200") <= 9


@pytest.mark.parametrize("offer", [b"h2c", b"websocket"])
def test_an_offer_of_another_protocol_is_ignored_and_the_body_read(offer):
    """As the HTTP client of Java sends it by default."""
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: " + offer + b"\r\n"
    bodies = [
        b"Content-Length: 5\r\n\r\nhello",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    ]
    with running(app) as url, connected(url) as client:
        for body in bodies:
            client.sendall(POST + upgrade + body + GET + upgrade + b"\r\n" + GET + b"\r\n")
            assert [answer(client)[2] for _ in range(3)] == [b"hello", b"", b""]
        head, body = POST + upgrade + b"Content-Length: 5\r\n\r\n", b"hello"
        for byte in head + body:
            client.sendall(bytes([byte]))
        assert answer(client)[2] == b"hello"


def test_a_connection_that_never_sends_its_headers_is_closed(monkeypatch):
    monkeypatch.setattr(protocol, "_MAX_HEADER_S", 0.1)
    with running(app) as url, connected(url) as client:
        client.sendall(GET)
        assert closes(client)


def test_a_byte_at_a_time_does_not_extend_the_limit(monkeypatch):
    monkeypatch.setattr(protocol, "_MAX_HEADER_S", 0.3)
    with running(app) as url, connected(url) as client:
        client.settimeout(0.02)
        send(client, GET + b"A: ")
        for _ in range(500):
            send(client, b"a")
            try:
                assert closes(client)
                return
            except TimeoutError:
                continue
        pytest.fail("it is still open")


def test_a_later_request_has_the_same_limit(monkeypatch):
    with running(app) as url, connected(url) as client:
        for _ in range(2):
            client.sendall(GET + b"\r\n")
            assert answer(client)[0] == 200
        monkeypatch.setattr(protocol, "_MAX_HEADER_S", 0.0)
        client.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert closes(client)


@pytest.mark.parametrize("rest", [b"\r\n", b"1"])
def test_bytes_between_requests_and_after_an_answer_have_the_same_limit(monkeypatch, rest):
    head = b"POST /at-once HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
    with running(app) as url, connected(url) as client:
        client.sendall(head + (b"123456789" if rest == b"\r\n" else b""))
        assert answer(client)[0] == 200
        monkeypatch.setattr(protocol, "_MAX_HEADER_S", 0.0)
        client.sendall(rest)
        assert closes(client)


def test_a_request_without_limits_left_is_answered_on_an_open_connection(monkeypatch):
    """The limit of headers does not end a request whose answer takes longer."""
    monkeypatch.setattr(protocol, "_MAX_HEADER_S", 1.0)
    with running(app) as url, connected(url) as client:
        client.sendall(POST + b"Content-Length: 2\r\n\r\na")
        time.sleep(1.3)
        client.sendall(b"b")
        assert answer(client)[2] == b"ab"
