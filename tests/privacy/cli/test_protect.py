import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.common import files
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.privacy.cli.protect import protect
from sage_rag.privacy.cli.restore import restore
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw

CANARY = "Maria Quistenberg"
EMAIL = "maria.quist@example.org"


@pytest.fixture
def keyset(monkeypatch):
    monkeypatch.setenv("SAGE_RAG_KEYSET_RAW", export_raw(Keyset.generate()))


@pytest.fixture
def run(keyset):
    app = typer.Typer()
    app.command()(protect)
    app.command()(restore)

    def run(*arguments, stdin=None):
        line = [arguments[0], "--corpus", "clinic", *map(str, arguments[1:])]
        return CliRunner().invoke(app, line, input=stdin, catch_exceptions=True)

    return run


def test_text_round_trip_keeps_every_byte(run, tmp_path):
    source, safe, plain = tmp_path / "a.txt", tmp_path / "safe.txt", tmp_path / "plain.txt"
    original = f"Dear Dr. {CANARY},\r\n\n  write to {EMAIL}\t!\nno newline at the end"
    source.write_bytes(original.encode())
    result = run("protect", source, "--out", safe)
    assert result.exit_code == 0, result.stderr
    assert EMAIL not in safe.read_text()
    assert "Quistenberg" not in safe.read_text()
    assert "EMAIL_ADDRESS 1" in result.stderr
    assert EMAIL not in result.output
    assert stat.S_IMODE(safe.stat().st_mode) == 0o600
    assert run("restore", safe, "--out", plain).exit_code == 0
    assert plain.read_bytes() == original.encode()
    assert stat.S_IMODE(plain.stat().st_mode) == 0o600


def test_every_string_of_jsonl_is_protected_and_all_else_kept(run, tmp_path):
    source, safe, plain = tmp_path / "a.jsonl", tmp_path / "s.jsonl", tmp_path / "p.jsonl"
    record = {
        "id": 7,
        "t": f"I am Dr. {CANARY}",
        "n": [None, True, 1.5, {"m/~x": EMAIL}],
        "é": "ok",
    }
    source.write_text(json.dumps(record) + "\n\n" + json.dumps([EMAIL]) + "\n")
    assert run("protect", source, "--out", safe).exit_code == 0
    first, blank, second, _ = safe.read_text().split("\n")
    protected = json.loads(first)
    assert (protected["id"], protected["n"][:3], blank) == (7, [None, True, 1.5], "")
    assert list(protected) == list(record)
    assert EMAIL not in first + second
    run("restore", safe, "--out", plain)
    assert json.loads(plain.read_text().split("\n")[0]) == record


def test_named_fields_alone_are_written_unless_told_otherwise(run, tmp_path):
    source, out = tmp_path / "a.jsonl", tmp_path / "o.jsonl"
    source.write_text(json.dumps({"q": f"mail {EMAIL}", "secret": EMAIL}) + "\n")
    run("protect", source, "--text-fields", "q", "--out", out)
    assert set(json.loads(out.read_text())) == {"q"}
    run("protect", source, "--text-fields", "q", "--keep-other-fields", "--out", out)
    assert json.loads(out.read_text())["secret"] == EMAIL


