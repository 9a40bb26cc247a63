"""The sentences of passages, as an answer can quote them: without greetings and signatures."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sage_rag.agents.lexicon import is_boilerplate, lexicon
from sage_rag.agents.reading.headings import headed_sentences, labelled
from sage_rag.common.sentences import without_bullet
from sage_rag.common.stems import stem
from sage_rag.indexer.passages import Passage
from sage_rag.privacy.gate.facts.marks import find_marks
from sage_rag.privacy.tokens import TOKEN, may_have_token
from sage_rag.rag_server.answering.particulars import has_particular

_PLAIN_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_WORD = re.compile(rf"{TOKEN.pattern}|{_PLAIN_WORD.pattern}")
_TITLE = r"(?:[^\W\d_]{1,9}\.?[ ])"
_NAME = r"PERSON_\[[^\[\]\s]*\](?:-[^\W\d_]+)?"
_OPENING_NAME = re.compile(rf"(?:[^\W\d_]+[ ]){{0,4}}?{_TITLE}{{0,2}}(?P<name>{_NAME})[,!:][ ]+")
_CLOSING_NAME = re.compile(rf",[ ]+{_TITLE}{{0,2}}(?P<name>{_NAME})(?=[.;:!?])")
_INNER_NAME = re.compile(rf",[ ]+{_TITLE}{{0,2}}(?P<name>{_NAME}),")
_DETERMINER = re.compile(r"(?:our|my|your|his|her|their|the|an?)\b", re.IGNORECASE)
_DESCRIBED = re.compile(rf"\b{_DETERMINER.pattern}(?:[ ]\S+){{1,3}}\Z", re.IGNORECASE)
"""Words that a name after a comma adds to."""
_REFERS_BACK = re.compile(
    r"(?:(?:if|when|once|unless|should)[ ])?(?:it|its|this|that|these|those|they|their|them|he|she"
    r"|but|then|also|otherwise|so|and|or|else|instead|both|such|another|the same|not|only|even"
    r"|either)\b",
    re.IGNORECASE,
)
_LONG = 6
"""Letters of a stem that names a thing rather than a time or an action."""
_SIGNATURE_WORDS = 7
"""Words of a signature besides names: "Travel nurse ..., ... Surgery"."""
KEPT_CHARACTERS = 3_000_000
"""Characters of passages whose sentences are kept in memory: 10,000 passages of 300 characters and
25 MB. Before, 4,096 passages of up to 4,000 characters."""
_LONGEST_KEPT = 4000

Fields = tuple[tuple[bool, str], ...]
"""The texts of a passage, each with whether it answers questions."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage. `rank` of the passage, `place` in it.

    `answers`: whether its field answers questions. `warns`: whether it forbids, warns or sets a
    condition. `refers`: whether it refers to the sentence before. `unnamed`: whether it had a
    name. `label`: the heading to show before it; `topic`: the stems of the headings above it.
    """

    rank: int
    place: int
    text: str
    stems: tuple[str, ...]
    answers: bool
    warns: bool = False
    refers: bool = False
    unnamed: bool = False
    label: str = ""
    topic: tuple[str, ...] = ()

    def saying(self, text: str) -> Sentence:
        """Return the sentence with a text without its names."""
        if text == self.text:
            return self
        return replace(self, text=text, stems=content_stems(text), unnamed=True)

    @property
    def subjects(self) -> frozenset[str]:
        """What the sentence is about, as far as long words show it: a medicine, a contract."""
        return frozenset(stem for stem in self.stems if len(stem) >= _LONG and stem[-1] != "]")

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.text.split())


def read_passage(rank: int, passage: Passage, answer_fields: Sequence[str]) -> list[Sentence]:
    """Return the sentences of a passage in order.

    `answer_fields`: the fields that answer questions; empty: the last one. Greetings, addresses to
    a person, signatures, headings, bullets and sentences without content are left out.
    """
    fields = passage.fields
    replies = [name for name in answer_fields if name in fields] or list(fields)[-1:]
    items = tuple((name in replies, text) for name, text in fields.items())
    return [replace(sentence, rank=rank) for sentence in _KEPT.sentences(items)]


class _KeptSentences:
    """Reads passages, and keeps the sentences of those that were read last, for any thread."""

    def __init__(self, characters: int = KEPT_CHARACTERS) -> None:
        """`characters`: of all passages together."""
        self._most = self._left = characters
        self._kept: OrderedDict[Fields, tuple[Sentence, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def sentences(self, fields: Fields) -> tuple[Sentence, ...]:
        """Return the sentences of a passage; their rank is 0."""
        with self._lock:
            if (kept := self._kept.get(fields)) is not None:
                self._kept.move_to_end(fields)
                return kept
        found = _sentences(fields)
        if (size := _length(fields)) <= min(_LONGEST_KEPT, self._most):
            with self._lock:
                self._left -= 0 if fields in self._kept else size
                self._kept[fields] = found
                while self._left < 0:
                    oldest, _ = self._kept.popitem(last=False)
                    self._left += _length(oldest)
        return found


def _length(fields: Fields) -> int:
    return sum(len(text) for _, text in fields)


def _sentences(fields: Fields) -> tuple[Sentence, ...]:
    """Return the sentences of fields; each comes with whether it answers questions."""
    found: list[Sentence] = []
    topics: dict[str, tuple[str, ...]] = {}
    for answers, text in fields:
        for quoted, label, topic in _quotable(text, speaks=answers):
            sentence = _sentence(len(found), quoted, answers)
            if topic not in topics:
                topics[topic] = content_stems(topic)
            found.append(replace(sentence, label=label, topic=topics[topic]))
            if len(found) > 1 and found[-2].text.endswith("?"):
                found[-1] = replace(found[-1], refers=True)
    return tuple(found)


_KEPT = _KeptSentences()


def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of a text's content words; ciphertext tokens unchanged."""
    if not may_have_token(text):
        return tuple(map(stem, _content_words(_PLAIN_WORD.findall(text))))
    found = (match.group() for match in _WORD.finditer(text))
    return tuple(w if TOKEN.fullmatch(w) else stem(w) for w in _content_words(found))


