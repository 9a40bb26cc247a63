"""A draft under revision: sentences to drop, reword, cut or tell in another order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.protocols import Draft
from agents.rules.generator import CLOSING
from agents.rules.lexicon import WORD, lexicon, words
from agents.rules.restructuring import reorder_lists
from agents.rules.salience import saliences
from agents.rules.sentences import capitalize, is_complete, is_question, sentence_places
from agents.rules.wording import RUN, Wording
from privacy.leakage import Original, tokenize
from privacy.tokens import PLACEHOLDER

Place = tuple[int, int]
"""`[start, end)` in a draft's text."""

_NOUNS = {
    "PERSON": "someone",
    "LOCATION": "a place",
    "ORGANIZATION": "an institution",
    "DATE_TIME": "some time ago",
}
_NAME = re.compile(r"\[PERSON_\d+\]")
_TAIL = re.compile(r"[,;:]|\s(?=(?:and|or|but|because|since|so|which|with)\b)")

_SMALL = 16
"""A sentence of up to this many words may go even when fewer words are to be dropped."""
_FEWEST = 9
"""A draft is not cut below this many words: it would answer for nothing (`GateLimits`)."""


@dataclass(slots=True)
class _Sentence:
    """A sentence of a draft and where it stood in the draft's text."""

    field: str
    start: int
    end: int
    text: str

    def overlap(self, place: Place) -> int:
        return min(place[1], self.end) - max(place[0], self.start)


