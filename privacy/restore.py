"""Restore: tokens become plain values again, in a whole text or in a stream."""

from __future__ import annotations

import re
from collections.abc import Callable

from sage_rag.privacy.inspection import Condition, classify_token
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.tokens import LOOSE, StreamReplacer


class Restorer:
    """Turn tokens back into plain values with whatever keys are at hand.

    Damaged spellings (type in lower case, white space inside, another Base64 alphabet or padding,
    escaped brackets, no closing bracket) are shown as their value where the repaired token
    authenticates.

    Guarantees: with an authenticated cipher, a value is shown only for a token made of it.
    `on_token`, if given, hears how each token was, in order, and nothing else of it.
    Does not guarantee: the same of a cipher that says so itself, such as the codebook.
    """

    def __init__(
        self, cipher: EntityCipher, on_token: Callable[[Condition], None] | None = None
    ) -> None:
        self._cipher = cipher
        self._on_token = on_token

    def restore(self, text: str) -> str:
        """Return the text with each token as its value.

        A token that cannot be opened is shown as `[PERSON: unreadable]`, never as a guess; one of
        a type that a grant does not hold as `[PERSON: not granted]`, genuine or not: without the
        key nobody can tell.
        """
        return LOOSE.pattern.sub(self._value, text)

    def stream(self) -> StreamReplacer:
        """Return a restorer for text that arrives in pieces; it gives what `restore` gives."""
        return StreamReplacer(LOOSE, self._value)

    def _value(self, match: re.Match[str]) -> str:
        found = classify_token(match, self._cipher)
        if found is None:
            return match.group()
        if self._on_token is not None:
            self._on_token(found.condition)
        kept = match.group()[: found.start - match.start()]
        if found.value is None:
            granted = found.condition is not Condition.NOT_GRANTED
            reason = "unreadable" if granted else "not granted"
            return f"{kept}[{found.entity_type}: {reason}]"
        return kept + found.value
