"""Decode a tagger's answers into spans."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from sage_rag.privacy.english import ONES, TENS
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS
from sage_rag.privacy.spans import Span

OUTSIDE, BEGIN, INSIDE = range(3)

_EDGES = ",;:!?\"“”„«»()[]{}<>|*_=/\\'’-"
_DANGLING = re.compile(r"\s+(?:and|or)$")
"""What joins a value to the next one, which has another type: `Lima and` before `Ms Sato`."""
_TENS = re.compile(rf"(?<!\w)(?:{'|'.join(TENS)})\Z", re.IGNORECASE)
_UNIT = re.compile(rf"[ -](?:{'|'.join(ONES[1:10])})(?!\w)", re.IGNORECASE)
"""The rest of a number in words: `forty` alone would leave the "one" of an age in clear."""
_CODE = re.compile(r"(?=\S*\d)[A-Z]\S+")
_SENTENCE_END = re.compile(r"[^\W\d_]{4}\.\s+$")
"""A full stop after four letters or more: after fewer it may be an abbreviation ("No. A12")."""
_SENTENCE_END_CHARS = 12
_TELEPHONE = re.compile(
    r"(?<![^\W_])(?:(?:tel|telephone|phone|ph|mobile|mob|cell|fax)(?:[ ]?[.:]){0,2}|[tmf][ ]?:)"
    r"[ ]{0,2}(?P<number>[+(]{0,2}\d(?:[ ().-]{0,3}\d){5,14})(?!\w)",
    re.IGNORECASE,
)
"""A telephone number after its label: no value next to it holds them ("York. Tel. 01…")."""
_JOINING = 0.4
"""Share of its threshold from which a word joins a value next to it."""
_JOINERS = frozenset("-'’.&/@")


def private_logit(answers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the logit that a piece is private, from logits (…, 3): begin and inside together."""
    inside: NDArray[np.float32] = np.logaddexp(answers[..., 1], answers[..., 2])
    return inside - answers[..., 0]


def decode_pieces(
    text: str,
    offsets: Sequence[tuple[int, int]],
    words: Sequence[int],
    scores: NDArray[np.float32],
    begins: NDArray[np.bool_],
    types: Sequence[tuple[EntityType, float]],
) -> list[Span]:
    """Return the spans of each type; spans of different types overlap where both are likely.

    `scores` (pieces, types): how likely a piece is private as that type. `begins` (pieces, types):
    whether a value more likely begins there than continues. `words` numbers the word of each piece;
    a word is private when any of its pieces is. `types` names each column, with the score from
    which it counts. A span's score is the mean over its words.
    """
    if not offsets:
        return []
    number = np.asarray(words)
    first = np.flatnonzero(np.diff(number, prepend=-1)).tolist()
    best = np.maximum.reduceat(scores, first, axis=0)
    starts = [offsets[i][0] for i in first]
    ends = [max(e for _, e in offsets[i:j]) for i, j in zip(first, [*first[1:], None], strict=True)]
    labels, edges = _telephones(text, starts)
    found: list[Span] = []
    for column, (entity_type, threshold) in enumerate(types):
        private = best[:, column] >= threshold
        if private.any():
            private = _grown(text, private, best[:, column] >= _JOINING * threshold, starts, ends)
            if entity_type is EntityType.DEMOGRAPHIC:
                private = _compounds(text, private, starts, ends)
            private[labels] = False
            opens = begins[first, column]
            for run in _runs(text, private, opens, starts, ends, edges):
                score = float(best[run, column].mean())
                span = _trimmed(text, starts[run.start], ends[run.stop - 1], entity_type, score)
                found += [span] if span else []
    return sorted(found, key=lambda s: (s.start, -s.end))


def _grown(
    text: str,
    private: NDArray[np.bool_],
    likely: NDArray[np.bool_],
    starts: Sequence[int],
    ends: Sequence[int],
) -> NDArray[np.bool_]:
    """Return the private words and the likely ones next to them: half a value protects nothing."""
    grown = private.copy()
    for places, step in ((range(1, len(starts)), -1), (range(len(starts) - 2, -1, -1), 1)):
        for i in places:
            if likely[i] and not grown[i] and grown[i + step] and text[starts[i]].isalnum():
                left, right = (i + step, i) if step < 0 else (i, i + step)
                grown[i] = text[ends[left] : starts[right]] in ("", " ")
    return grown


