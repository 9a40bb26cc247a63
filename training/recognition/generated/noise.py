"""Disguises: the effects of typing, scanning, dictating and mail programs on a text.

A disguise replaces each character by a string, mostly by the same character. The lengths of these
strings move the spans, so a span always covers what its characters became.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.generated.draw import Draw

Disguise = Callable[[Draw, str, Sequence[Span]], list[str]]
"""Returns one replacement for each character of the text."""
Mix = Sequence[tuple[Sequence[str], float]]
"""Names of disguises that apply together, and their weight among the others."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_NEAR = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n", "n": "mb", "o": "ip", "p": "o", "q": "w",
    "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu",
    "z": "x",
}  # fmt: skip
"""Neighbouring keys on a keyboard."""
_CONFUSED = {
    "l": "1", "1": "l", "0": "O", "O": "0", "m": "rn", "i": "1", "I": "l", "S": "5", "5": "S",
    "e": "c", "c": "e", "B": "8", "h": "b", "g": "q", "u": "ii", "w": "vv", "d": "cl", "t": "f",
    "a": "o", ",": ".", ".": ",",
}  # fmt: skip
"""The character that a scanner reads in place of another."""
_JOINED = {"rn": "m", "cl": "d", "vv": "w", "ri": "n", "ii": "u"}
_FILLERS = ("uh", "um", "er", "you know", "like", "hmm")


def moved(pieces: Sequence[str], spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """Join the replacements of a text's characters, and return the text and its moved spans.

    An empty span is dropped.
    """
    text = "".join(pieces)
    at = [0, *accumulate(map(len, pieces))]
    found = []
    for span in spans:
        start, end = at[span.start], at[span.end]
        kept = text[start:end]
        start, end = end - len(kept.lstrip()), start + len(kept.rstrip())
        if start < end:
            found.append(Span(start, end, span.entity_type))
    return text, found


def moved_example(example: Example, pieces: Sequence[str]) -> Example:
    """Return an example with each of its characters replaced."""
    text, spans = moved(pieces, example.spans)
    unsure = [Span(start, end, EntityType.MISC) for start, end in example.unsure]
    ranges = tuple((span.start, span.end) for span in moved(pieces, unsure)[1])
    return replace(example, text=text, spans=tuple(spans), unsure=ranges)


def disguised(example: Example, draw: Draw, mix: Mix) -> Example:
    """Apply the disguises of one entry of `mix`, drawn by weight."""
    for name in draw.weighted([names for names, _ in mix], [weight for _, weight in mix]):
        example = moved_example(example, DISGUISES[name](draw, example.text, example.spans))
    return example


def lower(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    return [character.lower() for character in text]


def upper(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    return [character.upper() for character in text]


def title_case(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    before = [" ", *text]
    return [c.lower() if p.isalpha() else c.upper() for p, c in zip(before, text, strict=False)]


def lower_names(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Write names without capitals; the rest of the text keeps its capitals."""
    kinds = {EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION}
    return _within(text, [s for s in spans if s.entity_type in kinds], str.lower)


def upper_names(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Write names of people in capitals, as in pleadings and passenger lists."""
    return _within(text, [s for s in spans if s.entity_type is EntityType.PERSON], str.upper)


def misspell(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Mistype some words, names more often than others."""
    pieces = list(text)
    names = [s for s in spans if s.entity_type in {EntityType.PERSON, EntityType.LOCATION}]
    for word in _WORD.finditer(text):
        named = any(s.start <= word.start() and word.end() <= s.end for s in names)
        if draw.chance(0.45 if named else 0.1):
            _mistype(draw, pieces, word.start(), word.end())
    return pieces


def _mistype(draw: Draw, pieces: list[str], start: int, end: int) -> None:
    at = draw.between(start, end - 2)
    kind = draw.between(0, 4)
    if kind == 0:
        pieces[at], pieces[at + 1] = pieces[at + 1], pieces[at]
    elif kind == 1:
        pieces[at + 1] = ""
    elif kind == 2:
        pieces[at] *= 2
    elif kind == 3:
        pieces[at + 1] = draw.pick(_NEAR.get(pieces[at + 1].lower(), "e"))
    else:
        swaps = {"a": "e", "e": "i", "i": "y", "o": "u", "u": "o", "y": "i", "c": "k", "k": "c"}
        swaps |= {"f": "ph", "s": "z", "z": "s", "v": "w", "w": "v", "t": "th", "h": ""}
        pieces[at + 1] = swaps.get(pieces[at + 1].lower(), pieces[at + 1])


def scan(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Simulate a scanner: confused letters, lost spaces, words broken at line ends."""
    pieces = list(text)
    at = 0
    while at < len(text):
        pair, chance = text[at : at + 2], draw.random.random()
        if pair in _JOINED and chance < 0.12:
            pieces[at], pieces[at + 1] = _JOINED[pair], ""
            at += 1
        elif text[at] in _CONFUSED and chance < 0.025:
            pieces[at] = _CONFUSED[text[at]]
        elif text[at] == " " and chance < 0.02:
            pieces[at] = ""
        at += 1
    for word in _WORD.finditer(text):
        if len(word.group()) > 7 and draw.chance(0.06):
            pieces[draw.between(word.start() + 2, word.end() - 4)] += "-\n"
    return pieces


def unpunctuated(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Remove punctuation, except within numbers and codes."""
    return ["" if c in ",.;:!?'’\"()" and not _in_code(text, i) else c for i, c in enumerate(text)]


def dictated(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Simulate dictation: no capitals, no punctuation, with the speaker's hesitations."""
    inside = _covered(text, spans)
    pieces = [piece.lower() for piece in unpunctuated(draw, text, spans)]
    for at, character in enumerate(text):
        if character == "\n":
            pieces[at] = " "
        if character == " " and not inside[at] and draw.chance(0.03):
            pieces[at] = f" {draw.pick(_FILLERS)} "
    return pieces


def wrapped(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Break lines at a width, also within names; some lines start with the ">" of a quotation."""
    width, mark = draw.between(38, 76), draw.pick(("\n", "\n", "\n> ", "\n  "))
    pieces, column = list(text), 0
    for at, character in enumerate(text):
        column = 0 if character == "\n" else column + 1
        if character == " " and column >= width:
            pieces[at], column = mark, 0
    return pieces


def unspaced(draw: Draw, text: str, spans: Sequence[Span]) -> list[str]:
    """Remove or double the space after some commas and full stops."""
    pieces = list(text)
    for at in range(1, len(text)):
        if text[at] == " " and draw.chance(0.4 if text[at - 1] in ".,:;" else 0.02):
            pieces[at] = draw.pick(("", "", "  "))
    return pieces


DISGUISES: dict[str, Disguise] = {
    "lower": lower,
    "upper": upper,
    "title_case": title_case,
    "lower_names": lower_names,
    "upper_names": upper_names,
    "misspell": misspell,
    "scan": scan,
    "unpunctuated": unpunctuated,
    "dictated": dictated,
    "wrapped": wrapped,
    "unspaced": unspaced,
}


def _in_code(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit()


def _covered(text: str, spans: Sequence[Span]) -> list[bool]:
    inside = [False] * len(text)
    for span in spans:
        inside[span.start : span.end] = [True] * len(span)
    return inside


def _within(text: str, spans: Sequence[Span], change: Callable[[str], str]) -> list[str]:
    inside = _covered(text, spans)
    return [change(c) if covered else c for c, covered in zip(text, inside, strict=True)]
