"""The sealed envelope: a readable header, and a body under scrypt and AES-256-GCM.

```
{"format": "sage-rag-keyset-2", "kind": "grant", "primary": "1f2e3d4c", "key_ids": [...],
 "types": ["PERSON", ...], "created": "...", "label": "front desk",
 "scrypt": {"n": 32768, "r": 8, "p": 1}, "salt": ..., "nonce": ..., "tag": ..., "ciphertext": ...}
```

All fields except tag and ciphertext are associated data: a change of any of them is detected. A
grant with public keys has format 3, so that an earlier sage-rag names the reason why it refuses it;
every other file has format 2.
"""

from __future__ import annotations

import base64
import json
import os
import unicodedata
from typing import Annotated, Any, Final, Literal

from Crypto.Cipher import AES
from Crypto.Protocol.KDF import scrypt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.register import KeyId, Label, Timestamp

MARK: Final = "sage-rag-keyset-"
"""The first characters of the format of every file of this project that contains keys."""
FORMAT: Final = "sage-rag-keyset-2"
FORMAT_SIGNED: Final = "sage-rag-keyset-3"
"""The format of a grant that can check the owner's signatures."""

_Base64 = Annotated[str, Field(pattern=r"\A[A-Za-z0-9+/]*={0,2}\z")]
_STRICT = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)


class ScryptCost(BaseModel):
    """Parameters of scrypt (RFC 7914): 128 · n · r bytes of memory, n · r · p steps of work."""

    model_config = _STRICT
    n: int
    r: int
    p: int


COST: Final = ScryptCost(n=2**15, r=8, p=1)
"""Twice the interactive cost of RFC 7914: 32 MiB and less than 0.5 s on one core."""
_MAX_MEMORY_BYTES = 2**28
_MAX_P = 4
_cost = COST
"""The cost of new files, and the minimum of files that are read. Only `testing` lowers it."""


class Header(BaseModel):
    """The part of a sealed file that needs no passphrase. Only grants have `types` and `label`."""

    model_config = _STRICT
    format: Literal["sage-rag-keyset-2", "sage-rag-keyset-3"] = FORMAT
    kind: Literal["keyset", "grant"]
    primary: KeyId
    key_ids: tuple[KeyId, ...]
    types: tuple[EntityType, ...] | None = None
    created: Timestamp
    label: Label | None = None


class _Envelope(Header):
    scrypt: ScryptCost
    salt: _Base64
    nonce: _Base64
    tag: _Base64
    ciphertext: _Base64


def seal(header: Header, body: bytes, passphrase: str) -> str:
    """Return the text of a sealed file.

    Raises:
        KeysetError: for an empty passphrase.
    """
    salt, nonce = os.urandom(16), os.urandom(12)
    open_parts = {
        **header.model_dump(mode="json"),
        "scrypt": _cost.model_dump(),
        "salt": _encode(salt),
        "nonce": _encode(nonce),
    }
    cipher = AES.new(_derive_key(passphrase, salt, _cost), AES.MODE_GCM, nonce=nonce)
    cipher.update(_header_bytes(open_parts))
    ciphertext, tag = cipher.encrypt_and_digest(body)
    sealed = {**open_parts, "tag": _encode(tag), "ciphertext": _encode(ciphertext)}
    return json.dumps(sealed, indent=2) + "\n"


def unseal(content: bytes, passphrase: str, name: str) -> tuple[Header, bytes]:
    """Return header and body of a sealed file; messages call the file `name`.

    Guarantees: a manipulated file costs at most 256 MiB and a few seconds.

    Raises:
        KeysetError: for a file that `seal` did not make under this passphrase.
    """
    envelope = _parse(content, name)
    _check_cost(envelope.scrypt, name)
    try:
        salt, nonce, tag, ciphertext = (
            base64.b64decode(part, validate=True)
            for part in (envelope.salt, envelope.nonce, envelope.tag, envelope.ciphertext)
        )
        cipher = AES.new(_derive_key(passphrase, salt, envelope.scrypt), AES.MODE_GCM, nonce=nonce)
        cipher.update(
            _header_bytes(envelope.model_dump(mode="json", exclude={"tag", "ciphertext"}))
        )
        body = cipher.decrypt_and_verify(ciphertext, tag)
    except ValueError:
        raise KeysetError(
            f"`{name}` does not open: wrong passphrase or damaged file",
            hint="the passphrase is read from SAGE_RAG_PASSPHRASE, --passphrase-file or a prompt",
        ) from None
    return read_header(content, name), body


def read_header(content: bytes, name: str) -> Header:
    """Return the header of a sealed file. Only `unseal` checks that it is genuine.

    Raises:
        KeysetError: when it is not a sealed file.
    """
    envelope = _parse(content, name)
    return Header(**{field: getattr(envelope, field) for field in Header.model_fields})


def _parse(content: bytes, name: str) -> _Envelope:
    try:
        return _Envelope.model_validate_json(content)
    except ValidationError as error:
        failed = {".".join(map(str, e["loc"][:1])) for e in error.errors(include_input=False)}
    if MARK.encode() not in content:
        raise KeysetError(f"`{name}` is not a keyset")
    if "format" in failed:
        raise KeysetError(f"`{name}` is not a sealed keyset of format {FORMAT} or {FORMAT_SIGNED}")
    raise KeysetError(f"`{name}` is damaged", hint="restore it from a backup")


def _check_cost(cost: ScryptCost, name: str) -> None:
    power_of_two = cost.n > 1 and cost.n & (cost.n - 1) == 0
    bounded = cost.r >= 1 and 1 <= cost.p <= _MAX_P and 128 * cost.n * cost.r <= _MAX_MEMORY_BYTES
    if not (power_of_two and bounded):
        raise KeysetError(f"`{name}` has a scrypt cost outside the allowed range")
    if cost.n * cost.r < _cost.n * _cost.r:
        raise KeysetError(
            f"`{name}` is sealed too weakly: its passphrase could be guessed quickly",
            hint="others may know its keys; use another keyset",
        )


def _derive_key(passphrase: str, salt: bytes, cost: ScryptCost) -> bytes:
    if not passphrase:
        raise KeysetError("the passphrase is empty")
    try:
        secret = unicodedata.normalize("NFC", passphrase).encode()
    except UnicodeEncodeError:
        raise KeysetError("the passphrase is not UTF-8") from None
    # As bytes: PyCryptodome would encode a string as Latin-1.
    key = scrypt(secret, salt, 32, cost.n, cost.r, cost.p)
    if not isinstance(key, bytes):
        raise TypeError("scrypt returned several keys in place of one")
    return key


def _header_bytes(open_parts: dict[str, Any]) -> bytes:
    return json.dumps(open_parts, sort_keys=True, separators=(",", ":")).encode()


def _encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
