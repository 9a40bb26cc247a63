"""The interfaces of the kernel: recognizer and cipher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span


class Recognizer(Protocol):
    """Finds private values. Never changes text; may return overlapping spans."""

    @property
    def fingerprint(self) -> str:
        """A short name that changes whenever the results could change."""
        ...

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans found in `text`, in code points, in any order."""
        ...


class EntityCipher(Protocol):
    """Turns a value into a token and back.

    Guarantees: equal values of one type give equal tokens; `decrypt(encrypt(v, t)) == v`; refuses
    a token that was not made under this keyset, corpus and type, unless the docstring of the
    cipher says that it does not authenticate.
    Does not guarantee: hiding equality or frequency of values, or their length beyond 16 bytes.
    """

    def encrypt(self, value: str, entity_type: EntityType) -> str:
        """Return the token of a value.

        Raises:
            InputError: for a value that does not fit in a token.
            KeysetError: where the keyset has no key for the type.
        """
        ...

    def decrypt(self, token: str) -> str:
        """Return the value of a token.

        Raises:
            DecryptionError: for a token that `encrypt` did not return.
        """
        ...
