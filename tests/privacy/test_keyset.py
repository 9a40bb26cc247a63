"""Keysets and their files."""

from __future__ import annotations

import json
import logging
import pickle
import stat
from pathlib import Path

import pytest

from privacy.exceptions import InputError, KeysetError
from privacy.keyset.files import describe_keyset, is_keyset_file, read_keyset, write_keyset
from privacy.keyset.keyset import Keyset, export_master_keys
from privacy.keyset.passphrase import FILE_VARIABLE, VARIABLE, read_passphrase

PASSPHRASE = "correct horse"


@pytest.fixture
def sealed(tmp_path: Path) -> tuple[Path, Keyset]:
    path, keyset = tmp_path / "keys" / "clinic.keyset", Keyset.generate()
    write_keyset(path, keyset, PASSPHRASE)
    return path, keyset


def test_a_sealed_keyset_opens_with_its_passphrase(sealed: tuple[Path, Keyset]) -> None:
    path, keyset = sealed
    assert read_keyset(path, PASSPHRASE) == keyset


def test_only_its_owner_may_read_the_file(sealed: tuple[Path, Keyset]) -> None:
    assert stat.S_IMODE(sealed[0].stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_refused(sealed: tuple[Path, Keyset]) -> None:
    sealed[0].chmod(0o644)
    with pytest.raises(KeysetError, match="other users"):
        read_keyset(sealed[0], PASSPHRASE)


def test_a_wrong_passphrase_is_refused(sealed: tuple[Path, Keyset]) -> None:
    with pytest.raises(KeysetError, match="does not open"):
        read_keyset(sealed[0], "wrong")


@pytest.mark.parametrize("name", ["salt", "nonce", "tag", "ciphertext", "primary", "key_ids"])
def test_any_change_to_the_file_is_noticed(sealed: tuple[Path, Keyset], name: str) -> None:
    path, _ = sealed
    envelope = json.loads(path.read_text())
    envelope[name] = ["00000000"] if name == "key_ids" else envelope[name][:-4] + "AAA="
    path.write_text(json.dumps(envelope))
    with pytest.raises(KeysetError):
        read_keyset(path, PASSPHRASE)


@pytest.mark.parametrize("content", ["", "[]", "{}", "\x00\xff", '{"format": "sage-rag-keyset-1"}'])
def test_what_is_no_keyset_gives_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(KeysetError) as caught:
        read_keyset(path, PASSPHRASE)
    assert "\n" not in str(caught.value)


def test_an_existing_keyset_is_never_overwritten(sealed: tuple[Path, Keyset]) -> None:
    path, keyset = sealed
    with pytest.raises(InputError, match="never overwritten"):
        write_keyset(path, Keyset.generate(), PASSPHRASE)
    assert read_keyset(path, PASSPHRASE) == keyset


def test_an_unreasonable_cost_is_refused_before_it_is_paid(sealed: tuple[Path, Keyset]) -> None:
    path, _ = sealed
    envelope = json.loads(path.read_text())
    envelope["scrypt"]["n"] = 2**30
    path.write_text(json.dumps(envelope))
    with pytest.raises(KeysetError, match="unreasonable"):
        read_keyset(path, PASSPHRASE)


def test_no_key_shows_in_repr_log_or_file(
    sealed: tuple[Path, Keyset], caplog: pytest.LogCaptureFixture
) -> None:
    path, keyset = sealed
    with caplog.at_level(logging.DEBUG):
        logging.getLogger().debug("%s %r", keyset, keyset)
    shown = caplog.text + path.read_text() + json.dumps(describe_keyset(path))
    for key in export_master_keys(keyset).values():
        assert key.hex() not in shown
        assert repr(key) not in shown
    assert keyset.primary in shown


def test_a_keyset_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(Keyset.generate())


def test_a_key_under_a_foreign_id_is_refused() -> None:
    key = next(iter(export_master_keys(Keyset.generate()).values()))
    with pytest.raises(KeysetError, match="fit"):
        Keyset({"00000000": key}, "00000000")


def test_files_are_known_for_keysets(sealed: tuple[Path, Keyset], tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("nothing")
    assert is_keyset_file(sealed[0])
    assert not is_keyset_file(other)
    assert not is_keyset_file(tmp_path / "absent")


def test_the_passphrase_comes_from_file_then_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    file.write_text("from file\n")
    monkeypatch.setenv(VARIABLE, "from environment")
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    assert read_passphrase() == "from environment"
    assert read_passphrase(file) == "from file"
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    assert read_passphrase() == "from file"


def test_without_any_source_the_passphrase_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(KeysetError) as caught:
        read_passphrase()
    assert caught.value.hint
