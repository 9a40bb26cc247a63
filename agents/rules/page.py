"""A draft under revision: its sentences can be dropped, reworded, cut or reordered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sage_rag.agents.lexicon import WORD, lexicon, words
from sage_rag.agents.protocols import Draft
from sage_rag.agents.rules.courtesies import is_closing, is_greeting
from sage_rag.agents.rules.sentences import capitalize, is_complete, is_question, sentence_places
from sage_rag.agents.rules.wording import RUN, Wording
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.privacy.words import tokenize

Place = tuple[int, int]
"""`[start, end)` in a draft's text."""

_NOUNS = {
    "PERSON": "someone",
    "LOCATION": "a place",
    "ORGANIZATION": "an institution",
    "DATE_TIME": "some time ago",
}
_NAME = re.compile(r"\[PERSON_\d+\]")
_LEAD = re.compile(
    r",? ?\b(?:in|on|at|since|from|until|by|of|after|before|aged|for|to)(?: the)? *$", re.I
)
_TAIL = re.compile(r"[,;:]|\s(?=(?:and|or|but|because|since|so|which|with)\b)")
_PHRASE = re.compile(
    r"\s(?=(?:in|on|at|for|from|since|to|after|before|during|by|of|until|when|while|as|if)\b)"
)
_ANYWHERE = re.compile(r"\s|$")

_WHOLE = RUN - 2
"""From this many words on, a run over the end of a sentence belongs to that sentence: the next one
may begin with the same word or two by chance."""
_FEWEST = 9
"""A draft is not cut below this many words: it would no longer represent its record."""


@dataclass(slots=True)
class _Sentence:
    """A sentence of a draft and its place in the draft's original text."""

    field: str
    start: int
    end: int
    text: str

    def overlap(self, place: Place) -> int:
        return min(place[1], self.end) - max(place[0], self.start)


