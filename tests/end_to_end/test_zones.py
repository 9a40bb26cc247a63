"""The promise: a server in its own process never holds, maps, logs or says a private value."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import openai
import pytest

from sage_rag.privacy.tokens import TOKEN
from tests.end_to_end.command import PASSPHRASE, environment, sage_rag
from tests.end_to_end.conftest import CANARIES, Zones, secrets

pytestmark = pytest.mark.slow
NAMES = sorted(CANARIES)


def client(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{url}/v1", api_key="unused", max_retries=0)


def question(name: str) -> str:
    return f"What was {name} told to do about the {CANARIES[name][0]}?"


def held(content: bytes) -> list[str]:
    """Return the canaries that stand in a content, in any case."""
    return [s for s in secrets() if s.lower().encode() in content.lower()]


def answered(url: str, text: str) -> str:
    with client(url) as asking:
        completion = asking.chat.completions.create(
            model="clinic", messages=[{"role": "user", "content": text}]
        )
    return completion.choices[0].message.content or ""


def streamed(url: str, text: str) -> str:
    with client(url) as asking:
        chunks = asking.chat.completions.create(
            model="clinic", messages=[{"role": "user", "content": text}], stream=True
        )
        return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)


@pytest.mark.parametrize("name", NAMES)
def test_the_edge_shows_every_canary_and_the_server_none(zones: Zones, name: str) -> None:
    plain = answered(zones.edge.url, question(name))
    assert name in plain
    sealed = answered(zones.server.url, TOKEN.sub("", question(name)))
    assert held(sealed.encode()) == []
    assert "unreadable" not in plain


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_says_what_the_whole_answer_says(zones: Zones, name: str) -> None:
    assert streamed(zones.edge.url, question(name)) == answered(zones.edge.url, question(name))


def test_what_leaves_the_edge_holds_no_canary(zones: Zones) -> None:
    for name in NAMES:
        body = {"model": "clinic", "input": question(name)}
        sent = httpx.post(f"{zones.edge.url}/v1/pseudonymize", json=body).json()["output"]
        assert held(sent.encode()) == []
        assert TOKEN.search(sent)


def test_the_servers_home_holds_no_canary(zones: Zones) -> None:
    files = [p for p in zones.server_home.rglob("*") if p.is_file()]
    assert len(files) >= 8
    for path in files:
        assert held(path.read_bytes()) == [], path
        assert held(path.as_posix().encode()) == []


def test_what_the_server_maps_into_memory_holds_no_canary(zones: Zones) -> None:
    answered(zones.edge.url, question(NAMES[0]))
    maps = Path(f"/proc/{zones.server.pid}/maps")
    if not maps.exists():
        pytest.skip("needs /proc")
    home = re.escape(str(zones.server_home))
    mapped = set(re.findall(rf"{home}\S*", maps.read_text()))
    assert any(name.endswith("passages.jsonl") for name in mapped)
    for name in mapped:
        assert held(Path(name).read_bytes()) == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"model": "clinic", "messages": "Zebulon Quackenbush"}),
        ("/v1/chat/completions", {"model": "Quackenbush", "messages": []}),
        ("/v1/chat/completions", {"model": "clinic", "messages": [{"role": "Quackenbush"}]}),
        ("/v1/nothing", {"Quackenbush": 1}),
    ],
)
def test_errors_are_errors_and_repeat_nothing(
    zones: Zones, path: str, body: dict[str, object]
) -> None:
    for url in (zones.server.url, zones.edge.url):
        response = httpx.post(url + path, json=body)
        assert 400 <= response.status_code < 500
        assert response.json()["error"]["message"]
        assert held(response.content) == []


def test_neither_log_holds_a_canary_a_question_or_a_key(zones: Zones) -> None:
    answered(zones.edge.url, question(NAMES[1]))
    for log in (zones.server.log, zones.edge.log):
        content = log.read_bytes()
        assert b"listening on" in content
        assert held(content) == []
        assert PASSPHRASE.encode() not in content


def test_citations_name_the_owners_documents_at_the_edge_alone(zones: Zones) -> None:
    body = {"model": "clinic", "messages": [{"role": "user", "content": question(NAMES[0])}]}
    at_edge = httpx.post(f"{zones.edge.url}/v1/chat/completions", json=body, timeout=60).json()
    last = NAMES[0].split()[1]
    assert f"canary-file-{last}" in [c["source"] for c in at_edge["citations"]]
    body["messages"][0]["content"] = f"about the {CANARIES[NAMES[0]][0]}"  # type: ignore[index]
    at_server = httpx.post(f"{zones.server.url}/v1/chat/completions", json=body, timeout=60).json()
    assert all(TOKEN.fullmatch(c["source"]) for c in at_server["citations"])


def test_the_models_are_the_corpora(zones: Zones) -> None:
    for url in (zones.server.url, zones.edge.url):
        with client(url) as asking:
            assert [m.id for m in asking.models.list()] == ["clinic"]


def test_the_owners_ledger_and_lists_hold_no_canary_either(zones: Zones) -> None:
    for path in (zones.owner / "owner").rglob("*"):
        if path.is_file():
            assert held(path.read_bytes()) == [], path


def test_the_server_refuses_a_home_with_a_keyset_in_it(zones: Zones, tmp_path: Path) -> None:
    home = tmp_path / "home" / "deep" / "down"
    home.mkdir(parents=True)
    (home / "notes.bin").write_bytes(zones.keyset.read_bytes())
    ended = sage_rag("serve", "--home", str(tmp_path / "home"), "--port", "0")
    assert ended.returncode == 4
    assert "keyset" in ended.stderr
    assert "hint:" in ended.stderr


def test_the_edge_does_not_start_with_a_wrong_passphrase(zones: Zones) -> None:
    ended = sage_rag(
        "edge", "--server", zones.server.url, "--keyset", str(zones.keyset), "--port", "0",
        env=environment(SAGE_RAG_PASSPHRASE="wrong"),
    )  # fmt: skip
    assert ended.returncode == 3
    assert ended.stderr.startswith("error: ")
    assert "Traceback" not in ended.stderr


def test_ask_prints_the_answer_and_its_sources(zones: Zones) -> None:
    ended = sage_rag("ask", question(NAMES[2]), "--url", f"{zones.edge.url}/v1", "--show-sent")
    assert ended.returncode == 0, ended.stderr
    assert NAMES[2] in ended.stdout
    assert "canary-file-" in ended.stdout
    assert "PERSON_[" in ended.stderr
    assert held(ended.stderr.encode()) == []
