"""Whatever a file holds: our exceptions only, little work, and nothing of it in a message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import SageRagError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset import envelope
from sage_rag.privacy.keyset.files import StoredKeyset, _Body, _seal, describe_keyset, read_keyset
from sage_rag.privacy.keyset.keyset import Keyset, export_master_keys
from sage_rag.privacy.keyset.raw import export_raw, parse_raw
from sage_rag.privacy.keyset.testing import cheap_scrypt

pytestmark = pytest.mark.slow

PASSPHRASE = "correct horse"
KEYSET = Keyset.generate().rotate()
CANARY = "Maria Keller"
QUICK = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=150)

with cheap_scrypt():
    SEALED = [
        _seal(StoredKeyset(KEYSET, "2026-01-02"), PASSPHRASE),
        _seal(StoredKeyset(KEYSET.grant([EntityType.PERSON]), "2026-01-02", "desk"), PASSPHRASE),
    ]
RAW = [export_raw(KEYSET), export_raw(KEYSET.grant([EntityType.PERSON]))]

numbers = st.integers() | st.floats() | st.sampled_from([10**4000, -1, 2**31, 2**63, 1e308])
scalars = st.none() | st.booleans() | numbers | st.text(max_size=30) | st.just(CANARY)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fuzz") / "keyset"
    path.touch(0o600)
    return path


def reads(path: Path, content: bytes) -> Keyset | None:
    """Return the keyset of a file, or None if it was refused as it should be."""
    path.write_bytes(content)
    opened = None
    try:
        with cheap_scrypt():
            opened = read_keyset(path, PASSPHRASE)
    except SageRagError as error:
        refused(error)
    try:
        describe_keyset(path)
    except SageRagError as error:
        refused(error)
    return opened


def refused(error: SageRagError) -> None:
    shown = f"{error.message} {error.hint} {error.__context__!r} {error.__cause__!r}"
    assert CANARY not in shown
    assert "\n" not in error.message
    for key in export_master_keys(KEYSET).values():
        assert key.hex() not in shown
        assert envelope._encode(key) not in shown


@QUICK
@given(st.binary(max_size=300))
def test_bytes(place: Path, content: bytes) -> None:
    assert reads(place, content) is None


@pytest.mark.slow
@QUICK
@given(anything)
def test_any_json(place: Path, content: Any) -> None:
    assert reads(place, json.dumps(content).encode()) is None


@QUICK
@given(st.sampled_from(SEALED), st.data())
def test_a_part_replaced_by_anything(place: Path, sealed: str, data: st.DataObject) -> None:
    content = json.loads(sealed)
    name = data.draw(st.sampled_from(sorted(content)))
    if name == "scrypt" and data.draw(st.booleans()):
        content[name][data.draw(st.sampled_from("nrp"))] = data.draw(numbers)
    else:
        content[name] = data.draw(anything)
    changed = json.dumps(content).encode()
    opened = reads(place, changed)
    assert opened is None or json.loads(changed) == json.loads(sealed)


@QUICK
@given(st.sampled_from(SEALED), st.data())
def test_characters_changed(place: Path, sealed: str, data: st.DataObject) -> None:
    """What opens nevertheless is the same file in another layout."""
    content = bytearray(sealed.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    opened = reads(place, bytes(content))
    if opened is not None:
        assert json.loads(content) == json.loads(sealed)


@QUICK
@given(st.sampled_from(SEALED), st.integers(0, 2000))
def test_cut_short(place: Path, sealed: str, length: int) -> None:
    cut = sealed[:length]
    assert reads(place, cut.encode()) is None or cut.strip() == sealed.strip()


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 500_000, b'{"a":' * 100_000, b"1" * 500_000, b'"' + b"\\u0000" * 80_000 + b'"',
        SEALED[0].replace('"n": 16', '"n": ' + "9" * 5000).encode(),
        SEALED[0].replace('"n": 16', '"n": 16, "n": 1073741824').encode(),
        b"\xef\xbb\xbf" + SEALED[0].encode(),
    ],
    ids=range(7),
)  # fmt: skip
def test_made_to_exhaust(place: Path, content: bytes) -> None:
    assert reads(place, content) is None


@QUICK
@given(anything)
def test_a_body_made_by_somebody_who_knows_the_passphrase(place: Path, body: Any) -> None:
    header = envelope.Header.model_validate(
        {k: v for k, v in json.loads(SEALED[0]).items() if k in envelope.Header.model_fields},
        strict=False,
    )
    with cheap_scrypt():
        sealed = envelope.seal(header, json.dumps(body).encode(), PASSPHRASE)
    assert reads(place, sealed.encode()) is None


@QUICK
@given(st.data())
def test_a_body_changed_by_somebody_who_knows_the_passphrase(
    place: Path, data: st.DataObject
) -> None:
    with cheap_scrypt():
        header, body = envelope.unseal(SEALED[0].encode(), PASSPHRASE, "k")
        content = json.loads(body)
        part = content["material"] if data.draw(st.booleans()) else content
        name = data.draw(st.sampled_from(sorted(part)))
        part[name] = data.draw(anything)
        sealed = envelope.seal(header, json.dumps(content).encode(), PASSPHRASE)
    opened = reads(place, sealed.encode())
    assert opened is None or opened == KEYSET
    assert _Body.model_config["hide_input_in_errors"]


@QUICK
@given(st.text(max_size=200) | anything.map(json.dumps))
def test_raw_keys(text: str) -> None:
    try:
        parse_raw(text)
    except SageRagError as error:
        refused(error)


@QUICK
@given(st.sampled_from(RAW), st.data())
def test_an_export_with_a_part_replaced(raw: str, data: st.DataObject) -> None:
    content = json.loads(raw)
    content[data.draw(st.sampled_from(sorted(content)))] = data.draw(anything)
    try:
        opened = parse_raw(json.dumps(content))
    except SageRagError as error:
        refused(error)
    else:
        assert opened.primary in opened
