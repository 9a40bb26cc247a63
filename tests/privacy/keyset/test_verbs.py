"""`sage-rag keys`: every verb, its failures, and that none of them prints a key."""

from __future__ import annotations

import base64
import json
import stat
import traceback
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.files import read_keyset, read_stored, write_keyset, write_private
from sage_rag.privacy.keyset.keyset import Grant, Keyset, export_master_keys, export_type_keys
from sage_rag.privacy.keyset.raw import export_raw, parse_raw
from sage_rag.privacy.keyset.sources import VARIABLE
from sage_rag.rag_server import cli
from tests.privacy.keyset.conftest import PASSPHRASE

VERBS = [EntryPoint("keys", "sage_rag.privacy.cli.keys:keys", cli.GROUP)]
OTHER = "another one"


class Shell:
    """A folder, a keyset in it, and everything that verbs printed or raised."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.file = folder / "clinic.keyset"
        self.shown = ""
        self._capfd = capfd
        (folder / "own").write_text(OTHER)

    def __call__(self, *arguments: object) -> int:
        code = cli.run(["keys", *map(str, arguments)], VERBS)
        captured = self._capfd.readouterr()
        self.out, self.err = captured.out, captured.err
        self.shown += captured.out + captured.err
        return code

    def grant(self, to: str = "desk", *more: object) -> Path:
        out = self.folder / f"{to}.grant"
        line = ["grant", self.file, "--types", "PERSON, LOCATION", "--to", to, "--out", out]
        assert self(*line, "--out-passphrase-file", self.folder / "own", *more) == 0
        return out

    @property
    def keyset(self) -> Keyset:
        return read_keyset(self.file, PASSPHRASE)


@pytest.fixture
def shell(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    """Whatever a test does: at its end no key of any file there has been printed."""
    monkeypatch.setenv(VARIABLE, PASSPHRASE)
    reported: list[str] = []
    real = cli._report

    def report(error: Exception, *rest: object) -> int:
        reported.append("".join(traceback.format_exception(error)))
        return real(error, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(cli, "_report", report)
    shell = Shell(tmp_path, capfd)
    assert shell("new", "--out", shell.file) == 0
    known = [shell.keyset]
    yield shell
    known += [read_keyset(shell.file, PASSPHRASE)]
    known += [read_keyset(path, OTHER) for path in tmp_path.glob("*.grant")]
    for spelling in spellings(known):
        assert spelling not in shell.shown + "".join(reported)
    assert PASSPHRASE not in shell.shown
    assert OTHER not in shell.shown


def spellings(keysets: list[Keyset]) -> Iterator[str]:
    for keyset in keysets:
        if isinstance(keyset, Grant):
            keys = [k for granted in export_type_keys(keyset).values() for k in granted.values()]
        else:
            keys = [*export_master_keys(keyset).values()]
            for granted in export_type_keys(keyset.grant(EntityType)).values():
                keys += granted.values()
        for key in keys:
            yield from (key.hex(), key.hex().upper(), repr(key)[2:-1])
            yield base64.b64encode(key).decode().rstrip("=")
            yield base64.urlsafe_b64encode(key).decode().rstrip("=")


def test_new_prints_the_key_id_and_nothing_else_on_stdout(shell: Shell) -> None:
    assert shell("new", "--out", shell.folder / "b") == 0
    assert shell.out == read_keyset(shell.folder / "b", PASSPHRASE).primary + "\n"


def test_show_tells_the_public_part_and_who_has_grants_only_when_opened(shell: Shell) -> None:
    shell.grant("desk")
    assert shell("show", shell.file) == 0
    assert "desk" not in shell.out
    assert json.loads(shell.out)["kind"] == "keyset"
    assert shell("show", shell.file, "--verify") == 0
    [listed] = json.loads(shell.out)["grants"]
    assert (listed["label"], listed["revoked"]) == ("desk", None)
    assert set(listed["types"]) == {"PERSON", "LOCATION", "SOURCE", "LITERAL"}


def test_rotate_adds_a_primary_and_names_the_next_step(shell: Shell) -> None:
    before = shell.keyset
    grant = shell.grant("desk")
    assert shell("rotate", shell.file) == 0
    assert shell.keyset.key_ids == (shell.out.strip(), before.primary)
    assert "sage-rag rekey" in shell.err
    assert "grant again, with the new key: desk" in shell.err
    assert stat.S_IMODE(shell.file.stat().st_mode) == 0o600
    shell.grant("desk", "--out", grant.with_name("second.grant"))
    assert shell("rotate", shell.file) == 0
    assert shell.err.count("desk") == 1


def test_a_grant_file_opens_its_types_under_its_own_passphrase(shell: Shell) -> None:
    path = shell.grant()
    grant = read_keyset(path, OTHER)
    person, location = EntityType.PERSON, EntityType.LOCATION
    assert grant == shell.keyset.grant([person, location])
    assert shell("show", path) == 0
    public = json.loads(shell.out)
    assert (public["kind"], public["label"]) == ("grant", "desk")


def test_a_grant_of_chosen_keys_and_without_sources(shell: Shell) -> None:
    old = shell.keyset.primary
    assert shell("rotate", shell.file) == 0
    grant = read_keyset(shell.grant("desk", "--key-ids", old, "--no-source"), OTHER)
    assert grant.key_ids == (old,)
    assert EntityType.SOURCE not in grant.types


def test_revoking_marks_rotates_and_says_what_it_cannot_do(shell: Shell) -> None:
    path = shell.grant("desk")
    shell.grant("ward")
    token = SivCipher(shell.keyset, "c").encrypt("Maria Keller", EntityType.PERSON)
    assert shell("revoke", shell.file, "--grant", "desk") == 0
    assert "opens every index under the old key ids" in shell.err
    assert "sage-rag rekey" in shell.err
    assert "grant again, with the new key: ward" in shell.err
    stored = read_stored(shell.file, PASSPHRASE)
    assert [bool(record.revoked) for record in stored.grants] == [True, False]
    kept = read_keyset(path, OTHER)
    assert SivCipher(kept, "c").decrypt(token) == "Maria Keller"
    assert stored.keyset.primary not in kept
    assert shell("revoke", shell.file, "--grant", "desk") == 3
    path.rename(path.with_name("first.grant"))
    shell.grant("desk")
    assert [r.revoked is None for r in read_stored(shell.file, PASSPHRASE).grants] == [
        False,
        True,
        True,
    ]


def test_a_pruned_key_is_gone_and_the_primary_stays(shell: Shell) -> None:
    old = shell.keyset.primary
    assert shell("prune", shell.file, "--key-id", old) == 3
    assert shell("rotate", shell.file) == 0
    assert shell("prune", shell.file, "--key-id", old) == 0
    assert old not in shell.keyset
    assert shell("prune", shell.file, "--key-id", old) == 3


def test_the_loss_of_the_register_is_said_at_export_import_and_revocation(shell: Shell) -> None:
    raw, again = shell.folder / "raw", shell.folder / "again.keyset"
    shell("export", shell.file, "--out", shell.folder / "first", "--yes-reveal-keys")
    assert "the register of" not in shell.err
    shell.grant("desk")
    assert shell("export", shell.file, "--out", raw, "--yes-reveal-keys") == 0
    assert "the register of 1 grant is not exported" in shell.err
    assert shell("import", raw, "--out", again) == 0
    assert "its register is empty" in shell.err
    assert shell("revoke", again, "--grant", "desk") != 0
    assert "--verify" in shell.err
    assert "keys import" in shell.err


def test_an_export_is_private_and_comes_back_by_import(shell: Shell) -> None:
    raw, again = shell.folder / "raw", shell.folder / "again"
    assert shell("export", shell.file, "--out", raw, "--yes-reveal-keys") == 0
    assert stat.S_IMODE(raw.stat().st_mode) == 0o600
    assert shell("import", raw, "--out", again) == 0
    assert read_keyset(again, PASSPHRASE) == shell.keyset
    assert shell.out == f"{shell.keyset.primary}\n"


def test_keys_are_printed_only_when_both_words_are_said(
    shell: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    assert shell("export", shell.file, "--stdout") == 4
    line = ["keys", "export", str(shell.file), "--stdout", "--yes-reveal-keys"]
    assert cli.run(line, VERBS) == 0
    assert parse_raw(capfd.readouterr().out) == shell.keyset


def test_a_key_comes_from_standard_input(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        def read(self) -> str:
            return "ab" * 31 + "cd\n"

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr("sys.stdin", Input())
    assert shell("import", "-", "--out", shell.folder / "b") == 0
    assert shell.out.strip() in read_keyset(shell.folder / "b", PASSPHRASE)


def failing(shell: Shell) -> dict[str, tuple[list[object], int]]:
    """Return command lines that must fail, each with its exit code."""
    grant, raw, folder = shell.grant(), shell.folder / "raw", shell.folder
    write_private(raw, export_raw(shell.keyset)[:-20])
    write_private(folder / "hex", next(iter(export_master_keys(shell.keyset).values())).hex()[2:])
    (folder / "wrong").write_text("wrong")
    own = ["--out-passphrase-file", folder / "own"]
    same = ["--out-passphrase-file", folder / "same"]
    (folder / "same").write_text(PASSPHRASE)
    opened = ["--passphrase-file", folder / "own"]
    to = ["--to", "x", "--out", folder / "x.grant"]
    return {
        "new over old": (["new", "--out", shell.file], 2),
        "show wrong": (["show", shell.file, "--verify", *opened], 3),
        "show nothing": (["show", folder / "absent"], 3),
        "rotate wrong": (["rotate", shell.file, *opened], 3),
        "rotate grant": (["rotate", grant, *opened], 3),
        "prune grant": (["prune", grant, "--key-id", shell.keyset.primary, *opened], 3),
        "grant a grant": (["grant", grant, "--types", "PERSON", *to, *own, *opened], 2),
        "grant of it": (["grant", grant, "--types", "PERSON", *to, *same, *opened], 3),
        "same passphrase": (["grant", shell.file, "--types", "PERSON", *to, *same], 2),
        "no such type": (["grant", shell.file, "--types", "NAME", *to, *own], 2),
        "no types": (["grant", shell.file, "--types", ",", *to, *own], 2),
        "types twice": (["grant", shell.file, "--types", "AGE,AGE", *to, *own], 2),
        "no such key": (["grant", shell.file, "--types", "AGE", "--key-ids", "0", *to, *own], 3),
        "no label": (["grant", shell.file, "--types", "AGE", *to, "--to", "", *own], 2),
        "label of two lines": (
            ["grant", shell.file, "--types", "AGE", *to, "--to", "a\nb", *own],
            2,
        ),
        "long label": (["grant", shell.file, "--types", "AGE", *to, "--to", "x" * 101, *own], 2),
        "over a grant": (
            ["grant", shell.file, "--types", "AGE", "--to", "x", "--out", grant, *own],
            2,
        ),
        "no prompt": (["grant", shell.file, "--types", "AGE", *to], 3),
        "revoke nobody": (["revoke", shell.file, "--grant", "nobody"], 3),
        "revoke in a grant": (["revoke", grant, "--grant", "desk", *opened], 3),
        "export silently": (["export", shell.file, "--out", folder / "r"], 4),
        "export nowhere": (["export", shell.file, "--yes-reveal-keys"], 2),
        "export over": (["export", shell.file, "--out", raw, "--yes-reveal-keys"], 2),
        "import damage": (["import", raw, "--out", folder / "b"], 3),
        "import a short key": (["import", folder / "hex", "--out", folder / "b"], 3),
        "import a sealed file": (["import", shell.file, "--out", folder / "b"], 3),
        "import over": (["import", raw, "--out", shell.file], 3),
    }


def test_every_failure_is_one_line_a_code_and_no_key(shell: Shell) -> None:
    cases = failing(shell)
    before = shell.file.read_bytes()
    for name, (line, code) in cases.items():
        assert shell(*line) == code, (name, shell.err)
        assert shell.out == "", name
        assert shell.err.startswith("error: "), name
        assert "Traceback" not in shell.err
    assert shell.file.read_bytes() == before
    assert not (shell.folder / "x.grant").exists()


def test_keys_stay_out_of_debug_tracebacks(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = failing(shell)
    monkeypatch.setenv(cli.DEBUG, "1")
    for line, code in cases.values():
        assert shell(*line) == code


def test_a_grant_that_cannot_be_written_is_on_record_all_the_same(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    line = ["grant", shell.file, "--types", "AGE", "--to", "x", "--out", tmp_path / "file" / "g"]
    assert shell(*line, "--out-passphrase-file", tmp_path / "own") == 2
    assert [r.label for r in read_stored(shell.file, PASSPHRASE).grants] == ["x"]


def test_files_of_others_are_not_written_over(shell: Shell) -> None:
    path = shell.folder / "b"
    write_keyset(path, Keyset.generate(), PASSPHRASE)
    before = path.read_bytes()
    raw = shell.folder / "raw"
    write_private(raw, export_raw(shell.keyset))
    assert shell("import", raw, "--out", path) == 2
    assert path.read_bytes() == before
