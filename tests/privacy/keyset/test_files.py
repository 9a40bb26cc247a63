"""Sealed files: whole, private, and not to be tampered with."""

from __future__ import annotations

import ast
import json
import stat
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sage_rag.common import files as common_files
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset import envelope, files
from sage_rag.privacy.keyset.envelope import COST
from sage_rag.privacy.keyset.files import (
    StoredKeyset,
    change_keyset,
    describe_keyset,
    is_keyset_file,
    read_keyset,
    read_stored,
    write_keyset,
)
from sage_rag.privacy.keyset.keyset import Keyset, export_master_keys
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.keyset.register import GrantRecord
from sage_rag.privacy.keyset.testing import cheap_scrypt
from sage_rag.privacy.testing import grant_without_public_keys
from tests.privacy.keyset.conftest import PASSPHRASE

Sealed = tuple[Path, Keyset]


@pytest.fixture(params=["keyset", "grant"])
def sealed(tmp_path: Path, request: pytest.FixtureRequest) -> Sealed:
    path, keyset = tmp_path / "keys" / "clinic.keyset", Keyset.generate().rotate()
    if request.param == "grant":
        keyset = keyset.grant([EntityType.PERSON])
    write_keyset(path, keyset, PASSPHRASE, label="desk" if request.param == "grant" else None)
    return path, keyset


def rotated(stored: StoredKeyset) -> StoredKeyset:
    return replace(stored, keyset=stored.keyset.rotate())


@pytest.fixture
def whole(tmp_path: Path) -> Sealed:
    path, keyset = tmp_path / "clinic.keyset", Keyset.generate()
    write_keyset(path, keyset, PASSPHRASE)
    return path, keyset


def test_a_sealed_file_opens_with_its_passphrase(sealed: Sealed) -> None:
    path, keyset = sealed
    assert read_keyset(path, PASSPHRASE) == keyset


def test_only_its_owner_may_read_the_file(sealed: Sealed) -> None:
    assert stat.S_IMODE(sealed[0].stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(sealed: Sealed, mode: int) -> None:
    sealed[0].chmod(mode)
    for read in (lambda: read_keyset(sealed[0], PASSPHRASE), lambda: describe_keyset(sealed[0])):
        with pytest.raises(KeysetError, match="other users"):
            read()


@pytest.mark.parametrize("passphrase", ["wrong", "correct horse ", "Correct horse", "\x00"])
def test_a_wrong_passphrase_is_refused(sealed: Sealed, passphrase: str) -> None:
    with pytest.raises(KeysetError, match="does not open"):
        read_keyset(sealed[0], passphrase)


@pytest.mark.parametrize(("passphrase", "message"), [("", "empty"), ("\udc80", "not UTF-8")])
def test_what_is_no_passphrase_is_refused(tmp_path: Path, passphrase: str, message: str) -> None:
    with pytest.raises(KeysetError, match=message):
        write_keyset(tmp_path / "k", Keyset.generate(), passphrase)
    assert not (tmp_path / "k").exists()


def test_a_passphrase_is_the_same_however_its_letters_are_composed(tmp_path: Path) -> None:
    keyset = Keyset.generate()
    write_keyset(tmp_path / "k", keyset, "pässwort 密码")
    assert read_keyset(tmp_path / "k", "pa\u0308sswort 密码") == keyset


HEADER = ["format", "kind", "primary", "key_ids", "types", "created", "label"]
SEAL = ["scrypt", "salt", "nonce", "tag", "ciphertext"]


def other(value: Any) -> Any:
    """Return something else of the same form, so that only authentication can tell."""
    if isinstance(value, list):
        return value[::-1] if len(value) > 1 else [*value, *value]
    if isinstance(value, dict):
        return {**value, "n": value["n"] * 2}
    if value is None:
        return "front desk"
    swapped = value.translate(str.maketrans("0123456789Aa", "1023456789aA"))
    return swapped if swapped != value else value[::-1]


@pytest.mark.parametrize("name", HEADER + SEAL)
def test_any_change_to_the_file_is_noticed(sealed: Sealed, name: str) -> None:
    path, _ = sealed
    content = json.loads(path.read_text())
    content[name] = "keyset" if content[name] == "grant" else other(content[name])
    path.write_text(json.dumps(content))
    with pytest.raises(KeysetError):
        read_keyset(path, PASSPHRASE)


@pytest.mark.parametrize("name", HEADER + SEAL)
def test_what_is_left_out_or_added_is_noticed(sealed: Sealed, name: str) -> None:
    path, _ = sealed
    content = json.loads(path.read_text())
    optional = content.get(name, "") is None  # absent and null mean the same
    path.write_text(json.dumps({k: v for k, v in content.items() if k != name}))
    if not optional and name != "format":
        with pytest.raises(KeysetError):
            read_keyset(path, PASSPHRASE)
    path.write_text(json.dumps({**content, "more": 1}))
    with pytest.raises(KeysetError):
        read_keyset(path, PASSPHRASE)


def test_a_grants_body_under_a_keysets_header_is_damage(tmp_path: Path) -> None:
    """Only who knows the passphrase can make one; the two still have to agree."""
    keyset = Keyset.generate()
    grant = keyset.grant([EntityType.PERSON])
    header = files._header(StoredKeyset(keyset, "2026-01-02"))
    body = files._Body(material=files.KeyMaterial.of(grant)).model_dump_json().encode()
    (tmp_path / "k").touch(0o600)
    (tmp_path / "k").write_text(envelope.seal(header, body, PASSPHRASE))
    with pytest.raises(KeysetError, match="damaged"):
        read_keyset(tmp_path / "k", PASSPHRASE)


def test_a_keyset_is_written_as_an_earlier_version_reads_it() -> None:
    """It knew these fields only, and refused others."""
    keyset = Keyset.generate()
    sealed = files._seal(StoredKeyset(keyset, "2026-01-02"), PASSPHRASE)
    header, body = envelope.unseal(sealed.encode(), PASSPHRASE, "k")
    written = json.loads(body)
    assert header.format == "sage-rag-keyset-2"
    assert set(written) == {"material", "grants"}
    assert set(written["material"]) == {"primary", "masters"}


@pytest.mark.parametrize("file_format", ["sage-rag-keyset-2", "sage-rag-keyset-3"])
def test_a_grant_of_an_earlier_version_is_read_without_public_keys(
    tmp_path: Path, file_format: str
) -> None:
    grant = grant_without_public_keys(Keyset.generate().grant([EntityType.PERSON]))
    stored = StoredKeyset(grant, "2026-01-02", "desk")
    header = files._header(stored).model_copy(update={"format": file_format})
    body = files._Body(material=files.KeyMaterial.of(grant)).model_dump(mode="json")
    del body["material"]["public_keys"]
    (tmp_path / "k").touch(0o600)
    (tmp_path / "k").write_text(envelope.seal(header, json.dumps(body).encode(), PASSPHRASE))
    if file_format == envelope.FORMAT:
        assert read_stored(tmp_path / "k", PASSPHRASE) == stored
    else:
        with pytest.raises(KeysetError, match="damaged"):
            read_stored(tmp_path / "k", PASSPHRASE)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "\x00\xff", "[" * 100_000, '{"format": "sage-rag-keyset-1"}']
)
def test_what_is_no_keyset_gives_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(KeysetError) as caught:
        read_keyset(path, PASSPHRASE)
    assert "\n" not in str(caught.value)


