"""Errors of one value or token; no message contains the value, or why a token fails."""

from __future__ import annotations

from enum import StrEnum

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.exceptions import DecryptionError


class Fault(StrEnum):
    """Why a token does not open, as far as the holder of a keyset can see.

    All except `FORGED` follow from public parts of a token, so they do not help a forger.
    """

    MALFORMED = "malformed"
    """It does not have the format of this cipher's tokens."""
    UNKNOWN_KEY = "unknown key"
    """It contains a key id that is not in the keyset."""
    NOT_GRANTED = "not granted"
    """The keyset is a grant without this entity type."""
    FORGED = "failed authentication"
    """The format is right, but it was not made under this key, corpus and type."""


class TokenError(DecryptionError):
    """A token does not open; `fault` is the reason.

    Guarantees: the message is the same for every fault, and contains no part of the token.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__("the token cannot be opened with this keyset")
        self.fault = fault


def value_bytes(value: str) -> bytes:
    """Return a value in UTF-8.

    Raises:
        InputError: for half a surrogate pair; Python's own error would contain the value.
    """
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InputError("a value is not Unicode text: it holds half a surrogate pair") from None