def _compounds(
    text: str, private: NDArray[np.bool_], starts: Sequence[int], ends: Sequence[int]
) -> NDArray[np.bool_]:
    """Return the private words and the others of their compounds: "ex" alone hides no "ex-wife"."""
    whole = private.copy()
    signs = [i for i in range(1, len(starts) - 1) if _joins_letters(text, starts, ends, i)]
    for i in (*signs, *reversed(signs)):
        whole[i - 1] = whole[i + 1] = whole[i - 1] or whole[i + 1]
    return whole


def _joins_letters(text: str, starts: Sequence[int], ends: Sequence[int], sign: int) -> bool:
    return (
        text[starts[sign] : ends[sign]] == "-"
        and _ties(text, starts, ends, sign)
        and text[starts[sign] - 1].isalpha()
        and text[ends[sign]].isalpha()
    )


def _runs(
    text: str,
    private: NDArray[np.bool_],
    opens: NDArray[np.bool_],
    starts: Sequence[int],
    ends: Sequence[int],
    edges: AbstractSet[int],
) -> Iterator[slice]:
    """Yield runs of private words; a sign that connects two of them ("O'Brien") is included.

    `edges`: words that begin a run.
    """
    i, count = 0, len(starts)
    while i < count:
        if not private[i]:
            i += 1
            continue
        j = i + 1
        while j < count:
            if private[j]:
                if opens[j] and text[starts[j] - 1].isspace():
                    break
                if j in edges or _code_after_sentence(text, starts[j]):
                    break
                j += 1
            elif j + 1 < count and private[j + 1] and _ties(text, starts, ends, j):
                j += 2
            else:
                break
        yield slice(i, j)
        i = j


def _telephones(text: str, starts: Sequence[int]) -> tuple[list[int], set[int]]:
    """Return the words that label telephone numbers, and those at and after such a number."""
    labels: list[int] = []
    edges: set[int] = set()
    for match in _TELEPHONE.finditer(text):
        first, number, after = (
            bisect_left(starts, place) for place in (match.start(), *match.span("number"))
        )
        labels += range(first, number)
        edges |= {number, after}
    return labels, edges


def _code_after_sentence(text: str, start: int) -> bool:
    """Return whether a code begins here, after a full stop: `… in Gadsby. BK-3055 …`."""
    before = text[max(0, start - _SENTENCE_END_CHARS) : start]
    return bool(_CODE.match(text, start) and _SENTENCE_END.search(before))


def _ties(text: str, starts: Sequence[int], ends: Sequence[int], sign: int) -> bool:
    return (
        text[starts[sign] : ends[sign]] in _JOINERS
        and ends[sign - 1] == starts[sign]
        and ends[sign] == starts[sign + 1]
    )


def _trimmed(text: str, start: int, end: int, entity_type: EntityType, score: float) -> Span | None:
    """Return the span without signs at its edges; a full stop stays only after a single letter.

    `None` where nothing is left, or only a function word.
    """
    while start < end and (text[start].isspace() or text[start] in _EDGES + "."):
        start += 1
    while start < end and (
        text[end - 1].isspace()
        or text[end - 1] in _EDGES
        or (text[end - 1] == "." and not _initial(text, start, end))
    ):
        end -= 1
    if dangling := _DANGLING.search(text, start, end):
        end = dangling.start()
    if (unit := _UNIT.match(text, end)) and _TENS.search(text, start, end):
        end = unit.end()
    if entity_type is EntityType.PERSON and text[end - 2 : end] in ("'s", "’s"):
        end -= 2
    value = text[start:end]
    if not any(c.isalnum() for c in value) or value in FUNCTION_WORDS:
        return None
    return Span(start, end, entity_type, min(1.0, score))


def _initial(text: str, start: int, end: int) -> bool:
    """Return whether the full stop at the end belongs to an abbreviation: "J.", "U.S."."""
    return (
        end - start >= 2
        and text[end - 2].isalpha()
        and (end - start == 2 or not text[end - 3].isalpha())
    )
