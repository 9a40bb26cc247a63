"""The sentences of passages, as an answer can quote them: without greetings and signatures."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sage_rag.agents.lexicon import is_boilerplate, lexicon
from sage_rag.agents.reading.headings import headed_sentences, labelled
from sage_rag.common.sentences import without_bullet
from sage_rag.common.stems import stem
from sage_rag.indexer.passages import Passage
from sage_rag.privacy.gate.facts.marks import find_marks
from sage_rag.privacy.tokens import TOKEN, may_have_token
from sage_rag.rag_server.answering.mail_headers import (
    is_mail_header,
    names_mail_header,
    without_quote_signs,
)
from sage_rag.rag_server.answering.names import NAME, without_greeting
from sage_rag.rag_server.answering.particulars import has_particular

_PLAIN_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_WORD = re.compile(rf"{TOKEN.pattern}|{_PLAIN_WORD.pattern}")
_OPENING_NAME = re.compile(rf"{NAME}[,!][ ]+")
_SALUTATION = re.compile(rf"{NAME}\s*[,:–—-]+")
"""A line that speaks to someone: "Mr. ... -"."""
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_ADDS_TO_NAME = re.compile(
    rf"{TOKEN.pattern}|\d|(?:who|whose|whom|which|aged|born|and|or)\b"
    r"|(?:our|my|your|his|her|their|the|an?)(?:[ ][^\s,.;:]+){1,4}[,.;:]",
    re.IGNORECASE,
)
"""What follows a name and its comma, and adds to the name: an age, "who ...", "our nurse,"."""
_NO_IMPERATIVES = frozenset(
    "am is are was were been has had does did can could will would shall should may might"
    " must".split()
)
_FIRST_WORDS = re.compile(r"(?:please[ ])?(?P<word>[^\W\d_]+(?:['’]t)?)", re.IGNORECASE)
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
_DID = re.compile(rf"{NAME}[ ](?!(?:and|at|for|from|in|of|on|with)\b)[a-z]")
"""A name that a word in lower case follows: "... mended the lock"; a signature has a comma."""
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

    def is_below(self, heading: Sentence) -> bool:
        """Return whether another sentence is the heading above this one."""
        return bool(self.label) and heading.text.rstrip(" .:") == self.label

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.text.split())


def replying_fields(passage: Passage, answer_fields: Sequence[str]) -> list[str]:
    """Return the fields of a passage that answer questions: the last one, if none is known to."""
    fields = passage.fields
    return [name for name in answer_fields if name in fields] or list(fields)[-1:]


def read_passage(
    rank: int, passage: Passage, answer_fields: Sequence[str], marks: Collection[str] = ()
) -> list[Sentence]:
    """Return the sentences of a passage in order.

    `answer_fields`: the fields that answer questions; empty: the last one. Greetings, addresses to
    a person, signatures, headings, bullets, headers of mails and sentences without content are left
    out. One that is nothing but a token is without content, unless it is one of the `marks`.
    """
    replies = replying_fields(passage, answer_fields)
    items = tuple((name in replies, text) for name, text in passage.fields.items())
    found = _sentences(items, marks) if marks else _KEPT.sentences(items)
    return [replace(sentence, rank=rank) for sentence in found]


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


def _sentences(fields: Fields, marks: Collection[str] = ()) -> tuple[Sentence, ...]:
    """Return the sentences of fields; each comes with whether it answers questions."""
    found: list[Sentence] = []
    topics: dict[str, tuple[str, ...]] = {}
    for answers, text in fields:
        for quoted, label, topic in _quotable(text, marks, speaks=answers):
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


def _quotable(text: str, marks: Collection[str], *, speaks: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the sentences of a field with their labels and topics.

    `marks`: as in `read_passage`. `speaks`: whether the field may speak to someone, by name.
    """
    headed = list(headed_sentences(text))
    addresses = speaks and bool(_SECOND_PERSON.search(text))
    for number, place in enumerate(headed):
        sentence = without_bullet(without_quote_signs(text[place.start : place.end]))
        if speaks:
            sentence = _unaddressed(sentence, opens_address=addresses and number == 0)
        bare = _without_tokens(sentence, "")
        words = _PLAIN_WORD.findall(bare)
        is_asked = any(mark in sentence for mark in marks)
        has_content = next(_content_words(words), None) is not None
        if not is_asked and (is_boilerplate(bare) or not has_content):
            continue
        if is_mail_header(sentence) or (speaks and _SALUTATION.fullmatch(sentence)):
            continue
        if 0 < number == len(headed) - 1 and _is_signature(sentence):
            continue
        label = "" if names_mail_header(place.label) else place.label
        yield sentence[0].upper() + sentence[1:], label, place.topic


def _unaddressed(sentence: str, *, opens_address: bool) -> str:
    """Return a sentence without the person whom its beginning greets or speaks to.

    Any other name stays: without it, what is said of one person seems to be said of another.
    `opens_address`: whether it is the first sentence of a text that says "you".
    """
    if not may_have_token(sentence):
        return sentence
    if (rest := without_greeting(sentence)) != sentence:
        return rest
    opening = _OPENING_NAME.match(sentence)
    if opening is None or _ADDS_TO_NAME.match(sentence, opening.end()):
        return sentence
    rest = sentence[opening.end() :]
    speaks_to = opens_address or bool(_SECOND_PERSON.search(rest)) or _is_imperative(rest)
    return rest if speaks_to else sentence


def _is_imperative(sentence: str) -> bool:
    """Return whether a sentence begins with "take", "don't" or "please"."""
    first = _FIRST_WORDS.match(sentence)
    word = first["word"].casefold().replace("’", "'") if first else ""
    return word in ("don't", "never") or word in lexicon().verbs - _NO_IMPERATIVES


def _is_signature(sentence: str) -> bool:
    """Return whether a last sentence is a name, with a place or a function.

    "Report: ..." and "done by ..." state what someone did.
    """
    if "PERSON_[" not in sentence or "QUANTITY_[" in sentence or has_particular(sentence):
        return False
    words = [word.casefold() for word in _PLAIN_WORD.findall(_without_tokens(sentence, " "))]
    states = not lexicon().verbs.isdisjoint(words) or "by" in words or ":" in sentence
    states = states or _DID.search(sentence) is not None
    return len(words) <= _SIGNATURE_WORDS and not states