def test_long_numbers_that_are_kept_are_told(run, tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text('{"n": 123456789, "m": 12}\n')
    result = run("protect", source)
    assert "1 numbers of six or more digits are unchanged" in result.stderr


@pytest.mark.parametrize(
    "bad",
    [b'{"t": "maria.quist@example.org', b"\xff\xfe", b'{"a": 1, "a": 2}', b'{"t": "\\ud800"}', b"[" * 5000],
    ids=["cut", "not-utf8", "twice", "surrogate", "deep"],
)  # fmt: skip
def test_a_bad_line_is_named_not_shown_and_no_file_appears(run, tmp_path, bad):
    source, out = tmp_path / "a.jsonl", tmp_path / "o.jsonl"
    source.write_bytes(b'{"t": "fine"}\n' + bad + b'\n{"t": "fine"}\n')
    result = run("protect", source, "--out", out)
    assert isinstance(result.exception, InputError)
    assert result.exception.exit_code == 2
    assert "line 2" in result.stderr
    assert "maria" not in result.output + result.stderr
    assert not out.exists()
    assert [p for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []


def test_a_line_that_cannot_be_protected_fails_closed(run, tmp_path, monkeypatch):
    from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer

    def broken(self, text):
        raise RuntimeError(text)

    monkeypatch.setattr(TaggerRecognizer, "recognize", broken)
    source, out = tmp_path / "a.txt", tmp_path / "o.txt"
    source.write_text(f"mail {EMAIL}\n")
    result = run("protect", source, "--out", out)
    assert isinstance(result.exception, ProtectionError)
    assert EMAIL not in result.output + result.stderr
    assert not out.exists()


def test_a_line_in_a_language_that_no_recognizer_covers_fails_closed(run, tmp_path):
    source, out = tmp_path / "a.txt", tmp_path / "o.txt"
    source.write_text(
        f"write to {EMAIL}\nLa señora Quiroga pregunta si puede dejar las pastillas.\n"
    )
    result = run("protect", source, "--out", out)
    assert isinstance(result.exception, ProtectionError)
    assert "line 2: no recognizer covers its language, `es`" in result.stderr
    assert "Quiroga" not in result.output + result.stderr
    assert not out.exists()


def test_a_full_disk_leaves_the_old_file_alone(run, tmp_path, monkeypatch):
    source, out = tmp_path / "a.txt", tmp_path / "o.txt"
    source.write_text(f"mail {EMAIL}\n")
    out.write_text("old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    result = run("protect", source, "--out", out)
    assert isinstance(result.exception, InputError)
    assert "No space left" in str(result.exception)
    assert out.read_text() == "old"
    assert [p for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []


@pytest.mark.parametrize("verb", ["protect", "restore"])
def test_an_input_that_cannot_be_read_is_named_as_such(run, tmp_path, verb):
    source, out = tmp_path / "a.txt", tmp_path / "o.txt"
    source.symlink_to("/proc/self/mem")  # opens, but its first page cannot be read
    out.write_text("old")
    result = run(verb, source, "--out", out)
    assert isinstance(result.exception, InputError)
    assert "cannot read line 1: Input/output error" in str(result.exception)
    assert out.read_text() == "old"


def test_a_device_is_never_replaced_by_a_file(run, tmp_path):
    source, pipe = tmp_path / "a.txt", tmp_path / "pipe"
    source.write_text(f"mail {EMAIL}\n")
    os.mkfifo(pipe)
    result = run("protect", source, "--out", pipe)
    assert isinstance(result.exception, InputError)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_is_followed(run, tmp_path):
    source, out, link = tmp_path / "a.txt", tmp_path / "o.txt", tmp_path / "link.txt"
    source.write_text(f"mail {EMAIL}\n")
    link.symlink_to(out)
    assert run("protect", source, "--out", link).exit_code == 0
    assert link.is_symlink()
    assert "EMAIL_ADDRESS_[" in out.read_text()


@pytest.mark.slow
def test_a_full_standard_output_is_named_as_such(keyset, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text(f"mail {EMAIL}\n")
    program = "import typer; from sage_rag.privacy.cli.protect import protect; typer.run(protect)"
    command = [sys.executable, "-c", program, str(source), "--corpus", "c"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode != 0
    assert b"cannot write to standard output" in done.stderr


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_number_that_json_cannot_hold_is_refused(run, tmp_path, number):
    source = tmp_path / "a.jsonl"
    source.write_text(f'{{"n": {number}, "t": "{EMAIL}"}}\n')
    assert isinstance(run("protect", source).exception, InputError)


def test_standard_input_and_output(run):
    result = run("protect", "-", "--jsonl", stdin=json.dumps({"t": EMAIL}) + "\n")
    assert json.loads(result.stdout)["t"].startswith("EMAIL_ADDRESS_[")
    back = run("restore", "-", "--jsonl", stdin=result.stdout)
    assert json.loads(back.stdout)["t"] == EMAIL


@pytest.mark.parametrize(
    "arguments",
    [
        ("a.csv",),
        ("missing.txt",),
        ("a.txt", "--text-fields", "q"),
        ("a.jsonl", "--text-fields", "q,q"),
        ("a.jsonl", "--keep-other-fields"),
        ("a.txt", "--policy", "nonsense"),
        ("a.txt", "--out", "a.txt"),
        ("a.txt", "--out", "no/such/folder/o.txt"),
        ("a.jsonl", "--text-fields", "absent"),
    ],
)
def test_what_makes_no_sense_is_refused(run, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "a.jsonl", "a.csv"):
        Path(name).write_text('{"q": "x"}\n')
    assert isinstance(run("protect", *arguments).exception, InputError)


def test_a_foreign_token_stays_unreadable(run, tmp_path):
    source, safe = tmp_path / "a.txt", tmp_path / "s.txt"
    source.write_text(f"mail {EMAIL}\n")
    run("protect", source, "--out", safe)
    damaged = safe.read_text().replace("EMAIL_ADDRESS_[", "PERSON_[")
    result = run("restore", "-", stdin=damaged)
    assert EMAIL not in result.stdout
    assert "PERSON" in result.stdout


@pytest.mark.slow
def test_processes_write_what_one_process_writes(keyset, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("".join(f"line {i} of {EMAIL}\n" for i in range(300)))
    program = "import typer; from sage_rag.privacy.cli.protect import protect; typer.run(protect)"
    written = []
    for workers in (1, 2):
        command = [sys.executable, "-c", program, str(source), "--corpus", "c"]
        command += ["--workers", str(workers)]
        done = subprocess.run(command, capture_output=True, check=True)
        written.append(done.stdout)
    assert written[0] == written[1]
    assert written[0].count(b"\n") == 300


def test_the_wrong_corpus_is_told_and_writes_nothing(run, tmp_path):
    source, safe, plain = tmp_path / "a.txt", tmp_path / "safe.txt", tmp_path / "plain.txt"
    source.write_text(f"Dear Dr. {CANARY}, write to {EMAIL}\n", "utf-8")
    assert run("protect", source, "--out", safe).exit_code == 0
    result = run("restore", safe, "--out", plain, "--corpus", "another")
    assert isinstance(result.exception, KeysetError)
    assert "none of the 2 tokens" in result.exception.message
    assert not plain.exists()


def test_a_byte_order_mark_before_jsonl_is_skipped(run, tmp_path):
    source, safe = tmp_path / "a.jsonl", tmp_path / "safe.jsonl"
    source.write_text(json.dumps({"text": EMAIL}) + "\n", "utf-8-sig")
    result = run("protect", source, "--out", safe)
    assert result.exit_code == 0, result.stderr
    assert json.loads(safe.read_text("utf-8"))["text"].startswith("EMAIL_ADDRESS_[")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"text": x}', "is not JSON at column 10"),
        ('{"a": 1, "a": 2}', "has an object with a key that occurs twice"),
        (r'{"text": "\ud800"}', "contains half of a surrogate pair"),
        ('{"text": NaN}', "has a number that JSON cannot hold"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_each_fault_of_a_line_is_named(run, tmp_path, line, problem):
    source = tmp_path / "a.jsonl"
    source.write_text(f'{{"text": "x"}}\n{line}\n')
    assert f"line 2 {problem}\n" in run("protect", source, "--out", tmp_path / "s").stderr


def test_after_a_failure_the_summary_says_that_nothing_was_written(run, tmp_path):
    source, safe = tmp_path / "a.jsonl", tmp_path / "safe.jsonl"
    source.write_text('{"text": "x"}\n{\n')
    result = run("protect", source, "--out", safe)
    assert f"`{safe}` is not written: of 2 lines, 1 can be protected" in result.stderr
    assert "protected 1 line" not in result.stderr
    assert result.exception.message == "1 line could not be read"


def test_a_mistyped_field_names_those_of_the_record(run, tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps({"question": CANARY, "answer": EMAIL}) + "\n")
    result = run("protect", source, "--text-fields", "answr")
    assert "line 1 has no field `answr`" in result.stderr
    assert "no private value" not in result.stderr
    assert "question, answer" in result.exception.hint
    assert "Quist" not in f"{result.stderr}{result.exception.hint}"


@pytest.mark.parametrize("verb", ["protect", "restore"])
def test_a_file_that_does_not_exist_is_said_to_be_missing(run, tmp_path, verb):
    result = run(verb, tmp_path / "nothere")
    assert "there is no file" in result.exception.message
