from contextlib import ExitStack

import httpx
import pytest

from tests.rag_server.conftest import World


@pytest.fixture(scope="module")
def edges():
    """Return the addresses of an edge and of an exposed one, by `exposed`."""
    with ExitStack() as stack:
        world = World(stack)
        yield {exposed: world.edge("http://127.0.0.1:9", exposed=exposed) for exposed in (0, 1)}


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8001", True),
        ("localhost", True),
        ("LOCALHOST:80", True),
        ("[::1]:8001", True),
        ("127.8.8.8", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("evil.example:127", False),
        ("127.0.0.1@evil.example", False),
        ("evil.example@127.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("192.168.0.4", False),
        ("[", False),
        ("", False),
    ],
)
def test_only_loopback_hosts_are_answered(edges, host, allowed):
    response = httpx.get(f"{edges[False]}/healthz", headers={"host": host})
    assert (response.status_code == 200) is allowed
    if response.status_code == 403:
        assert response.json()["error"]["code"] == "forbidden"


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("http://localhost:3000", True),
        ("http://127.0.0.1", True),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
        ("http://localhost.evil.example", False),
    ],
)
@pytest.mark.parametrize("exposed", [False, True])
def test_only_loopback_origins_are_answered_exposed_or_not(edges, origin, allowed, exposed):
    response = httpx.get(f"{edges[exposed]}/healthz", headers={"origin": origin})
    assert response.status_code == (200 if allowed else 403)


def test_an_exposed_edge_answers_to_other_names(edges):
    assert httpx.get(f"{edges[True]}/healthz", headers={"host": "edge.lan"}).status_code == 200
