import asyncio
import json
import logging
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.common.web.errors import ApiError
from sage_rag.common.web.serving import configure_logging
from sage_rag.privacy.entities import EntityType
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, Scope, add_key, make_key
from sage_rag.rag_server.answering.condensing import CondensedQuestion
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.completions import CompletionUsage
from sage_rag.rag_server.observability.audit import AuditLog
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedAnswerer

CHAT = "/v1/chat/completions"
CANARY = "Maria Keller"


def entries(file, count: int) -> list[dict]:
    """Return the lines of a log once it has `count`: a line is written after its response."""
    until = time.monotonic() + 5
    while len(lines := file.read_text().splitlines() if file.exists() else []) < count:
        assert time.monotonic() < until, lines
        time.sleep(0.005)
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("stream", [False, True])
def test_a_line_says_who_asked_what_and_when_and_no_text(world: World, tmp_path, stream):
    file = tmp_path / "log" / "audit.jsonl"
    plain, stored = make_key("ward 3", frozenset({Scope.CHAT}))
    add_key(tmp_path / "tokens", stored)
    answerer = ScriptedAnswerer([Piece(f"{CANARY} [1]"), Piece("", "stop")])
    gate = Gate(KeyFile(tmp_path / "tokens"))
    url = world.serve(answerer, gate=gate, audit=AuditLog(file))
    headers = {"authorization": f"Bearer {plain}"}
    body = ask(f"what helps {CANARY} against a cold?", stream=stream)
    told = world.http.post(url + CHAT, json=body, headers=headers).headers["x-request-id"]
    world.http.post(url + CHAT, json=body)
    world.http.get(f"{url}/v1/models/{CANARY}", headers=headers)
    world.http.get(f"{url}/{CANARY}", headers=headers)
    world.http.get(url + "/healthz")
    found = {(e["path"], e["status"]): e for e in entries(file, 4)}  # in no fixed order
    asked, refused = found[CHAT, 200], found["-", 401]
    assert {k: asked[k] for k in ("key", "name", "path", "status", "version")} == {
        "key": stored.id,
        "name": "ward 3",
        "path": CHAT,
        "status": 200,
        "version": "clinic@1",
    }
    assert asked["request"] == told
    assert asked["passages"] == ["p0", "p1"]
    assert asked["tokens"] > 0
    assert asked["time"].endswith("+00:00")
    assert refused["key"] == "-"
    assert found.keys() - {(CHAT, 200), ("-", 401)} == {("/v1/models/{model}", 404), ("-", 404)}
    assert CANARY not in file.read_text()
    assert plain not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_the_edge_writes_a_log_too(world: World, tmp_path):
    file = tmp_path / "audit.jsonl"
    url = world.edge(world.serve(), audit=AuditLog(file))
    world.http.post(url + CHAT, json=ask(f"what helps {CANARY}?"))
    world.http.post(url + CHAT, json=ask(CANARY, model="nope"))
    for model in ("clinic", "nope"):
        world.http.post(f"{url}/v1/embeddings", json={"model": model, "input": CANARY})
    found = {(e["path"], e["status"], e["version"]) for e in entries(file, 4)}
    paths = (CHAT, "/v1/embeddings")
    assert found == {(p, *end) for p in paths for end in ((200, "clinic"), (404, "-"))}
    assert CANARY not in file.read_text()


def test_a_log_that_cannot_be_written_stops_the_start(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="audit log"):
        AuditLog(tmp_path / "file" / "audit.jsonl")


def test_metrics_count_requests_stages_and_tokens(world: World):
    url = world.serve()
    for stream in (False, True):
        world.http.post(url + CHAT, json=ask(stream=stream))
    world.http.post(url + CHAT, json=ask(model=CANARY))
    shown = world.http.get(url + "/metrics")
    while 'status="404"' not in shown.text:  # counted after the response
        shown = world.http.get(url + "/metrics")
    assert shown.headers["content-type"].startswith("text/plain")
    for line in (
        'sage_rag_request_seconds_count{path="/v1/chat/completions",status="200"} 2.0',
        'sage_rag_request_seconds_count{path="/v1/chat/completions",status="404"} 1.0',
        'sage_rag_stage_seconds_count{stage="search"} 3.0',
        'sage_rag_pending_work{pool="search"} 0.0',
        'sage_rag_tokens_total{kind="completion"} 12.0',
    ):
        assert line in shown.text
    assert CANARY not in shown.text


