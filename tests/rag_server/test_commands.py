import json
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
from starlette.responses import JSONResponse, StreamingResponse

from sage_rag.common.web import sse
from sage_rag.privacy.keyset.files import write_keyset
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.cli import GROUP, run
from tests.rag_server.conftest import World
from tests.rag_server.fakes import (
    ScriptedAnswerer,
    ScriptedServer,
    chunk,
    completion,
    streamed,
)

VERBS = [
    EntryPoint(v, f"sage_rag.rag_server.commands:{v}", GROUP) for v in ("serve", "edge", "ask")
]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for name in [n for n in os.environ if n.startswith("SAGE_RAG")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("verb", ["serve", "edge", "ask"])
def test_the_help_of_every_verb_ends_with_an_example(verb, capsys):
    assert run([verb, "--help"], VERBS) == 0
    assert f"Example: sage-rag {verb} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (["serve"], 2, "setting `home`"),
        (["serve", "--home", "/nowhere/home"], 2, "there is no home"),
        (["serve", "--home", ".", "--port", "99999"], 2, "setting `port`"),
        (["edge", "--keyset", "k"], 2, "setting `server`"),
        (["edge", "--server", "http://x", "--keyset", "nope"], 3, "cannot read keyset"),
        (["ask", "why?", "--url", "http://127.0.0.1:9/v1"], 5, "cannot be reached"),
        (["ask", " "], 2, "the question is empty"),
    ],
)
def test_what_cannot_work_says_why_and_what_to_do(line, code, message, capsys):
    assert run(line, VERBS) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: ")
    assert message in shown.err
    assert "\nhint: " in shown.err


SERVE = ["serve", "--home", "."]
EDGE = ["edge", "--server", "http://x", "--keyset", "k"]


@pytest.mark.parametrize(
    ("line", "setting", "flag"),
    [
        (SERVE, "port", "--port"),
        (SERVE, "max_question_chars", None),
        (SERVE, "llm_timeout_s", None),
        (SERVE, "llm_api_key_file", "--api-key-file"),
        (SERVE, "cors_origin", "--cors-origin"),
        (EDGE, "cors_origin", "--cors-origin"),
        (EDGE, "recognizers", "--recognizer"),
        (EDGE, "top_k", None),
        (EDGE, "port", "--port"),
    ],
)
def test_a_setting_that_does_not_fit_names_only_options_that_exist(
    line, setting, flag, capsys, tmp_path
):
    file = tmp_path / "settings.toml"
    file.write_text(f"[{line[0]}]\n{setting} = -1\n")
    assert run([*line, "--config", str(file)], VERBS) == 2
    shown = capsys.readouterr().err
    assert f"setting `{setting}`" in shown
    variable = f"SAGE_RAG_{line[0].upper()}_{setting.upper()}"
    options = f"{flag}, {variable}" if flag else variable
    assert f"hint: set {options}, or `{setting}` in the table [{line[0]}]" in shown


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "example.org", "::"])  # noqa: S104
def test_an_edge_that_others_can_reach_has_to_be_asked_for(host, capsys):
    line = ["edge", "--server", "http://x", "--keyset", "nope", "--host", host]
    assert run(line, VERBS) == 2
    assert "--expose" in capsys.readouterr().err
    assert run([*line, "--expose"], VERBS) == 4
    assert "--tokens" in capsys.readouterr().err
    assert run([*line, "--expose", "--insecure-no-auth"], VERBS) == 3  # goes on to the keyset


def test_a_server_refuses_to_start_beside_a_keyset(tmp_path, capsys):
    write_keyset(tmp_path / "corpora" / "k", Keyset.generate(), "passphrase")
    assert run(["serve", "--home", str(tmp_path)], VERBS) == 4
    assert "is a keyset" in capsys.readouterr().err