def test_a_file_that_never_ends_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o600)
    path.write_bytes(b" " * (2 * 1024 * 1024))
    with pytest.raises(KeysetError, match="too long"):
        read_keyset(path, PASSPHRASE)


def test_an_existing_keyset_is_never_overwritten(sealed: Sealed) -> None:
    path, keyset = sealed
    with pytest.raises(InputError, match="never overwritten"):
        write_keyset(path, Keyset.generate(), PASSPHRASE)
    assert read_keyset(path, PASSPHRASE) == keyset


@pytest.mark.parametrize(
    "cost",
    [
        {"n": 2**30, "r": 8, "p": 1}, {"n": 2**15, "r": 2**20, "p": 1},
        {"n": 2**15, "r": 8, "p": 5}, {"n": 2**15 + 1, "r": 8, "p": 1},
        {"n": 0, "r": 8, "p": 1}, {"n": -(2**15), "r": 8, "p": 1}, {"n": 1, "r": 8, "p": 1},
        {"n": 2**15, "r": 0, "p": 1}, {"n": 2**15, "r": 8, "p": 0}, {"n": 10**300, "r": 1, "p": 1},
    ],
)  # fmt: skip
def test_an_unreasonable_cost_is_refused_before_it_is_paid(
    sealed: Sealed, cost: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = sealed
    path.write_text(json.dumps({**json.loads(path.read_text()), "scrypt": cost}))
    monkeypatch.setattr("sage_rag.privacy.keyset.envelope.scrypt", None)
    with pytest.raises(KeysetError, match=r"unreasonable|damaged"):
        read_keyset(path, PASSPHRASE)


def test_the_real_cost_is_paid_and_a_cheap_seal_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(envelope, "_cost", COST)
    keyset = Keyset.generate()
    write_keyset(tmp_path / "k", keyset, PASSPHRASE)
    assert json.loads((tmp_path / "k").read_text())["scrypt"] == {"n": 2**15, "r": 8, "p": 1}
    assert read_keyset(tmp_path / "k", PASSPHRASE) == keyset
    with cheap_scrypt():
        write_keyset(tmp_path / "cheap", keyset, PASSPHRASE)
    with pytest.raises(KeysetError, match="too weakly"):
        read_keyset(tmp_path / "cheap", PASSPHRASE)
    assert envelope._cost == COST


def test_nothing_but_tests_seals_cheaply() -> None:
    root = Path(__file__).parents[3]
    packages = ("privacy", "agents", "indexer", "rag_server", "eval", "training", "benchmarks")
    for path in (p for package in packages for p in (root / package).rglob("*.py")):
        if path.name == "testing.py" and path.parent.name == "keyset":
            continue
        source = path.read_text("utf-8")
        assert "cheap_scrypt" not in source, path
        assigned = [
            node
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Attribute)
            and node.attr == "_cost"
            and isinstance(node.ctx, ast.Store)
        ]
        assert not assigned, path


