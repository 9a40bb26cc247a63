"""Encrypt a value into a token that a key restores."""

from __future__ import annotations

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import EntityCipher

_PIECE_CHARS = 700
"""At most four bytes each: well within one token."""


def encrypt(value: str, entity_type: EntityType, cipher: EntityCipher) -> list[str]:
    """Return the tokens of a value: one, or several in a row for a very long one.

    Decrypted in order they give exactly the value.

    Raises:
        KeysetError: where the cipher has no key for the type.
    """
    pieces = (value[i : i + _PIECE_CHARS] for i in range(0, len(value), _PIECE_CHARS))
    return [cipher.encrypt(piece, entity_type) for piece in pieces]
