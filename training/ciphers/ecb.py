"""AES-ECB as in an earlier system, for repeating its measurements; never use it to protect data."""

from __future__ import annotations

import base64
import binascii
import warnings

from Crypto.Cipher import AES
from Crypto.Util.Padding import pad, unpad

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.faults import Fault, TokenError, value_bytes
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import MAX_PAYLOAD, TOKEN

_BLOCK = 16
_KEY_BYTES = 32


class WeakCipherWarning(UserWarning):
    """A cipher is used that leaks more than other deterministic ciphers."""


class UnauthenticatedEcbCipher:
    """Encrypt values with AES-256-ECB: `TYPE_[base64(ciphertext)]`, padding of PKCS #7.

    Guarantees: equal values of a type give equal tokens; values are restored.
    Does not guarantee: hiding equal 16-byte blocks of two values: "Maria Anna Keller" and "Maria
    Anna Kellner" have equal beginnings, and parts of a long value can be recognised, cut out and
    recombined. Authentication: an invented token opens to junk if its padding and UTF-8 are right
    by chance (about one in 256 by padding alone), and a token moved to another corpus opens there.
    A token has no key id: only the primary key opens it.

    Source: Liu et al. (2025), SoE, §3.2. Differs: the spelling of the type;
    one subkey per entity type in place of one key in the code.
    """

    def __init__(self, keyset: Keyset, *, leaks_equal_blocks: bool = False) -> None:
        """Raise `InputError` unless `leaks_equal_blocks` is true; warn in any case."""
        if not leaks_equal_blocks:
            raise InputError(
                "AES-ECB shows equal 16-byte blocks and authenticates nothing",
                hint="use SivCipher; to repeat a paper's figures, pass leaks_equal_blocks=True",
            )
        warnings.warn(
            "AES-ECB shows equal 16-byte blocks and authenticates nothing: for experiments only",
            WeakCipherWarning,
            stacklevel=2,
        )
        self._keyset = keyset

    def encrypt(self, value: str, entity_type: EntityType) -> str:
        """Return `TYPE_[base64(ciphertext)]`, standard alphabet, with padding.

        Raises:
            InputError: for a value too long for one token, or half a surrogate pair.
            KeysetError: where a grant has no key for the type.
        """
        cipher = AES.new(self._key(entity_type), AES.MODE_ECB)
        plain = value_bytes(value)
        payload = base64.b64encode(cipher.encrypt(pad(plain, _BLOCK))).decode()
        if len(payload) > MAX_PAYLOAD:
            raise InputError(f"a value of {len(plain)} bytes is too long for one token")
        return f"{entity_type}_[{payload}]"

    def decrypt(self, token: str) -> str:
        """Return the value, or junk, since nothing is authenticated.

        Raises:
            TokenError: for wrong Base64, block length, padding or UTF-8.
        """
        match = TOKEN.fullmatch(token)
        if match is None:
            raise TokenError(Fault.MALFORMED)
        raw = _decode(match.group(2))
        try:
            key = self._key(EntityType(match.group(1)))
        except KeysetError:
            raise TokenError(Fault.NOT_GRANTED) from None
        try:
            return unpad(AES.new(key, AES.MODE_ECB).decrypt(raw), _BLOCK).decode()
        except ValueError:  # also UnicodeDecodeError
            raise TokenError(Fault.FORGED) from None

    def _key(self, entity_type: EntityType) -> bytes:
        return self._keyset.entity_key(
            self._keyset.primary, entity_type, purpose="ecb", size_bytes=_KEY_BYTES
        )


def _decode(payload: str) -> bytes:
    try:
        raw = base64.b64decode(payload, validate=True)
    except (binascii.Error, ValueError):
        raise TokenError(Fault.MALFORMED) from None
    if not raw or len(raw) % _BLOCK or base64.b64encode(raw).decode() != payload:
        raise TokenError(Fault.MALFORMED)
    return raw