class Page:
    """A draft under revision. Places refer to the draft's original text."""

    def __init__(self, draft: Draft) -> None:
        self._fields = tuple(draft.fields)
        self._sentences = list(_sentences(draft))
        self._wording = Wording(draft.text)

    def draft(self) -> Draft:
        """Return the revised draft."""
        texts = {
            name: " ".join(s.text for s in self._sentences if s.field == name)
            for name in self._fields
        }
        return Draft({name: re.sub(r"\s+", " ", text).strip() for name, text in texts.items()})

    def leave_out(self, place: Place) -> None:
        """Drop the sentence at a place; only the words there, if the sentence is needed."""
        for sentence in self._at(place):
            if self._can_spare(sentence):
                self._sentences.remove(sentence)
            else:
                low, high = max(place[0], sentence.start), min(place[1], sentence.end)
                self._replace(sentence, (low, high), "")

    def strike_out(self, place: Place) -> None:
        """Drop the words at a place and the preposition before them from their sentence."""
        for sentence in self._at(place):
            low = max(place[0] - sentence.start, 0)
            lead = _LEAD.search(sentence.text[:low])
            low = lead.start() if lead else low
            self._replace(sentence, (sentence.start + low, min(place[1], sentence.end)), "")

    def break_run(self, place: Place) -> None:
        """Reword a repeated run; where no rule can, remove an aside or cut the sentence."""
        at = self._at(place)
        if not at:
            return
        sentence = max(at, key=lambda s: s.overlap(place))
        low, high = max(place[0], sentence.start), min(place[1], sentence.end)
        run = sentence.text[low - sentence.start : high - sentence.start]
        other = self._wording.loosen(run, sentence.text)
        if other != sentence.text:
            sentence.text = capitalize(other)
            return
        if len(at) > 1 and self._move_away(at, place):
            return
        other = _without_aside(run)
        if other != run:
            self._replace(sentence, (low, high), other)
            return
        keep = len(words(sentence.text[: (low + high) // 2 - sentence.start]))
        if self._cut(sentence, keep, _TAIL):
            return
        # A sentence with a name is removed only if no part of it can stay.
        spared = self._can_spare(sentence)
        kept = not spared or _NAME.search(sentence.text)
        if kept and any(self._cut(sentence, keep, joint) for joint in (_PHRASE, _ANYWHERE)):
            return
        if spared:
            self._sentences.remove(sentence)

    def _move_away(self, sentences: Sequence[_Sentence], place: Place) -> bool:
        """Move a sentence away from a run over two sentences; return whether that was possible."""
        shares = (s.text[max(place[0] - s.start, 0) : place[1] - s.start] for s in sentences)
        if max(len(tokenize(share)) for share in shares) >= _WHOLE:
            return False
        moved = sentences[1] if len(sentences) > 2 else sentences[0]
        if is_closing(moved.text) or is_greeting(moved.text):
            moved = sentences[-1]
        kin = [s for s in self._body(moved.field) if s is not moved]
        if not kin or is_closing(moved.text) or is_greeting(moved.text):
            return False
        self._sentences.remove(moved)
        first, last = self._sentences.index(kin[0]), self._sentences.index(kin[-1])
        neighbours = [s for s in sentences if s is not moved]
        self._sentences.insert(first if kin[-1] in neighbours else last + 1, moved)
        return True

    def _body(self, field: str) -> list[_Sentence]:
        """Return a field's sentences without greeting and closing."""
        return [
            s
            for s in self._sentences
            if s.field == field and not is_greeting(s.text) and not is_closing(s.text)
        ]

    def generalize_placeholder(self, place: Place) -> None:
        """Replace a placeholder that the record does not have by a general noun."""
        for sentence in self._at(place):
            sentence.text = PLACEHOLDER.sub(
                lambda match: _NOUNS.get(match.group(1), "something"), sentence.text, count=1
            )

    def shorten(self, count: int) -> None:
        """Cut about `count` words off the longest sentence that can end earlier.

        Long sentences hold most of the common subsequence.
        """
        count = min(count, self.size() - _FEWEST)
        if count > 0:
            self._cut_longest(count)

    def reverse_sentences(self) -> None:
        """Reverse the order of each field's sentences: likeness depends on order, too."""
        for name in self._fields:
            body = self._body(name)
            places = [index for index, s in enumerate(self._sentences) if s in body]
            for place, sentence in zip(places, reversed(body), strict=True):
                self._sentences[place] = sentence

    def invert_longest(self) -> bool:
        """Put the second part of the longest sentence first; return whether any has two parts."""
        for sentence in sorted(self._sentences, key=lambda s: -len(words(s.text))):
            other = self._wording.invert(sentence.text)
            if other != sentence.text:
                sentence.text = other
                return True
        return False

    def _cut_longest(self, count: int) -> None:
        """Cut about `count` words off one sentence; if none can end earlier, drop a whole one.

        If none can be dropped, one is cut before an additional phrase.
        """
        if self._cut_one(count, _TAIL):
            return
        spare = [s for s in self._sentences if self._can_spare(s) and s in self._body(s.field)]
        if spare:
            self._sentences.remove(min(spare, key=lambda s: len(words(s.text))))
        else:
            self._cut_one(count, _PHRASE)

    def _cut_one(self, count: int, joint: re.Pattern[str]) -> bool:
        """Cut about `count` words off the longest sentence that can end at a joint."""
        sizes = sorted(((len(words(s.text)), s) for s in self._sentences), key=lambda at: -at[0])
        return any(self._cut(s, max(size - count, _FEWEST // 2), joint) for size, s in sizes)

    def _at(self, place: Place) -> list[_Sentence]:
        return [s for s in self._sentences if s.overlap(place) > 0]

    def _can_spare(self, sentence: _Sentence) -> bool:
        rest = [s for s in self._body(sentence.field) if s is not sentence]
        return bool(rest) and (self.size() - len(words(sentence.text)) >= _FEWEST)

    def size(self) -> int:
        """Return the number of words on the page."""
        return sum(len(words(s.text)) for s in self._sentences)

    def _replace(self, sentence: _Sentence, place: Place, text: str) -> None:
        low, high = place[0] - sentence.start, place[1] - sentence.start
        revised = sentence.text[:low] + text + sentence.text[high:]
        sentence.text = capitalize(re.sub(r"\s+([,.?])", r"\1", revised).strip())

    def _cut(self, sentence: _Sentence, keep: int, joint: re.Pattern[str]) -> bool:
        """Keep at most the first `keep` words of a sentence, up to a joint after a whole clause.

        Returns whether there is such a joint.
        """
        tokens = list(WORD.finditer(sentence.text))
        if keep >= len(tokens):
            return False
        text, end = sentence.text, tokens[max(keep, 1) - 1].end()
        joints = [m.start() for m in joint.finditer(text) if m.start() <= end]
        whole = [place for place in joints if _complete(text[:place])]
        if not whole:
            return False
        text = text[: whole[-1]]
        while (last := text.rsplit(" ", 1)[-1].lower()) in lexicon().dangling and " " in text:
            text = text.removesuffix(text[-len(last) :]).rstrip(" ,;:")
        mark = "?" if is_question(text) else "."
        sentence.text = text.rstrip(" ,;:") + mark
        return True


def _without_aside(run: str) -> str:
    """Return a run of words without its first aside, in commas or parentheses."""
    return re.sub(r"\s*\([^()]+\)|, (?!and\b|or\b|but\b)[^,.?()]{3,60}(?=,)", "", run, count=1)


def _complete(text: str) -> bool:
    """Return whether the beginning of a sentence can be a sentence."""
    found = words(text)
    return len(found) > 3 and is_complete(text) and found[-1].lower() not in lexicon().verbs


def _sentences(draft: Draft) -> Iterator[_Sentence]:
    offset = 0
    for name, text in draft.fields.items():
        for start, end in sentence_places(text):
            yield _Sentence(name, offset + start, offset + end, text[start:end])
        offset += len(text) + 1
