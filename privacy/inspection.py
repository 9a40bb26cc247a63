"""Classify the tokens of a text: valid, valid after repair, or damaged in some way.

Models invent, damage and mix up what they copy. Source: Liu et al. (2025), SoE, A.1, which
distinguishes ciphertexts of other articles (FCAOA; here `UNCITED`) from those that do not decode
(FCND; here `MALFORMED`, `UNKNOWN_KEY`, `FORGED`), and repairs Base64 by padding to groups of four.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sage_rag.privacy.ciphers.faults import Fault, TokenError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.tokens import LOOSE, MIN_UNCLOSED, TOKEN


class Condition(StrEnum):
    """The condition of one token in a text; it includes every `Fault`."""

    VALID = "valid"
    UNCITED = "valid, but of no cited passage"
    REPAIRED = "valid after repair"
    MALFORMED = "malformed"
    UNKNOWN_KEY = "unknown key"
    NOT_GRANTED = "not granted"
    FORGED = "failed authentication"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One token, whole or damaged, at `[start, end)` of a text.

    `token`: the token as its cipher spells it. `value`: its plain value; `repr` hides it. Both are
    `None` for a token that does not open.
    """

    start: int
    end: int
    entity_type: EntityType
    condition: Condition
    token: str | None = None
    value: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The tokens of one text, in order."""

    occurrences: tuple[Occurrence, ...]

    @property
    def counts(self) -> Counter[Condition]:
        """The number of tokens of each condition."""
        return Counter(found.condition for found in self.occurrences)


def inspect(text: str, cipher: EntityCipher, cited: Collection[str] | None = None) -> Inspection:
    """Classify every token of a text, damaged spellings included.

    `cited`: the tokens of the cited passages; every other valid token is `UNCITED`. Without it no
    token is `UNCITED`. A token that is both repaired and uncited counts as `UNCITED`.

    Guarantees: returns a value only for a token that the cipher opens; returns no occurrence for
    text that is not a token.
    Does not guarantee: finding every damaged token, such as a payload without its type.
    """
    matches = (classify_token(match, cipher) for match in LOOSE.pattern.finditer(text))
    occurrences = [found for found in matches if found is not None]
    if cited is not None:
        occurrences = [
            found
            if found.token is None or found.token in cited
            else replace(found, condition=Condition.UNCITED)
            for found in occurrences
        ]
    return Inspection(tuple(occurrences))


def classify_token(match: re.Match[str], cipher: EntityCipher) -> Occurrence | None:
    """Classify one match of `LOOSE`; return `None` for text that only begins like a token."""
    spelling = match.group()
    claimed = EntityType(match.group(1).replace("\\", "").upper())
    strict = TOKEN.fullmatch(spelling) is not None
    faults: list[Fault] = []
    for shift, token in _candidates(match, claimed):
        try:
            value = cipher.decrypt(token)
        except DecryptionError as error:
            faults.append(error.fault if isinstance(error, TokenError) else Fault.FORGED)
            continue
        unchanged = strict and spelling[shift:] == token
        condition = Condition.VALID if unchanged else Condition.REPAIRED
        entity_type = EntityType(token.partition("_[")[0])
        return Occurrence(match.start() + shift, match.end(), entity_type, condition, token, value)
    if not strict and not _is_long(match):
        return None
    fault = next((fault for fault in faults if fault != Fault.MALFORMED), Fault.MALFORMED)
    condition = Condition(fault)
    return Occurrence(match.start(), match.end(), claimed, condition)


def _candidates(match: re.Match[str], claimed: EntityType) -> Iterator[tuple[int, str]]:
    """Yield possible tokens, each with its offset in the match; the unchanged spelling first."""
    seen: set[str] = set()
    payload = _payload(match)
    standard = payload.translate(_STANDARD).rstrip("=")
    for spelled in (
        match.group(2) or match.group(3) or "",
        payload,
        payload.translate(_URL_SAFE).rstrip("="),
        standard + "=" * (-len(standard) % 4),
    ):
        token = f"{claimed}_[{spelled}]"
        if token not in seen and TOKEN.fullmatch(token):
            seen.add(token)
            yield 0, token
    # "NATIONAL_" before an `ID_[...]` reads as the type NATIONAL_ID.
    for entity_type in EntityType:
        prefix = claimed.removesuffix(entity_type)
        if prefix not in ("", claimed) and match.group().startswith(claimed):
            yield len(prefix), match.group()[len(prefix) :]


_URL_SAFE = str.maketrans("+/", "-_")
_STANDARD = str.maketrans("-_", "+/")
_STRAY = re.compile("[\\s\\\\`*\"'\u00ad\u200b-\u200f\u2060\ufeff]")
"""White space, Markdown marks, quotes, and invisible characters."""


def _payload(match: re.Match[str]) -> str:
    """Return the payload without what a model, Markdown or HTML may have added."""
    return _STRAY.sub("", html.unescape(match.group(2) or match.group(3) or "")).strip(".…")


def _is_long(match: re.Match[str]) -> bool:
    """Return whether the payload can be ciphertext: `person_[0]` is program code."""
    payload = _payload(match)
    return len(payload) >= MIN_UNCLOSED and re.fullmatch(r"[\w+/=-]+", payload, re.A) is not None