@dataclass
class Metered:
    """A server whose one key has a budget of 10 tokens a day, and its audit log."""

    world: World
    url: str
    headers: dict[str, str]
    audit: Path

    def post(self, path: str = CHAT, **body) -> httpx.Response:
        return self.world.http.post(self.url + path, json=body, headers=self.headers)

    def tokens(self) -> list[int]:
        """The tokens of each request that was not refused for the budget."""
        return [e.get("tokens", 0) for e in entries(self.audit, 2) if e["status"] != 429]


def metered(world: World, folder: Path, answerer=None, **settings) -> Metered:
    plain, stored = make_key("ward 3", frozenset({Scope.CHAT, Scope.ADMIN}), tokens_per_day=10)
    add_key(folder / "tokens", stored)
    gate, audit = Gate(KeyFile(folder / "tokens")), folder / "audit.jsonl"
    url = world.serve(answerer, gate=gate, audit=AuditLog(audit), **settings)
    return Metered(world, url, {"authorization": f"Bearer {plain}"}, audit)


LONG = ask("one two three four five six seven eight nine ten")


@pytest.mark.parametrize("stream", [False, True])
def test_tokens_of_an_answer_that_breaks_off_count(world: World, tmp_path, stream):
    script = [Piece("one two three "), Piece("four"), RuntimeError("gone")]
    server = metered(world, tmp_path, ScriptedAnswerer(script))
    found = [server.post(**ask(stream=stream)).status_code for _ in range(2)]
    assert found == [200 if stream else 500, 429]
    assert server.tokens() == [10]


@pytest.mark.parametrize("stream", [False, True])
def test_a_question_counts_whose_model_fails_before_it_answers(world: World, tmp_path, stream):
    server = metered(world, tmp_path, ScriptedAnswerer([UpstreamError("the model is away")]))
    found = [server.post(**LONG, stream=stream).status_code for _ in range(2)]
    assert found == [502, 429]
    assert server.tokens() == [10]


def test_a_question_counts_whose_client_leaves_before_the_answer(world: World, tmp_path):
    started = threading.Event()

    async def think() -> None:
        started.set()
        await asyncio.sleep(60)

    answerer = ScriptedAnswerer([think])
    server = metered(world, tmp_path, answerer)
    with pytest.raises(httpx.ReadTimeout):
        world.http.post(server.url + CHAT, json=LONG, headers=server.headers, timeout=1)
    assert started.is_set()
    assert answerer.cancelled.wait(5)
    assert server.post(**LONG).status_code == 429
    assert server.tokens() == [10]


class Condenser:
    """Condenses a question with 20 tokens."""

    async def condense(self, turns) -> CondensedQuestion:
        return CondensedQuestion("what helps?", usage=CompletionUsage(15, 5))


def test_what_was_spent_on_a_question_counts_where_its_search_fails(world: World, tmp_path):
    server = metered(world, tmp_path, condenser=Condenser())
    found = [server.post(**ask(model="nope")).status_code for _ in range(2)]
    assert found == [404, 429]


def test_a_refused_request_costs_nothing(world: World, tmp_path):
    refusal = ApiError(400, "no passage fits the model's context")
    server = metered(world, tmp_path, ScriptedAnswerer([refusal]))
    embeddings, words = "/v1/embeddings", "word " * 50
    assert server.post(embeddings, model="nope", input=words).status_code == 404
    assert server.post(embeddings, model="clinic", input=words, dimensions=3).status_code == 400
    assert server.post(**ask(words, model="nope")).status_code == 404
    assert server.post(**ask(words)).status_code == 400
    assert server.post(embeddings, model="clinic", input="a b").status_code == 200


