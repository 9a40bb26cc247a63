"""A draft under revision: sentences can be left out or reworded."""

from __future__ import annotations

from dataclasses import dataclass

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import Draft
from sage_rag.agents.rules.courtesies import is_courtesy
from sage_rag.agents.rules.items import group, part_to_leave_out, shorten
from sage_rag.agents.rules.sentences import capitalize
from sage_rag.agents.rules.wording import RUN, Wording
from sage_rag.common.questions import asks
from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.words import tokenize

Place = tuple[int, int]
"""`[start, end)` in a draft's text."""

_FEWEST = 9
"""A draft is not shortened below this many words: it would no longer represent its record."""


@dataclass(slots=True, eq=False)
class _Sentence:
    """A sentence of a draft and its place in the draft's original text."""

    start: int
    end: int
    text: str

    def overlap(self, place: Place) -> int:
        return min(place[1], self.end) - max(place[0], self.start)

    def part(self, place: Place) -> str:
        """Return the part of the sentence at a place."""
        return self.text[max(place[0] - self.start, 0) : max(place[1] - self.start, 0)]


@dataclass(slots=True, eq=False)
class _Item:
    """Sentences that have their meaning only together."""

    field: str
    sentences: list[_Sentence]

    @property
    def size(self) -> int:
        return sum(len(words(s.text)) for s in self.sentences)

    @property
    def is_courtesy(self) -> bool:
        return is_courtesy(self.sentences[0].text)

    def keep(self, count: int) -> None:
        """Keep at most the first `count` sentences."""
        self.sentences = self.sentences[: len(shorten([s.text for s in self.sentences], count))]


class Page:
    """A draft under revision. Places refer to the draft's original text."""

    def __init__(self, draft: Draft) -> None:
        self._fields = tuple(draft.fields)
        self._items = _items(draft)
        self._wording = Wording(draft.text)

    def draft(self) -> Draft:
        """Return the revised draft."""
        return Draft(
            {
                name: " ".join(s.text for i in self._items if i.field == name for s in i.sentences)
                for name in self._fields
            }
        )

    def leave_out(self, place: Place) -> None:
        """Leave out the sentence at a place, and the sentences that depend on it."""
        for item in self._items:
            at = [n for n, s in enumerate(item.sentences) if s.overlap(place) > 0]
            if at:
                item.keep(at[0])
        self._items = [item for item in self._items if item.sentences]

    def break_run(self, place: Place) -> None:
        """Reword a repeated run, or leave out its sentence where no edit breaks it."""
        at = [s for i in self._items for s in i.sentences if s.overlap(place) > 0]
        if not at:
            return
        sentence = max(at, key=lambda s: s.overlap(place))
        other = self._wording.loosen(sentence.part(place), sentence.text)
        if other != sentence.text and not is_courtesy(sentence.text):
            sentence.text = capitalize(other)
            return
        parts = [(s.text, len(tokenize(s.part(place)))) for s in at]
        spare = at[part_to_leave_out(parts, sum(size for _, size in parts), RUN)]
        self.leave_out((spare.start, spare.end))

    def shorten(self, count: int) -> None:
        """Leave out about `count` words: the fewest whole items that suffice."""
        while count > 0:
            spare = [item for item in self._items if self._can_spare(item)]
            if not spare:
                return
            enough = [item for item in spare if item.size >= count]
            item = min(enough, key=_size) if enough else max(spare, key=_size)
            self._items.remove(item)
            count -= item.size

    def size(self) -> int:
        """Return the number of words on the page."""
        return sum(item.size for item in self._items)

    def _can_spare(self, item: _Item) -> bool:
        others = [i for i in self._items if i.field == item.field and not i.is_courtesy]
        return (
            not item.is_courtesy
            and not any(asks(s.text) for s in item.sentences)
            and len(others) > 1
            and self.size() - item.size >= _FEWEST
        )


def _size(item: _Item) -> int:
    return item.size


def _items(draft: Draft) -> list[_Item]:
    """Return the items of a draft in order; courtesies are items of their own."""
    found: list[_Item] = []
    offset = 0
    for name, text in draft.fields.items():
        sentences = [_Sentence(offset + a, offset + b, text[a:b]) for a, b in sentence_spans(text)]
        rest = iter(sentences)
        for item in group([s.text for s in sentences]):
            found.append(_Item(name, [next(rest) for _ in item]))
        offset += len(text) + 1
    return found
