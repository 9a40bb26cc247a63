"""What can go wrong with one value or token; no message tells the value, or why a token fails."""

from __future__ import annotations

from enum import StrEnum

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.exceptions import DecryptionError


class Fault(StrEnum):
    """What stands in the way, as far as the holder of a keyset can tell.

    All but `FORGED` are told from public parts of a token, so they help no forger.
    """

    MALFORMED = "malformed"
    """It is not spelled as this cipher spells tokens."""
    UNKNOWN_KEY = "unknown key"
    """It names a key id that the keyset does not hold."""
    NOT_GRANTED = "not granted"
    """The keyset is a grant without this entity type."""
    FORGED = "failed authentication"
    """Well spelled, but not made under this key, corpus and type: invented, altered or moved."""


class TokenError(DecryptionError):
    """A token that does not open, with the `fault` as an attribute.

    Guarantees: the message is the same for every fault, and holds nothing of the token.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__("the token cannot be opened with this keyset")
        self.fault = fault


def value_bytes(value: str) -> bytes:
    """Return a value in UTF-8.

    Raises:
        InputError: for half a surrogate pair; Python's own error would hold the value.
    """
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InputError("a value is not Unicode text: it holds half a surrogate pair") from None
