"""Mark names in transcripts of doctor visits, from the patient's name in the metadata.

Marked are the patient's names and names after a title. Names of other people are unmarked in the
data, so possible names are `unsure`; ordinary words are not, although a few of them are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold

_TITLED = re.compile(
    r"\b(?P<title>[dD]r|[mM]rs?|[mM]s|[mM]iss|[dD]octor)\b\.? (?P<name>[A-Za-z][A-Za-z'-]+)"
)
_AMBIGUOUS_TITLES = frozenset({"miss", "doctor"})
"""Words with another use: "miss" is also a verb, and any word can follow "doctor"."""
_TITLE_BEFORE = re.compile(r"\b(?:dr|mrs?|ms|miss|doctor)\b\.? $", re.IGNORECASE)
_CAPITALISED = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?:['-]\w+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_PARTS = ("dialogue", "note")


def texts(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the marked transcript and note of a visit, unless they are empty."""
    names = [str(row.get(key, "")).strip() for key in ("patient_firstname", "patient_familyname")]
    for part in _PARTS:
        text = row.get(part)
        if isinstance(text, str) and text.strip():
            yield {"id": row.get("id"), **_marked(text, [name for name in names if name])}


def _marked(text: str, names: list[str]) -> dict[str, Any]:
    sure, unsure = _patient(text, names)
    for match in _TITLED.finditer(text):
        span = match.span("name")
        if not _is_name(match["name"]) or _touches(span, sure):
            continue
        ambiguous = match["title"].lower() in _AMBIGUOUS_TITLES and _is_word(match["name"])
        (unsure if ambiguous else sure).append(span)
    names_elsewhere = (match for match in _WORD.finditer(text) if _is_name(match[0]))
    others = (*names_elsewhere, *_CAPITALISED.finditer(text))
    unsure += [match.span() for match in others if not _is_word(match[0])]
    return {
        "text": text,
        "spans": [{"start": s, "end": e, "label": "PERSON"} for s, e in sorted(sure)],
        "unsure": [span for span in unsure if not _touches(span, sure)],
    }


def _patient(text: str, names: list[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the ranges of the patient's names, and of words that may be ordinary words."""
    sure: list[tuple[int, int]] = []
    unsure: list[tuple[int, int]] = []
    if not names:
        return sure, unsure
    either = "|".join(map(re.escape, names))
    for match in re.finditer(rf"(?<!\w)(?:{either})(?: (?:{either}))*(?!\w)", text, re.IGNORECASE):
        plain = match[0].islower() and _is_word(match[0])
        titled = _TITLE_BEFORE.search(text, max(0, match.start() - 8), match.start())
        (unsure if plain and not titled else sure).append(match.span())
    return sure, unsure


def _is_name(word: str) -> bool:
    kinds = default_lexicon().kinds_of(fold(word))
    return Kind.GIVEN in kinds or Kind.SURNAME in kinds


def _is_word(word: str) -> bool:
    return default_lexicon().is_word(fold(word))


def _touches(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
