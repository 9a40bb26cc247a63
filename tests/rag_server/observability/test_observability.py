import json
import logging
import time

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.web.serving import configure_logging
from sage_rag.privacy.entities import EntityType
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, Scope, add_key, make_key
from sage_rag.rag_server.answering.protocols import Piece
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
    world.http.post(url + CHAT, json=body, headers=headers)
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


@pytest.mark.parametrize("stream", [False, True])
def test_tokens_of_an_answer_that_breaks_off_count(world: World, tmp_path, stream):
    plain, stored = make_key("ward 3", frozenset({Scope.CHAT}), tokens_per_day=10)
    add_key(tmp_path / "tokens", stored)
    answerer = ScriptedAnswerer([Piece("one two three "), Piece("four"), RuntimeError("gone")])
    gate = Gate(KeyFile(tmp_path / "tokens"))
    url = world.serve(answerer, gate=gate, audit=AuditLog(tmp_path / "audit.jsonl"))
    headers = {"authorization": f"Bearer {plain}"}
    found = [
        world.http.post(url + CHAT, json=ask(stream=stream), headers=headers).status_code
        for _ in range(2)
    ]
    assert found == [200 if stream else 500, 429]
    answered = [e for e in entries(tmp_path / "audit.jsonl", 2) if e["status"] != 429]
    assert [e["tokens"] for e in answered] == [10]


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
