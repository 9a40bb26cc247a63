"""The default cipher: AES-SIV, deterministic and authenticated (RFC 5297)."""

from __future__ import annotations

import base64
import binascii

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.faults import Fault, TokenError, value_bytes
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import KEY_ID_BYTES, Keyset
from sage_rag.privacy.tokens import MAX_PAYLOAD, TOKEN

_TAG_BYTES = 16
_BLOCK = 16
MAX_VALUE_BYTES = MAX_PAYLOAD * 3 // 4 - KEY_ID_BYTES - _TAG_BYTES - _BLOCK


class SivCipher:
    """Encrypt values of one corpus with AES-256-SIV, one subkey per entity type.

    Associated data is the corpus id and the entity type: a token that is moved to another corpus
    or relabelled as another type fails authentication.

    Guarantees: authenticated; a token hides its value up to its length in 16-byte steps.
    Does not guarantee: semantic security. Deterministic by design (retrieval needs it), so a
    server sees which tokens are equal and how often each one occurs.
    """

    def __init__(self, keyset: Keyset, corpus_id: str) -> None:
        if not corpus_id:
            raise InputError("the name of the corpus is empty: tokens are bound to it")
        self._keyset = keyset
        self._corpus = corpus_id.encode()
        self._ciphers: dict[tuple[str, EntityType], AESSIV] = {}

    def encrypt(self, value: str, entity_type: EntityType) -> str:
        """Return `TYPE_[base64url(key id + SIV + ciphertext)]`.

        Raises:
            InputError: for a value too long for one token, or half a surrogate pair.
            KeysetError: where a grant has no key for the type.
        """
        plain = value_bytes(value)
        if len(plain) > MAX_VALUE_BYTES:
            raise InputError(f"a value of {len(plain)} bytes is too long for one token")
        key_id = self._keyset.primary
        sealed = self._cipher(key_id, entity_type).encrypt(_pad(plain), self._bound(entity_type))
        payload = base64.urlsafe_b64encode(bytes.fromhex(key_id) + sealed)
        return f"{entity_type}_[{payload.decode().rstrip('=')}]"

    def decrypt(self, token: str) -> str:
        """Return the value.

        Raises:
            TokenError: for a token that this keyset did not make.
        """
        match = TOKEN.fullmatch(token)
        if match is None:
            raise TokenError(Fault.MALFORMED)
        entity_type, payload = EntityType(match.group(1)), match.group(2)
        raw = _decode(payload)
        key_id = raw[:KEY_ID_BYTES].hex()
        sealed = raw[KEY_ID_BYTES:]
        if len(sealed) < _TAG_BYTES + _BLOCK or len(sealed) % _BLOCK:
            raise TokenError(Fault.MALFORMED)
        if key_id not in self._keyset:
            raise TokenError(Fault.UNKNOWN_KEY)
        try:
            cipher = self._cipher(key_id, entity_type)
        except KeysetError:
            raise TokenError(Fault.NOT_GRANTED) from None
        try:
            return _unpad(cipher.decrypt(sealed, self._bound(entity_type))).decode()
        except (InvalidTag, UnicodeDecodeError):  # not text: another holder of the key made it
            raise TokenError(Fault.FORGED) from None

    def _bound(self, entity_type: EntityType) -> list[bytes]:
        """Return the associated data: what a token is bound to."""
        return [self._corpus, entity_type.encode()]

    def _cipher(self, key_id: str, entity_type: EntityType) -> AESSIV:
        """Return the cipher of a key and type; at most one for each is kept, as long as `self`."""
        cipher = self._ciphers.get((key_id, entity_type))
        if cipher is None:
            key = self._keyset.entity_key(key_id, entity_type, purpose="siv", size_bytes=64)
            cipher = self._ciphers[key_id, entity_type] = AESSIV(key)
        return cipher


def _pad(plain: bytes) -> bytes:
    """Pad to whole 16-byte blocks (ISO 7816-4): a token shows the length only in such steps."""
    padded = plain + b"\x80"
    return padded + bytes(-len(padded) % _BLOCK)


def _unpad(padded: bytes) -> bytes:
    return padded.rstrip(b"\x00")[:-1]


def _decode(payload: str) -> bytes:
    """Decode strictly: a token has one spelling, so that equal values are equal strings."""
    try:
        raw = base64.b64decode(payload + "=" * (-len(payload) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise TokenError(Fault.MALFORMED) from None
    if base64.urlsafe_b64encode(raw).decode().rstrip("=") != payload:
        raise TokenError(Fault.MALFORMED)
    return raw