def test_a_server_refuses_to_start_with_a_passphrase_around(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SAGE_RAG_PASSPHRASE", "s3cret")
    assert run(["serve", "--home", str(tmp_path)], VERBS) == 4
    shown = capsys.readouterr().err
    assert "SAGE_RAG_PASSPHRASE is set" in shown
    assert "s3cret" not in shown


def edge_over_echo(world: World) -> str:
    """Return an edge whose server cites its one passage."""
    answerer = ScriptedAnswerer([Piece("Take "), Piece("rest [1].")])
    return world.edge(world.serve(answerer)) + "/v1"


def test_a_question_streams_its_answer_and_then_its_sources(world: World, capsys):
    assert run(["ask", "a cold?", "--url", edge_over_echo(world)], VERBS) == 0
    shown = capsys.readouterr()
    assert shown.out == "Take rest [1].\n[1] [SOURCE: unreadable]\n"
    assert shown.err == ""


HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x9b2Jgood\tday\r\n"


def hostile(_) -> StreamingResponse:
    cited = [{"index": 1, "source": f"a{HOSTILE}"}]
    texts = [chunk({"content": HOSTILE[:5]}), chunk({"content": HOSTILE[5:]})]
    end = [chunk({}, "stop", citations=cited), sse.Event(sse.DONE).encode()]
    return streamed([*texts, *end])


def test_a_server_cannot_drive_the_terminal_of_a_user(world: World, capsys, monkeypatch):
    line = ["ask", "x", "--url", world.run(ScriptedServer(hostile)) + "/v1", "--model", "m"]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(line, VERBS) == 0
    shown = capsys.readouterr().out
    assert shown == "]52;c;ZXZpbA==2Jgood\tday\n\n[1] a]52;c;ZXZpbA==2Jgood\tday\n\n"


@pytest.mark.parametrize("more", [["--json"], ["--show-sent"]])
def test_nor_can_what_is_sent_or_a_completion(world: World, capsys, monkeypatch, more):
    def reply(request):
        sent = JSONResponse({"output": HOSTILE})
        return sent if request.path.endswith("pseudonymize") else completion(HOSTILE)

    url = world.run(ScriptedServer(reply)) + "/v1"
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    run(["ask", "x", "--url", url, "--model", "m", *more], VERBS)
    shown = capsys.readouterr()
    assert "good" in shown.out + shown.err
    assert not re.search("[\x1b\x07\x9b\r]", shown.out + shown.err)


def test_an_error_has_no_control_characters(world: World, capsys):
    error = {"error": {"message": f"no such {HOSTILE}", "code": "model_not_found"}}
    url = world.run(ScriptedServer(lambda _: JSONResponse(error, 404))) + "/v1"
    assert run(["ask", "x", "--url", url, "--model", "m"], VERBS) == 5
    assert capsys.readouterr().err == "error: no such ]52;c;ZXZpbA==2Jgood day (404)\n"


def test_json_is_the_whole_completion(world: World, capsys):
    assert run(["ask", "a cold?", "--url", edge_over_echo(world), "--json"], VERBS) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["choices"][0]["message"]["content"] == "Take rest [1]."
    assert done["citations"][0]["index"] == 1


def test_what_is_sent_can_be_seen_on_stderr(world: World, capsys):
    url = edge_over_echo(world)
    assert run(["ask", "Is Maria Keller in?", "--url", url, "--show-sent"], VERBS) == 0
    shown = capsys.readouterr()
    assert re.match(r"sent: Is PERSON_\[\S+\] in\?\n", shown.err)
    assert "Keller" not in shown.err


def test_among_several_corpora_one_has_to_be_named(world: World, capsys):
    world.catalog.publish("office", ["tea"])
    url = edge_over_echo(world)
    assert run(["ask", "x", "--url", url], VERBS) == 2
    assert "hint: --model clinic or office" in capsys.readouterr().err
    assert run(["ask", "x", "--url", url, "--model", "office"], VERBS) == 0


def test_an_unknown_corpus_is_an_error_with_the_servers_hint(world: World, capsys):
    assert run(["ask", "x", "--url", edge_over_echo(world), "--model", "nope"], VERBS) == 5
    assert "there is no such model (404)\nhint: /v1/models" in capsys.readouterr().err


def test_an_answer_that_breaks_off_is_an_error(world: World, capsys):
    url = world.run(ScriptedServer(lambda _: streamed([chunk({"content": "Take "})])))
    assert run(["ask", "x", "--url", f"{url}/v1", "--model", "m"], VERBS) == 5
    shown = capsys.readouterr()
    assert shown.out == "Take "
    assert "ended early" in shown.err


@pytest.mark.slow
def test_the_real_server_starts_on_an_empty_home_and_ends_on_sigterm(tmp_path):
    program = "from sage_rag.rag_server.cli import main; main()"
    line = [sys.executable, "-c", program, "serve", "--home", str(tmp_path), "--port", "0"]
    line.append("--insecure-no-auth")
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as running:
        for shown in running.stderr:
            if shown.startswith("listening on http://127.0.0.1:"):
                break
        running.send_signal(signal.SIGTERM)
        assert running.wait(10) == 0


@pytest.mark.slow
def test_an_edge_logs_what_it_pulled_in_the_form_of_its_log(world: World, tmp_path):
    url = world.run(ScriptedServer(lambda _: JSONResponse({"data": []})))
    write_keyset(tmp_path / "k", Keyset.generate(), "pass phrase")
    (tmp_path / "phrase").write_text("pass phrase")
    program = "from sage_rag.rag_server.cli import main; main()"
    line = [sys.executable, "-c", program, "edge", "--server", url, "--sync"]
    line += ["--local", str(tmp_path / "none"), "--keyset", str(tmp_path / "k")]
    line += ["--passphrase-file", str(tmp_path / "phrase")]
    environment = {**os.environ, "SAGE_RAG_EDGE_LOG_FORMAT": "json"}
    ended = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 2, ended.stderr  # there is still no index
    [logged] = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")]
    assert (logged["level"], logged["message"]) == ("INFO", "pulled: nothing new")


def test_how_long_an_edge_waits_can_be_given(capsys):
    line = ["edge", "--server", "http://x", "--keyset", "nope"]
    assert run([*line, "--timeout-s", "0"], VERBS) == 2
    assert "setting `timeout_s`" in capsys.readouterr().err
    assert run([*line, "--timeout-s", "600"], VERBS) == 3
