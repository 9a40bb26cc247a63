from importlib.metadata import EntryPoint

import pytest

from sage_rag.rag_server.access.keys import KEY, default_file, read_keys
from sage_rag.rag_server.cli import GROUP, run

VERBS = [EntryPoint("token", "sage_rag.rag_server.access.cli:token", GROUP)]
VERBS.append(EntryPoint("serve", "sage_rag.rag_server.commands:serve", GROUP))


def test_a_key_is_made_listed_and_revoked(tmp_path, capsys):
    home = ["--home", str(tmp_path)]
    made = ["token", "new", "--name", "Open WebUI", "--scopes", "chat,research", *home]
    assert run([*made, "--requests-per-minute", "60", "--tokens-per-day", "9000"], VERBS) == 0
    plain = capsys.readouterr().out.strip()
    assert KEY.fullmatch(plain)
    [stored] = read_keys(default_file(tmp_path))
    assert run(["token", "list", *home], VERBS) == 0
    listed = capsys.readouterr().out
    assert plain not in listed
    for word in (stored.id, "Open WebUI", "chat,research", "60/min", "9000/day"):
        assert word in listed
    assert run(["token", "revoke", stored.id, *home], VERBS) == 0
    assert read_keys(default_file(tmp_path)) == ()


def test_a_list_says_until_when_a_key_is_valid(tmp_path, capsys):
    home = ["--home", str(tmp_path)]
    assert run(["token", "new", "--name", "locum", "--days", "7", *home], VERBS) == 0
    [stored] = read_keys(default_file(tmp_path))
    assert stored.expires is not None
    capsys.readouterr()
    assert run(["token", "list", *home], VERBS) == 0
    assert f"until {stored.expires:%Y-%m-%d}" in capsys.readouterr().out


def test_a_key_can_be_written_to_a_file_that_no_one_else_reads(tmp_path, capsys):
    out = tmp_path / "edge.key"
    line = ["token", "new", "--name", "edge", "--tokens", str(tmp_path / "t"), "--out", str(out)]
    assert run(line, VERBS) == 0
    assert capsys.readouterr().out == ""
    assert KEY.fullmatch(out.read_text().strip())
    assert out.stat().st_mode & 0o077 == 0
    assert run(line, VERBS) == 2, "a key file is never overwritten"
    assert len(read_keys(tmp_path / "t")) == 1


@pytest.mark.parametrize("verb", [["new", "--name", "edge"], ["list"], ["revoke", "edge"]])
def test_a_mistyped_home_gets_no_keys(verb, tmp_path, capsys):
    absent = tmp_path / "hoem"
    assert run(["token", *verb, "--home", str(absent)], VERBS) == 2
    assert "there is no home" in capsys.readouterr().err
    assert not absent.exists()


@pytest.mark.parametrize(
    ("where", "words"),
    [([], "--home or --tokens"), (["--tokens", "damaged"], "not a file of API keys")],
)
def test_a_key_that_no_server_knows_is_not_left_in_a_file(
    where, words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "damaged").write_text("{")
    line = ["token", "new", "--name", "edge", "--out", "edge.key"]
    assert run([*line, *where], VERBS) == 2
    assert words in capsys.readouterr().err
    assert run([*line, "--tokens", "t"], VERBS) == 0
    [stored] = read_keys(tmp_path / "t")
    assert stored.id in (tmp_path / "edge.key").read_text()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["new", "--name", "x"], "--home or --tokens"),
        (["new", "--name", "x", "--home", ".", "--scopes", "root"], "no scope `root`"),
        (["new", "--name", "x", "--home", ".", "--days", "99999999"], "--days"),
        (["revoke", "x", "--tokens", "absent/t"], "no API key has"),
    ],
)
def test_what_cannot_be_done_says_why(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["token", *line], VERBS) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ([], 2, "sage-rag token new"),
        (["--host", "0.0.0.0"], 2, "sage-rag token new"),  # noqa: S104
        (["--host", "0.0.0.0", "--insecure-no-auth"], 4, "need an API key"),  # noqa: S104
    ],
)
def test_a_server_without_keys_does_not_start(tmp_path, options, code, words, capsys):
    assert run(["serve", "--home", str(tmp_path), *options], VERBS) == code
    assert words in capsys.readouterr().err
