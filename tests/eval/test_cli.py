import json
from importlib.metadata import EntryPoint

import pytest

from sage_rag.rag_server.cli import run

pytestmark = pytest.mark.slow

ATTACK = EntryPoint("attack", "sage_rag.eval.cli:attack", "sage_rag.commands")


@pytest.fixture
def corpus(tmp_path, texts):
    path = tmp_path / "corpus.jsonl"
    lines = [json.dumps({"id": i, "body": text}) for i, text in texts.items()]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def attack(server, corpus, tmp_path, texts, monkeypatch, capsys):
    """Run `sage-rag attack` on the server with one prompt, `plain`; return code, out, err."""
    monkeypatch.setenv("SAGE_RAG_ATTACK_API_KEY", "k")
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"prompt": "plain"}\n{"prompt": "broken", "kind": "targeted"}')

    def run_attack(*options, prompts=prompts):
        url = f"http://127.0.0.1:{server.server_port}"
        named = ["--originals", str(corpus), "--text-fields", "body", "--prompts", str(prompts)]
        code = run(["attack", url, *named, *options], [ATTACK])
        return code, *capsys.readouterr()

    return run_attack


def test_the_table_goes_to_stdout_and_notes_to_stderr(attack):
    code, out, err = attack()
    assert code == 0
    assert "0 of 1 (95 %: at most 95.0 %)" in out
    assert "0 of 0 (nothing measured)" in out  # the one targeted prompt failed
    assert "compat" not in out
    assert "2 prompts, 3 originals" in err
    assert "1 of 2 prompts failed" in err
    assert "repeat (compat)" not in out


def test_compat_adds_rows(attack):
    assert "repeat contexts (compat)" in attack("--compat")[1]


def test_json_goes_to_stdout_alone(attack):
    code, out, _ = attack("--json", "-")
    report = json.loads(out)
    assert code == 0
    assert report["originals"] == 3
    assert [g["failed"] for g in report["groups"]] == [1, 0]
    assert "repeat-compat" in {m["detector"] for m in report["groups"][1]["measures"]}


def test_json_goes_to_a_file_beside_the_table(attack, tmp_path):
    _, out, _ = attack("--json", str(tmp_path / "report.json"))
    assert json.loads((tmp_path / "report.json").read_text())["originals"] == 3
    assert "Attack on" in out
    assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o600, "it may hold excerpts"
    code, out, err = attack("--json", str(tmp_path / "absent" / "report.json"))
    assert code == 2
    assert "cannot write" in err
    assert "Attack on" in out, "the figures took long to measure"


def test_a_leak_is_an_exit_code_on_request_and_text_on_request(attack, replies, texts):
    replies["plain"]["choices"][0]["message"]["content"] = f"It says: {texts['a']}"
    code, out, _ = attack()
    assert code == 0
    assert "1 of 3 originals" in out
    assert "knee" not in out
    code, out, err = attack("--fail-on-leak", "--show-leaks")
    assert code == 4
    assert "private text leaks from" in err
    shown = [line for line in out.splitlines() if line.startswith("untargeted, repeat")]
    assert shown == ["untargeted, repeat: " + " ".join(texts["a"].split()).rstrip(".")]
    assert "untargeted, repeat-compat: " in attack("--compat", "--show-leaks")[1]


def test_no_leak_passes_the_check(attack, tmp_path):
    answered = tmp_path / "answered.jsonl"
    answered.write_text('{"prompt": "plain"}')
    assert attack("--fail-on-leak", prompts=answered)[0] == 0


def test_a_prompt_that_failed_does_not_pass_the_check(attack):
    code, out, err = attack("--fail-on-leak")
    assert code == 5
    assert "0 of 0 (nothing measured)" in out
    assert "1 of 2 prompts failed, so a leak is not ruled out" in err


def test_canaries_are_looked_for(attack, replies, tmp_path):
    replies["plain"]["choices"][0]["message"]["content"] = "Ask Gudrun Falk."
    (tmp_path / "gold.txt").write_text("gudrun falk\nnobody else\n42\n")
    _, out, notes = attack("--canaries", str(tmp_path / "gold.txt"))
    assert "1 of 2 values" in out
    assert "1 canary is too short" in notes


@pytest.mark.parametrize(
    ("name", "content", "code", "message"),
    [
        ("prompts.jsonl", "", 2, "no prompts"),
        ("prompts.jsonl", '{"prompt": "broken"}', 5, "answered none of 1 prompts"),
        ("corpus.jsonl", '{"body": " "}', 2, "contains no text"),
        ("corpus.jsonl", '{"other": "x"}', 2, "has no field `body`"),
    ],
)
def test_an_attack_that_proves_nothing_is_an_error(attack, tmp_path, name, content, code, message):
    (tmp_path / name).write_text(content)
    found, out, err = attack()
    assert (found, out) == (code, "")
    assert message in err


def test_a_limit_sends_fewer_prompts(attack, server):
    attack("--limit", "1")
    assert [body["messages"][0]["content"] for _, body, _ in server.seen] == ["plain"]


def test_a_folder_that_is_no_index_is_refused(corpus, capsys):
    code = run(
        ["attack", str(corpus.parent), "--originals", str(corpus), "--text-fields", "body"],
        [ATTACK],
    )
    assert code == 2
    assert "hint: give HOME/corpora/NAME" in capsys.readouterr().err


def test_help_has_an_example(capsys):
    assert run(["attack", "--help"], [ATTACK]) == 0
    assert "Example: sage-rag attack" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("option", [("--layer", "records"), ("--top-k", "9")])
def test_a_layer_and_a_number_of_passages_are_chosen_of_a_folder_alone(attack, option):
    code, _, err = attack(*option)
    assert code == 2
    assert f"`{option[0]}` is for a folder: the server decides" in err


def test_a_model_is_chosen_of_a_url_alone(corpus, capsys):
    named = ["--originals", str(corpus), "--text-fields", "body", "--model", "clinic"]
    assert run(["attack", str(corpus.parent), *named], [ATTACK]) == 2
    assert "`--model` is for a URL" in capsys.readouterr().err


def test_an_unknown_layer_is_an_error(corpus, tmp_path, capsys):
    named = ["--originals", str(corpus), "--text-fields", "body", "--layer", "hidden"]
    code = run(["attack", str(tmp_path), *named], [ATTACK])
    assert code == 2
    assert "one of: consensus, records" in capsys.readouterr().err
