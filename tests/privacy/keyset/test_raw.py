"""Raw keys: what is taken for one, and what is refused."""

from __future__ import annotations

import base64
import json

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Grant, Keyset, export_master_keys, key_id_of
from sage_rag.privacy.keyset.raw import export_raw, parse_raw
from sage_rag.privacy.testing import grant_without_public_keys

ONE, TWO = bytes(range(32)), bytes(range(1, 33))
FULL = b"\xff\xfe" * 16


def b64(key: bytes) -> str:
    return base64.b64encode(key).decode()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (ONE.hex(), [ONE]),
        (ONE.hex().upper() + "\n", [ONE]),
        (b64(ONE), [ONE]),
        (b64(ONE).rstrip("="), [ONE]),
        (base64.urlsafe_b64encode(FULL).decode(), [FULL]),
        (f"{b64(TWO)}\n{ONE.hex()}\n", [TWO, ONE]),
    ],
)
def test_bare_keys_are_read_and_the_first_is_primary(text: str, keys: list[bytes]) -> None:
    keyset = parse_raw(text)
    assert keyset.primary == key_id_of(keys[0])
    assert sorted(export_master_keys(keyset).values()) == sorted(keys)


@pytest.mark.parametrize(("kind", "number"), [("keyset", 1), ("grant", 2), ("earlier grant", 1)])
def test_an_export_is_read_again(kind: str, number: int) -> None:
    keyset = Keyset.generate().rotate()
    if kind != "keyset":
        keyset = keyset.grant([EntityType.PERSON], source=False)
    if isinstance(keyset, Grant) and kind == "earlier grant":
        keyset = grant_without_public_keys(keyset)
    raw = export_raw(keyset)
    assert parse_raw(raw) == keyset
    assert json.loads(raw)["format"] == f"sage-rag-keyset-raw-{number}"
    with pytest.raises(KeysetError, match="not an export"):
        parse_raw(raw.replace(f"raw-{number}", f"raw-{3 - number}"))


def export(**changes: object) -> str:
    whole = json.loads(export_raw(Keyset({key_id_of(ONE): ONE}, key_id_of(ONE))))
    return json.dumps({k: v for k, v in {**whole, **changes}.items() if v is not None})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no key"),
        (" \n", "no key"),
        (ONE[:31].hex(), "raw key 1"),
        (b64(ONE[:31]), "raw key 1"),
        (b64(ONE + b"\x00"), "raw key 1"),
        (b64(ONE + b"\x00" * 3), "raw key 1"),
        (b64(ONE)[:-1] + "==", "raw key 1"),
        (f"{b64(ONE)} correct-horse", "raw key 2"),
        (f"{b64(ONE)} {ONE.hex()}", "twice"),
        (bytes(32).hex(), "repeats one byte"),
        (b64(b"\xff" * 32), "repeats one byte"),
        ("x" * 2_000_000, "too long"),
        ("{}", "not an export"),
        ("{", "not an export"),
        ('{"format": ' + "[" * 100_000, "not an export"),
        (export(format="sage-rag-keyset-raw-2"), "not an export"),
        (export(more=1), "not an export"),
        (export(public_keys={key_id_of(ONE): b64(TWO)}), "not an export"),
        (
            export(format="sage-rag-keyset-raw-2", public_keys={key_id_of(ONE): b64(TWO)}),
            "either",
        ),
        (export(primary="00000000"), "primary"),
        (export(primary=key_id_of(ONE).upper()), "not an export|primary"),
        (export(masters={}), "primary"),
        (export(masters=None), "either"),
        (export(type_keys={key_id_of(ONE): {"PERSON": b64(TWO)}}), "either"),
        (export(masters={key_id_of(ONE): b64(TWO)}), "fit"),
        (export(masters={key_id_of(ONE): b64(bytes(32))}), "repeats one byte"),
        (export(masters=None, type_keys={key_id_of(ONE): {"NAME": b64(TWO)}}), "not an export"),
        (
            export(masters=None, type_keys={key_id_of(ONE): {"PERSON": b64(TWO), "AGE": b64(TWO)}}),
            "twice",
        ),
    ],
)
def test_what_is_no_raw_key_is_refused_and_not_shown(text: str, message: str) -> None:
    with pytest.raises(KeysetError, match=message) as caught:
        parse_raw(text)
    shown = f"{caught.value.message} {caught.value.hint}"
    for piece in text.split():
        if len(piece) > 20:
            assert piece not in shown


def test_a_base64_key_spelled_with_loose_bits_is_the_same_key() -> None:
    """43 characters carry 258 bits; the last two are no part of a key."""
    loose = b64(ONE)[:-2] + chr(ord(b64(ONE)[-2]) + 1)
    assert parse_raw(loose) == parse_raw(b64(ONE))