def test_tokens_of_embeddings_are_in_audit_log_and_metrics(world: World, tmp_path):
    server = metered(world, tmp_path)
    shown = [
        server.post("/v1/embeddings", model="clinic", input=["rest helps", "a " * 8]).status_code
        for _ in range(2)
    ]
    assert shown == [200, 429]
    assert server.tokens() == [10]
    url = world.serve()
    world.http.post(f"{url}/v1/embeddings", json={"model": "clinic", "input": "rest helps"})
    assert 'sage_rag_tokens_total{kind="prompt"} 2.0' in world.http.get(url + "/metrics").text


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("path", "question"), [("completions", "prompt"), ("responses", "input"), (CHAT, "messages")]
)
def test_each_answer_is_one_line_of_the_log(world: World, caplog, path, question, stream):
    body = {"model": "clinic", question: ask()["messages"] if path == CHAT else "Why?"}
    url = world.serve() + (path if path == CHAT else f"/v1/{path}")
    with caplog.at_level("INFO", "sage_rag"):
        assert world.http.post(url, json={**body, "stream": stream}).status_code == 200
    lines = [r.getMessage() for r in caplog.records if "corpus=clinic" in r.getMessage()]
    assert len(lines) == 1


def test_the_edge_counts_restored_and_damaged_tokens(world: World):
    person = world.keys().hide_whole(CANARY, EntityType.PERSON)
    forged = "PERSON_[" + "A" * 60 + "]"
    answer = ScriptedAnswerer([Piece(f"{person} and {forged}"), Piece("", "stop")])
    url = world.edge(world.serve(answer))
    world.http.post(url + CHAT, json=ask())
    shown = world.http.get(url + "/metrics").text
    outcomes = [line for line in shown.splitlines() if line.startswith("sage_rag_restored_tokens")]
    assert sum(line.endswith(" 1.0") for line in outcomes) == 2
    assert 'sage_rag_stage_seconds_count{stage="pseudonymize"} 1.0' in shown


def test_a_log_line_can_be_json(capsys):
    before = {n: (logging.getLogger(n).handlers, logging.getLogger(n).propagate) for n in NAMES}
    try:
        configure_logging(as_json=True)
        logging.getLogger("sage_rag").info('a "quoted" word')
    finally:
        for name, (handlers, propagate) in before.items():
            logging.getLogger(name).handlers = handlers
            logging.getLogger(name).propagate = propagate
    line = json.loads(capsys.readouterr().err)
    assert (line["level"], line["message"]) == ("INFO", 'a "quoted" word')


NAMES = ("sage_rag", "uvicorn.error", "asyncio")


def test_a_full_disk_is_one_line_and_no_request_is_answered_without_its_entry(
    world: World, tmp_path, caplog
):
    file = tmp_path / "audit.jsonl"
    file.symlink_to("/dev/full")
    url = world.serve(audit=AuditLog(file))
    world.http.post(url + CHAT, json=ask())
    response = world.http.post(url + CHAT, json=ask(CANARY))
    assert response.status_code == 503
    assert response.json()["error"]["code"] == "audit_unavailable"
    assert world.http.get(url + "/healthz").status_code == 200
    assert f"the audit log `{file}` cannot be written: No space left on device" in caplog.text
    assert CANARY not in caplog.text
    file.unlink()
    assert world.http.post(url + CHAT, json=ask()).status_code == 200
    assert [entry["status"] for entry in entries(file, 2)] == [200, 200]


def test_a_line_that_a_killed_process_left_unfinished_spoils_no_other(tmp_path):
    file = tmp_path / "audit.jsonl"
    file.write_text('{"status": 200}\n{"status": 2')
    AuditLog(file).write({"status": 404})
    assert json.loads(file.read_text().splitlines()[-1])["status"] == 404
    AuditLog(file).write({"status": 503})
    assert len(file.read_text().splitlines()) == 4
