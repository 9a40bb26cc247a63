"""Where keys come from: exactly one source, and a private one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.files import write_keyset, write_private
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.keyset.sources import (
    FILE_VARIABLE,
    RAW_VARIABLE,
    VARIABLE,
    open_keyset,
    open_whole_keyset,
    read_passphrase,
)
from tests.privacy.keyset.conftest import PASSPHRASE

KEYSET = Keyset.generate()


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_keyset(tmp_path / "k", KEYSET, PASSPHRASE)
    monkeypatch.setenv(VARIABLE, PASSPHRASE)
    return tmp_path / "k"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    write_private(tmp_path / "secret", export_raw(KEYSET))
    return tmp_path / "secret"


def test_each_source_gives_the_keyset(
    sealed: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_keyset(sealed) == KEYSET
    assert open_keyset(secret_file=secret) == KEYSET
    monkeypatch.setenv(RAW_VARIABLE, export_raw(KEYSET))
    assert open_keyset() == KEYSET


@pytest.mark.parametrize("given", ["file and secret", "file and environment", "secret and both"])
def test_two_sources_are_one_too_many(
    sealed: Path, secret: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    if "environment" in given or "both" in given:
        monkeypatch.setenv(RAW_VARIABLE, export_raw(KEYSET))
    with pytest.raises(InputError, match="both give keys"):
        open_keyset(
            sealed if "file" in given else None, secret_file=secret if "secret" in given else None
        )


def test_no_source_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RAW_VARIABLE, "")
    with pytest.raises(InputError, match="--keyset is missing") as caught:
        open_keyset()
    assert caught.value.hint


def test_a_secret_that_others_can_read_is_refused(secret: Path) -> None:
    secret.chmod(0o444)
    with pytest.raises(KeysetError, match="other users"):
        open_keyset(secret_file=secret)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"hunter2", b"{}"])
def test_a_secret_without_keys_is_refused_by_its_name(secret: Path, content: bytes) -> None:
    secret.write_bytes(content)
    with pytest.raises(KeysetError) as caught:
        open_keyset(secret_file=secret)
    assert str(secret) in caught.value.message
    assert "hunter2" not in caught.value.message


def test_a_missing_file_is_told_before_anyone_is_asked(tmp_path: Path) -> None:
    with pytest.raises(KeysetError, match="cannot read keyset"):
        open_keyset(tmp_path / "absent")


def test_a_grant_opens_but_is_no_whole_keyset(sealed: Path, tmp_path: Path) -> None:
    grant = KEYSET.grant([EntityType.PERSON])
    write_keyset(tmp_path / "grant", grant, PASSPHRASE)
    assert open_keyset(tmp_path / "grant") == grant
    assert open_whole_keyset(sealed) == KEYSET
    with pytest.raises(KeysetError, match="grant"):
        open_whole_keyset(tmp_path / "grant")


def test_the_passphrase_comes_from_file_then_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    file.write_text("from file\n")
    monkeypatch.setenv(VARIABLE, "from environment")
    assert read_passphrase() == "from environment"
    assert read_passphrase(file) == "from file"
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    assert read_passphrase() == "from file"


@pytest.mark.parametrize(
    ("content", "error"), [(b"", KeysetError), (b"\n", KeysetError), (b"\xff", InputError)]
)
def test_a_passphrase_file_that_holds_none_is_refused(
    tmp_path: Path, content: bytes, error: type[Exception]
) -> None:
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(error):
        read_passphrase(tmp_path / "p")


def test_without_any_source_the_passphrase_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(KeysetError) as caught:
        read_passphrase()
    assert caught.value.hint
