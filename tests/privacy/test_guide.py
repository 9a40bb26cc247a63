"""`docs/privacy.md` says what works."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from sage_rag.privacy.policy import parse_policy, preset_names
from sage_rag.rag_server.cli import main

GUIDE = Path(__file__).parents[2] / "docs" / "privacy.md"
TEXT = GUIDE.read_text("utf-8")


def blocks(language):
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [source for name, source in fences if name == language]


def test_the_commands_work_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = '{"note": "Maria Keller called from +49 30 1234567 about her knee."}\n'
    Path("notes.jsonl").write_text(record, "utf-8")
    for line in "".join(blocks("")).replace("\\\n", " ").splitlines():
        if line.startswith("export "):
            name, value = shlex.split(line)[1].split("=", 1)
            monkeypatch.setenv(name, value)
            continue
        if not line.startswith("sage-rag "):
            subprocess.run(["sh", "-c", line], check=True)
            continue
        monkeypatch.setattr("sys.argv", shlex.split(line))
        with pytest.raises(SystemExit) as ended:
            raise SystemExit(main())
        assert ended.value.code in (0, None), line
    assert Path("plain.jsonl").read_text("utf-8") == record
    assert "Keller" not in Path("safe.jsonl").read_text("utf-8")


def test_the_policy_is_one():
    (source,) = blocks("toml")
    assert parse_policy("mine", source).mentions == "linked"


def test_every_preset_is_in_the_table():
    assert set(re.findall(r"^\| `([a-z-]+)`", TEXT, re.MULTILINE)) == set(preset_names())


def test_the_python_runs(capsys):
    (source,) = blocks("python")
    exec(compile(source, str(GUIDE), "exec"), {})  # noqa: S102 - our own page
    counted = capsys.readouterr().out
    assert "malformed" in counted or "failed authentication" in counted
