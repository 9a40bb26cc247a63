"""Headings of structured records: notes of a visit, decisions of a court, forms.

A heading answers nothing alone. It says what the lines below it are about: "Hypertension", then
"We increase lisinopril to 40 mg".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sage_rag.agents.lexicon import lexicon
from sage_rag.common.sentences import is_bulleted, unwrapped_spans
from sage_rag.privacy.tokens import may_have_token

_SECTION_WORDS, _TOPIC_WORDS = 8, 6
"""The most words of the heading of a section, and of a topic in it."""
_INDENT = 80
"""The most characters before a heading on its line."""
_SHORT_FORM = 5
"""Letters of a word in upper case that may be an abbreviation: "HPI"."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBERING = re.compile(r"[\W\d]*+(?:[IVXLa-h]{1,5}[.)])?+[\W\d]*+")
"""What may precede a heading on its line: "II." or "(a)"."""
_NUMBER = re.compile(r"\A\W*(?:[IVX]{1,5}|[A-Z]|\d{1,2})[.)][ \t]+")
"""The number of a heading that is part of its line: "A. Criminal proceedings"."""
_FORBIDS = frozenset("not no never stop don't without".split())
"""Words that make a line in upper case an instruction."""
_SUBJECTS = frozenset("i you he she it we they".split())
"""Words that make a line a sentence, also if its verb is unknown: "He squinted"."""


@dataclass(frozen=True, slots=True)
class HeadedSentence:
    """A sentence `[start, end)` of a text.

    `label`: the heading to show before it, where it is the first one below the heading, or an item
    below a topic; `topic`: all headings that it stands below. Both may be empty.
    """

    start: int
    end: int
    label: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence. `is_whole`: whether it fills its line; `holds_value`: whether it has a token."""

    start: int
    end: int
    text: str
    is_whole: bool
    holds_value: bool

    @property
    def words(self) -> list[str]:
        return _WORD.findall(self.text)

    @property
    def is_section(self) -> bool:
        """Whether it is a line in upper case, or one that ends with a colon."""
        words = self.words
        if not self.is_whole or not 0 < len(words) <= _SECTION_WORDS or self.holds_value:
            return False
        if self.text.endswith(":"):
            return True
        is_upper = self.text.isupper() and not any(map(str.isdigit, self.text))
        return is_upper and max(map(len, words)) > 2 and not self._forbids(words)

    def is_topic_of(self, following: _Line) -> bool:
        """Whether it is a short line without a verb, above an item or a sentence."""
        words = self.words
        return (
            self.is_whole
            and 0 < len(words) <= _TOPIC_WORDS
            and self.text[-1] not in "?!;,"
            and ":" not in self.text
            and not is_bulleted(self.text)
            and not self.holds_value
            and not any(map(str.isdigit, self.text))
            and lexicon().verbs.isdisjoint(map(str.casefold, words))
            and _SUBJECTS.isdisjoint(re.split("['’]", word.casefold())[0] for word in words)
            and not self._forbids(words)
            and not following.is_section
            and (is_bulleted(following.text) or len(following.words) > _TOPIC_WORDS)
        )

    @staticmethod
    def _forbids(words: Sequence[str]) -> bool:
        return not _FORBIDS.isdisjoint(map(str.casefold, words))


def headed_sentences(
    text: str, holds_value: Callable[[str], bool] = may_have_token
) -> Iterator[HeadedSentence]:
    """Yield the sentences of a text that are no headings, with the headings above them.

    `holds_value`: whether a sentence has a token; a heading has none.
    """
    lines = list(_lines(text, holds_value))
    section = topic = opening = ""
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else None
        if following is not None and line.is_section:
            section, topic = _written(line.text), ""
            opening = section
        elif following is not None and line.is_topic_of(following):
            topic = _written(line.text)
            # A diagnosis alone on its line can answer, too.
            numbered = _NUMBER.match(line.text)
            start = line.start + (numbered.end() if numbered else 0)
            yield HeadedSentence(start, line.end, opening, section)
            opening = topic
        else:
            label = opening or (topic if is_bulleted(line.text) else "")
            yield HeadedSentence(line.start, line.end, label, f"{section} {topic}".strip())
            opening = ""


def labelled(sentences: Iterable[tuple[str, str]]) -> list[str]:
    """Return the texts of sentences, each after its label where that differs from the one before.

    `sentences`: labels and texts. A sentence is not labelled after its heading itself, or if it
    begins with the heading's words.
    """
    found, known = list[str](), ("", "")
    for label, text in sentences:
        shown = bool(label) and label not in known and not text.startswith(label)
        found.append(f"{label}: {text}" if shown else text)
        known = (label or known[0], text.rstrip("."))
    return found


def _lines(text: str, holds_value: Callable[[str], bool]) -> Iterator[_Line]:
    spans = unwrapped_spans(text)
    line_start = before = 0
    for number, (start, end) in enumerate(spans):
        line_start = max(line_start, text.rfind("\n", before, start) + 1)
        before = start
        following = spans[number + 1][0] if number + 1 < len(spans) else len(text)
        indent = start - line_start
        begins = indent <= _INDENT and _NUMBERING.fullmatch(text, line_start, start) is not None
        if begins and _NUMBERING.fullmatch(text, start, end) and "\n" not in text[end:following]:
            continue  # the number of the item that follows on its line
        ends = following == len(text) or "\n" in text[end:following]
        line = text[start:end]
        yield _Line(start, end, line, begins and ends, holds_value(line))


def _written(heading: str) -> str:
    """Return a heading as it stands before a sentence: "Chief complaint"."""
    bare = _NUMBER.sub("", heading).strip(" \t:.•–-*#_=")
    words = bare.split()
    if bare.isupper() and (len(words) > 1 or len(bare) > _SHORT_FORM):
        bare = bare.capitalize()
    return bare[:1].upper() + bare[1:]