def test_the_public_part_tells_types_and_label_but_no_key(sealed: Sealed) -> None:
    path, keyset = sealed
    described = describe_keyset(path)
    assert described["format"] == f"sage-rag-keyset-{3 if described['kind'] == 'grant' else 2}"
    assert (described["primary"], described["key_ids"]) == (keyset.primary, list(keyset.key_ids))
    if described["kind"] == "grant":
        assert (described["types"], described["label"]) == (["LITERAL", "PERSON", "SOURCE"], "desk")
    else:
        assert not {"types", "label"} & set(described)


def test_changing_replaces_the_file_and_keeps_the_rest(whole: Sealed) -> None:
    path, keyset = whole
    before = read_stored(path, PASSPHRASE)
    record = GrantRecord(label="desk", types=(), key_ids=(keyset.primary,), created="2026-01-02")
    change_keyset(path, PASSPHRASE, lambda stored: replace(stored, grants=(record,)))
    changed = change_keyset(path, PASSPHRASE, rotated)
    assert changed == read_stored(path, PASSPHRASE)
    assert changed.keyset.key_ids[1] == keyset.primary
    assert (changed.created, changed.grants) == (before.created, (record,))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == [path.name], "no copy may stay behind"


def test_a_register_shows_nowhere_in_the_open_part(whole: Sealed) -> None:
    path, keyset = whole
    record = GrantRecord(
        label="Dr Canary", types=(), key_ids=(keyset.primary,), created="2026-01-02"
    )
    change_keyset(path, PASSPHRASE, lambda stored: replace(stored, grants=(record,)))
    assert "Canary" not in path.read_text()
    assert "Canary" not in str(describe_keyset(path))


def test_a_link_stays_a_link(whole: Sealed, tmp_path: Path) -> None:
    path, _ = whole
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to(path)
    changed = change_keyset(link, PASSPHRASE, rotated)
    assert link.is_symlink()
    assert read_keyset(path, PASSPHRASE) == changed.keyset


@pytest.mark.parametrize(
    ("owner", "broken"),
    [
        (files, "_seal"),
        (files, "create_file"),
        (files, "read_stored"),
        (common_files, "sync_folder"),
    ],
)
def test_a_change_that_is_cut_short_leaves_a_whole_file(
    whole: Sealed, monkeypatch: pytest.MonkeyPatch, owner: Any, broken: str
) -> None:
    path, keyset = whole
    real = getattr(owner, broken)
    calls = 0

    def cut(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == (2 if broken == "read_stored" else 1):
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(owner, broken, cut)
        with pytest.raises(KeyboardInterrupt):
            change_keyset(path, PASSPHRASE, rotated)
    assert read_keyset(path, PASSPHRASE) == keyset
    assert len(change_keyset(path, PASSPHRASE, rotated).keyset.key_ids) == 2


def test_what_a_killed_change_left_is_no_hindrance(whole: Sealed) -> None:
    path, _ = whole
    path.with_name(f".{path.name}.new").write_text("half")
    assert len(change_keyset(path, PASSPHRASE, rotated).keyset.key_ids) == 2


def test_a_full_disk_leaves_the_file_as_it_was(
    whole: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, keyset = whole

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files, "create_file", full)
        with pytest.raises(InputError, match="No space left"):
            change_keyset(path, PASSPHRASE, rotated)
    assert read_keyset(path, PASSPHRASE) == keyset


def test_changes_at_once_lose_no_key(whole: Sealed) -> None:
    path, _ = whole
    made: list[str] = []

    def rotate() -> None:
        made.append(change_keyset(path, PASSPHRASE, rotated).keyset.primary)

    threads = [threading.Thread(target=rotate) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(made) < set(read_keyset(path, PASSPHRASE).key_ids)
    assert len(set(made)) == 8


def test_files_are_known_for_keysets(sealed: Sealed, tmp_path: Path) -> None:
    key = next(iter(export_master_keys(Keyset.generate()).values()))
    table = {
        "sealed": (sealed[0].read_text(), True),
        "export": (export_raw(sealed[1]), True),
        "hex": (key.hex() + "\n", True),
        "base64": (envelope._encode(key), True),
        "format 1": ('{"format": "sage-rag-keyset-1"}', True),
        "digests": (f"{key.hex()}  vectors.faiss\n", False),
        "notes": ("nothing", False),
        "empty": ("", False),
    }
    for name, (content, expected) in table.items():
        (tmp_path / name).write_text(content)
        assert is_keyset_file(tmp_path / name) is expected, name
    assert not is_keyset_file(tmp_path / "absent")