class Page:
    """A draft under revision. Places are those of the draft as it came."""

    def __init__(self, draft: Draft) -> None:
        self._fields = tuple(draft.fields)
        self._sentences = list(_sentences(draft))
        self._wording = Wording(draft.text)

    def draft(self) -> Draft:
        """Return what is on the page by now."""
        texts = {
            name: " ".join(s.text for s in self._sentences if s.field == name)
            for name in self._fields
        }
        return Draft({name: re.sub(r"\s+", " ", text).strip() for name, text in texts.items()})

    def leave_out(self, place: Place) -> None:
        """Drop what stands at a place: with its sentence, unless that is all there is."""
        for sentence in self._at(place):
            if self._can_spare(sentence):
                self._sentences.remove(sentence)
            else:
                low, high = max(place[0], sentence.start), min(place[1], sentence.end)
                self._replace(sentence, (low, high), "")

    def break_run(self, place: Place) -> None:
        """Say a repeated run otherwise; where no wording is known, cut it."""
        at = self._at(place)
        if not at or (len(at) > 1 and self._part(at, place)):
            return
        sentence = max(at, key=lambda s: s.overlap(place))
        low, high = max(place[0], sentence.start), min(place[1], sentence.end)
        run = sentence.text[low - sentence.start : high - sentence.start]
        for say in (self._wording.swap, reorder_lists, self._wording.loosen):
            other = say(run)
            if Original(run).longest_shared_run(other) < min(RUN, len(words(run))):
                self._replace(sentence, (low, high), other)
                return
        keep = len(words(sentence.text[: (low + high) // 2 - sentence.start]))
        if not self._cut(sentence, keep, ragged=False):
            if self._can_spare(sentence) and not _NAME.search(sentence.text):
                self._sentences.remove(sentence)
            else:
                self._cut(sentence, keep)

    def _part(self, sentences: Sequence[_Sentence], place: Place) -> bool:
        """Exchange two sentences where a run goes from one into the next; tell whether done."""
        first, second = sentences[0], sentences[-1]
        low, high = place[0] - first.start, place[1] - second.start
        longest = max(len(tokenize(first.text[low:])), len(tokenize(second.text[:high])))
        if len(sentences) > 2 or first.field != second.field or longest >= RUN:
            return False
        one, two = self._sentences.index(first), self._sentences.index(second)
        self._sentences[one], self._sentences[two] = second, first
        return True

    def name_generally(self, place: Place) -> None:
        """Replace a placeholder that stands for nothing by a general noun."""
        for sentence in self._at(place):
            sentence.text = PLACEHOLDER.sub(
                lambda match: _NOUNS.get(match.group(1), "something"), sentence.text, count=1
            )

    def shorten(self, count: int) -> None:
        """Drop about `count` words, first the sentences with the least salience for their length.

        Long sentences carry most of the likeness: the common subsequence runs through them.
        """
        count = min(count, self.size() - _FEWEST)
        while count > 0:
            spare = [s for s in self._sentences if self._can_spare(s)]
            spare = [s for s in spare if len(words(s.text)) <= max(2 * count, _SMALL)]
            if not spare:
                self._cut_longest(count)
                return
            values = saliences([s.text for s in self._sentences])
            worth = dict(zip(map(id, self._sentences), values, strict=True))
            least = min(spare, key=lambda s: worth[id(s)] / len(words(s.text)))
            self._sentences.remove(least)
            count -= len(words(least.text))

    def turn_round(self) -> None:
        """Tell the last sentence of each field first: likeness lies in the order, too."""
        for name in self._fields:
            told = [s for s in self._sentences if s.field == name]
            body = [s for s in told if not s.text.startswith(CLOSING)]
            turned = [*body[-1:], *body[:-1], *(s for s in told if s not in body)]
            places = [index for index, s in enumerate(self._sentences) if s.field == name]
            for place, sentence in zip(places, turned, strict=True):
                self._sentences[place] = sentence

    def _cut_longest(self, count: int) -> None:
        """Cut about `count` words off one sentence; if it cannot end earlier, drop a whole one."""
        for sentence in sorted(self._sentences, key=lambda s: -len(words(s.text))):
            if self._cut(sentence, _at_least(len(words(sentence.text)) - count), ragged=False):
                return
        spare = [s for s in self._sentences if self._can_spare(s)]
        if spare:
            self._sentences.remove(min(spare, key=lambda s: len(words(s.text))))
        else:
            longest = max(self._sentences, key=lambda s: len(words(s.text)))
            self._cut(longest, _at_least(len(words(longest.text)) - count))

    def _at(self, place: Place) -> list[_Sentence]:
        return [s for s in self._sentences if s.overlap(place) > 0]

    def _can_spare(self, sentence: _Sentence) -> bool:
        rest = [s for s in self._sentences if s is not sentence]
        return any(s.field == sentence.field for s in rest) and (
            self.size() - len(words(sentence.text)) >= _FEWEST
        )

    def size(self) -> int:
        """Return the number of words on the page."""
        return sum(len(words(s.text)) for s in self._sentences)

    def _replace(self, sentence: _Sentence, place: Place, text: str) -> None:
        low, high = place[0] - sentence.start, place[1] - sentence.start
        revised = sentence.text[:low] + text + sentence.text[high:]
        sentence.text = capitalize(re.sub(r"\s+([,.?])", r"\1", revised).strip())

    def _cut(self, sentence: _Sentence, keep: int, *, ragged: bool = True) -> bool:
        """Keep the first `keep` words of a sentence at most, up to where a clause ends.

        `ragged`: whether it may be cut in the middle of a clause where none ends. Returns whether
        it was cut.
        """
        tokens = list(WORD.finditer(sentence.text))
        if keep >= len(tokens):
            return False
        text = sentence.text[: tokens[max(keep, 1) - 1].end()]
        joints = [m.start() for m in _TAIL.finditer(text) if _complete(text[: m.start()])]
        if not joints and not ragged:
            return False
        text = text[: joints[-1]] if joints else text
        while (last := text.rsplit(" ", 1)[-1].lower()) in lexicon().dangling and " " in text:
            text = text.removesuffix(text[-len(last) :]).rstrip(" ,;:")
        mark = "?" if is_question(text) else "."
        sentence.text = text.rstrip(" ,;:") + mark
        return True


def _at_least(count: int) -> int:
    return max(count, _FEWEST // 2)


def _complete(text: str) -> bool:
    """Return whether the beginning of a sentence could be all of it."""
    return len(words(text)) > 3 and is_complete(text)


def _sentences(draft: Draft) -> Iterator[_Sentence]:
    offset = 0
    for name, text in draft.fields.items():
        for start, end in sentence_places(text):
            yield _Sentence(name, offset + start, offset + end, text[start:end])
        offset += len(text) + 1
