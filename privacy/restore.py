"""Restore tokens to plain values, in a whole text or in a stream."""

from __future__ import annotations

import re
from collections.abc import Callable

from sage_rag.privacy.inspection import Condition, Occurrence, classify_token
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.tokens import LOOSE, StreamReplacer


class Restorer:
    """Turn tokens back into plain values with the keys of a cipher.

    A damaged spelling (type in lower case, white space inside, another Base64 alphabet or padding,
    escaped brackets, no closing bracket) is restored where the repaired token authenticates.
    `on_token` receives each token, in order, with its plain value if it was opened.

    Guarantees: with an authenticated cipher, a value is shown only for a token made of it.
    Does not guarantee: this for a cipher without authentication, such as the codebook.
    """

    def __init__(
        self, cipher: EntityCipher, on_token: Callable[[Occurrence], None] | None = None
    ) -> None:
        self._cipher = cipher
        self._on_token = on_token

    def restore(self, text: str) -> str:
        """Return the text with each token replaced by its value.

        A token that cannot be opened becomes `[PERSON: unreadable]`; a token of a type that is
        not granted becomes `[PERSON: not granted]`, genuine or not: only the key can show that.
        """
        return LOOSE.pattern.sub(self._value, text)

    def stream(self) -> StreamReplacer:
        """Return a restorer for text in pieces; the result is the same as that of `restore`."""
        return StreamReplacer(LOOSE, self._value)

    def _value(self, match: re.Match[str]) -> str:
        found = classify_token(match, self._cipher)
        if found is None:
            return match.group()
        if self._on_token is not None:
            self._on_token(found)
        kept = match.group()[: found.start - match.start()]
        if found.value is None:
            granted = found.condition is not Condition.NOT_GRANTED
            reason = "unreadable" if granted else "not granted"
            return f"{kept}[{found.entity_type}: {reason}]"
        return kept + found.value
