"""Raw key material as text, for secret managers and inside sealed files. Nothing here is sealed.

Read are the output of `keys export`, and bare 256-bit keys in hex or Base64, as
`openssl rand -base64 32` makes them; the first one is the primary key. An export of a grant with
public keys has format 2, and every other one format 1.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import (
    KEY_BYTES,
    Grant,
    Keyset,
    export_master_keys,
    export_public_keys,
    export_type_keys,
    key_id_of,
)
from sage_rag.privacy.keyset.register import KeyId

RAW_FORMAT: Final = "sage-rag-keyset-raw-1"
RAW_FORMAT_SIGNED: Final = "sage-rag-keyset-raw-2"
_MAX_CHARS = 1024 * 1024
_HEX = re.compile(rf"[0-9A-Fa-f]{{{2 * KEY_BYTES}}}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{43}=?")

_Key = Annotated[str, Field(min_length=43, max_length=44)]
_KeysById = dict[KeyId, _Key]
_TypeKeys = dict[KeyId, dict[EntityType, _Key]]


class KeyMaterial(BaseModel):
    """The keys of a file: master keys, or a grant's keys by entity type with its public keys."""

    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)
    primary: KeyId
    masters: _KeysById | None = Field(default=None, repr=False)
    type_keys: _TypeKeys | None = Field(default=None, repr=False)
    public_keys: _KeysById | None = None

    @classmethod
    def of(cls, keyset: Keyset) -> KeyMaterial:
        """Return the keys of a keyset in clear. Review every caller."""
        if isinstance(keyset, Grant):
            granted = {
                key_id: {t: _encode(key) for t, key in keys.items()}
                for key_id, keys in export_type_keys(keyset).items()
            }
            public = {key_id: _encode(key) for key_id, key in export_public_keys(keyset).items()}
            return cls(primary=keyset.primary, type_keys=granted, public_keys=public or None)
        masters = {key_id: _encode(key) for key_id, key in export_master_keys(keyset).items()}
        return cls(primary=keyset.primary, masters=masters)

    def keyset(self) -> Keyset:
        """Return the keyset of these keys.

        Raises:
            KeysetError: when a key is damaged, weak or occurs twice.
        """
        if self.masters is not None and self.type_keys is None and self.public_keys is None:
            masters = {key_id: _decode(key) for key_id, key in self.masters.items()}
            _check(list(masters.values()))
            return Keyset(masters, self.primary)
        if self.type_keys is not None and self.masters is None:
            granted = {
                key_id: {t: _decode(key) for t, key in keys.items()}
                for key_id, keys in self.type_keys.items()
            }
            _check([key for keys in granted.values() for key in keys.values()])
            public = self.public_keys
            decoded = {k: _decode(key) for k, key in public.items()} if public is not None else None
            return Grant(granted, self.primary, decoded)
        raise KeysetError("there must be either master keys or the keys of a grant")


class _Export(KeyMaterial):
    format: Literal["sage-rag-keyset-raw-1", "sage-rag-keyset-raw-2"]


def export_raw(keyset: Keyset) -> str:
    """Return a keyset or grant in clear, as one line of JSON. It opens everything.

    Review every caller.
    """
    material = KeyMaterial.of(keyset)
    content = {
        "format": _format_of(material),
        **material.model_dump(mode="json", exclude_none=True),
    }
    return json.dumps(content) + "\n"


def parse_raw(text: str) -> Keyset:
    """Return the keyset of an export, or of bare keys separated by white space.

    Raises:
        KeysetError: for other text, keys of another size, a key that occurs twice, or a key
            that repeats one byte. The message contains no key.
    """
    if len(text) > _MAX_CHARS:
        raise KeysetError("the text is too long for raw keys")
    if text.lstrip().startswith("{"):
        return _parse_export(text)
    keys = [_bare(word, number) for number, word in enumerate(text.split(), 1)]
    if not keys:
        raise KeysetError("there is no key")
    _check(keys)
    return Keyset({key_id_of(key): key for key in keys}, key_id_of(keys[0]))


def is_bare_keys(text: str) -> bool:
    """Return whether a text consists of 256-bit keys in hex or Base64 alone."""
    words = text.split()
    return bool(words) and all(_HEX.fullmatch(w) or _BASE64.fullmatch(w) for w in words)


def _parse_export(text: str) -> Keyset:
    try:
        export = _Export.model_validate_json(text)
    except ValidationError:
        export = None
    if export is None or export.format != _format_of(export):
        raise KeysetError(f"this is not an export of format {RAW_FORMAT} or {RAW_FORMAT_SIGNED}")
    return export.keyset()


def _format_of(material: KeyMaterial) -> str:
    return RAW_FORMAT if material.public_keys is None else RAW_FORMAT_SIGNED


def _bare(word: str, number: int) -> bytes:
    if _HEX.fullmatch(word):
        return bytes.fromhex(word)
    if _BASE64.fullmatch(word):
        return _decode(word.replace("-", "+").replace("_", "/"))
    raise KeysetError(
        f"raw key {number} is not {KEY_BYTES} bytes in hex or Base64",
        hint="make one: openssl rand -base64 32",
    )


def _check(keys: Sequence[bytes]) -> None:
    if len(set(keys)) < len(keys):
        raise KeysetError("the same key occurs twice")
    if any(len(set(key)) == 1 for key in keys):
        raise KeysetError("a key that repeats one byte protects nothing")


def _encode(key: bytes) -> str:
    return base64.b64encode(key).decode()


def _decode(text: str) -> bytes:
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise KeysetError(f"a key is not {KEY_BYTES} bytes in Base64")
    return key