def _content_words(words: Iterable[str]) -> Iterator[str]:
    stop = lexicon().stop_words
    return (w for w in words if w.casefold() not in stop and (len(w) > 1 or w.isdecimal()))


def _sentence(place: int, text: str, answers: bool) -> Sentence:
    words = [word.casefold() for word in _PLAIN_WORD.findall(_without_tokens(text, " "))]
    marks = {mark.kind for mark in find_marks(_without_contractions(words))}
    return Sentence(
        0,
        place,
        text,
        content_stems(text),
        answers,
        warns="warning" in marks or "negation" in marks,
        refers=bool(_REFERS_BACK.match(text)),
    )


def _without_tokens(text: str, shown: str) -> str:
    """Return a text with `shown` in place of each token."""
    return TOKEN.sub(shown, text) if may_have_token(text) else text


def _without_contractions(words: Sequence[str]) -> list[str]:
    """Return words with `not` for the end of "don't", as the lists of marks have them."""
    parts: list[str] = []
    for word in words:
        if word.endswith(("n't", "n’t")):
            parts += f"{word[:-3]} not".split()
        else:
            parts.append(word)
    return parts


def labelled_texts(sentences: Iterable[Sentence]) -> list[str]:
    """Return the texts of sentences as they are read and quoted, with their labels."""
    return labelled((sentence.label, sentence.text) for sentence in sentences)


def _quotable(text: str, *, speaks: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the sentences of a field with their labels and topics.

    `speaks`: whether the field speaks to someone, by name.
    """
    headed = list(headed_sentences(text))
    for number, place in enumerate(headed):
        sentence = without_bullet(text[place.start : place.end])
        if speaks:
            sentence = _unaddressed(sentence, first=number == 0)
        bare = _without_tokens(sentence, "")
        if is_boilerplate(bare) or next(_content_words(_PLAIN_WORD.findall(bare)), None) is None:
            continue
        at_end = number == len(headed) - 1 or number == 0
        states_amount = "QUANTITY_[" in sentence  # no one signs with one
        # The beginning of a request states a person's number, as no signature does.
        states = states_amount or (not speaks and has_particular(sentence))
        if at_end and bare != sentence and not states and _is_signature(bare):
            continue
        yield sentence[0].upper() + sentence[1:], place.label, place.topic


def _unaddressed(sentence: str, *, first: bool) -> str:
    """Return a sentence without the name of the person it speaks to.

    A name after "our nurse" adds to these words and stays: "our nurse, ..., will call".
    """
    if not may_have_token(sentence):
        return sentence
    opening = _OPENING_NAME.match(sentence)
    if opening and not _says_something(opening.group()):
        rest = sentence[opening.end() :]
        sentence = rest if first or not _DETERMINER.match(rest) else sentence
    for pattern, left in ((_CLOSING_NAME, ""), (_INNER_NAME, ",")):
        sentence = pattern.sub(partial(_spoken_to, left=left), sentence)
    return sentence


def _spoken_to(match: re.Match[str], left: str) -> str:
    before = match.string[: match.start()]
    return match.group() if _DESCRIBED.search(before) else left


def _says_something(words: str) -> bool:
    """Return whether words before a name are part of a sentence: "Ask ..." or "Let ..."."""
    found = {match.group().casefold() for match in _WORD.finditer(_without_tokens(words, " "))}
    return bool(found & lexicon().verbs)


def _is_signature(bare: str) -> bool:
    words = [match.group().casefold() for match in _WORD.finditer(bare)]
    return len(words) <= _SIGNATURE_WORDS and not lexicon().verbs.intersection(words)
