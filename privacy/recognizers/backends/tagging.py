"""Decode a probability per token and label into spans: label schemes, words, thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.word_borders import same_word
from sage_rag.privacy.spans import Span

Probabilities = NDArray[np.float32]

_OUTSIDE = "O"
_BEGINS, _ENDS = frozenset("BSU"), frozenset("SUEL")
_PREFIXES = _BEGINS | _ENDS | frozenset("IM")


@dataclass(frozen=True, slots=True)
class TagSet:
    """The meaning of each of a model's labels, in the order of its outputs.

    `types`: our type, or `None` for outside. `begins`, `ends`: whether the label marks the first
    or the last word of a value.
    """

    types: tuple[EntityType | None, ...]
    begins: tuple[bool, ...]
    ends: tuple[bool, ...]

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        types_of: Callable[[Iterable[str]], Mapping[str, EntityType | None]],
    ) -> TagSet:
        """Read label names: `O`, and kinds that all have a prefix (`B-PER`) or all have none.

        Raises:
            InputError: when no label, or every label, means that a word is not private.
        """
        inside = [name for name in names if name != _OUTSIDE]
        prefixed = all(name[1:2] == "-" and name[0] in _PREFIXES for name in inside)
        kinds = {name: name[2:] if prefixed else name for name in inside}
        known = types_of(dict.fromkeys(kinds.values()))
        types = tuple(known[kinds[name]] if name in kinds else None for name in names)
        if None not in types or not any(types):
            raise InputError(
                "the model's labels do not separate private words from others",
                hint="is it a token-classification model with a label `O`?",
            )
        marks = [name[0] if prefixed and name in kinds else "" for name in names]
        return cls(types, tuple(m in _BEGINS for m in marks), tuple(m in _ENDS for m in marks))


@dataclass(frozen=True, slots=True)
class Token:
    """A word piece: its place in the text, and a probability per label."""

    start: int
    end: int
    answer: Probabilities


def decode_tags(
    text: str, tokens: Sequence[Token], tags: TagSet, threshold: float
) -> Sequence[Span]:
    """Return the spans of one text, in order.

    `tokens` are in order. The first piece of a word decides, as such models are trained.
    """
    words = list(_words(text, tokens))
    if not words:
        return []
    answers = np.stack([word.answer for word in words])
    outside = np.array([t is None for t in tags.types])
    # Summed over the private labels, not 1 - P(O): the same to rounding, and never above 1 by it.
    private = np.minimum(answers[:, ~outside].sum(1), 1.0)
    return list(_joined_words(words, private, tags, threshold))


def _words(text: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield words, on which tokenizers differ: runs of pieces without a border between them."""
    current: Token | None = None
    for token in tokens:
        piece = _stripped(text, token)
        if piece is None:
            continue
        if current is None:
            current = piece
        elif piece.start < current.end or _one_word(text, current.end, piece.start):
            current = Token(current.start, max(current.end, piece.end), current.answer)
        else:
            yield current
            current = piece
    if current is not None:
        yield current


def _stripped(text: str, token: Token) -> Token | None:
    """Return the token without the white space that some tokenizers include."""
    piece = text[token.start : token.end]
    start = token.start + len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    return Token(start, end, token.answer) if start < end else None


def _one_word(text: str, end: int, start: int) -> bool:
    """Return whether two pieces belong to one word: no white space or border between them."""
    gap = text[end:start]
    return same_word(text[end - 1], text[start]) and not any(c.isspace() for c in gap)


def _joined_words(
    words: Sequence[Token], private: Probabilities, tags: TagSet, threshold: float
) -> Iterator[Span]:
    start = end = -1
    entity_type: EntityType | None = None
    score, open_ended = 1.0, False
    for word, probability in zip(words, private, strict=True):
        found, begins, ends = (
            _likeliest_type(word.answer, tags) if probability >= threshold else (None, False, False)
        )
        if entity_type and not (open_ended and found is entity_type and not begins):
            yield Span(start, end, entity_type, score)
            entity_type = None
        if found is None:
            continue
        if entity_type is None:
            start, score = word.start, 1.0
        end, entity_type, open_ended = word.end, found, not ends
        score = min(score, float(probability))
    if entity_type:
        yield Span(start, end, entity_type, score)


def _likeliest_type(answer: Probabilities, tags: TagSet) -> tuple[EntityType, bool, bool]:
    """Return the likeliest type of a private word, and whether it begins or ends a value."""
    masses: dict[EntityType, float] = {}
    for i, entity_type in enumerate(tags.types):
        if entity_type is not None:
            masses[entity_type] = masses.get(entity_type, 0.0) + float(answer[i])
    best = max(masses, key=lambda t: (masses[t], t))
    begins = sum(float(answer[i]) for i, t in enumerate(tags.types) if t is best and tags.begins[i])
    ends = sum(float(answer[i]) for i, t in enumerate(tags.types) if t is best and tags.ends[i])
    return best, begins > masses[best] / 2, ends > masses[best] / 2
