"""Put a text's words in another order, so that no long run of them survives; placeholders do."""

from __future__ import annotations

import re

from sage_rag.privacy.tokens import PLACEHOLDER

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_PIECE = re.compile(rf"{PLACEHOLDER.pattern}|[{_UNSPACED}]|[^\s{_UNSPACED}\[]+|\[")
_CLAUSE_END = re.compile(r"(?<=[.!?;,:])(?=\s)|(?<=[\n。！？；，：])")
_EDGES = " \t.,;:!?()\"'*#|。！？；，：、"
PHRASE_WORDS = 4
"""Words kept together: under half of what the gate takes for a copied run."""


def phrases_of(text: str, *, words: int = PHRASE_WORDS) -> list[str]:
    """Return a text's short phrases from its end to its beginning, without punctuation."""
    phrases = []
    for clause in _CLAUSE_END.split(text):
        pieces = [p for p in (_bare(m.group()) for m in _PIECE.finditer(clause)) if p]
        phrases += [pieces[at : at + words] for at in range(0, len(pieces), words)]
    return [joined(phrase) for phrase in reversed(phrases)]


def sentences_of(phrases: list[str]) -> str:
    """Write phrases as short sentences."""
    groups = [phrases[at : at + 3] for at in range(0, len(phrases), 3)]
    return " ".join(", ".join(group) + "." for group in groups)


def reworded(text: str, *, words: int = PHRASE_WORDS) -> str:
    """Say a text with its phrases in another order."""
    return sentences_of(phrases_of(text, words=words))


def joined(pieces: list[str]) -> str:
    """Put pieces beside each other, with blanks where their script writes them."""
    text = " ".join(pieces)
    return re.sub(rf"(?<=[{_UNSPACED}]) (?=[{_UNSPACED}])", "", text)


def _bare(piece: str) -> str:
    return piece if PLACEHOLDER.fullmatch(piece) else piece.strip(_EDGES)
