"""Sentences with a name, which two attacks try to complete."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sage_rag.common.sentences import sentence_spans
from sage_rag.eval.model_attacks.canaries import Canary
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer

_LEAST_AFTER = 3
"""Words after the name: fewer are no test of what follows it."""
_LEAST_LETTERS = 3
_MOST_CHARACTERS = 88
"""Source: Kobashi et al., Crypto-LLM, A.5 and Table 2: 20 tokens of 4.4 characters. In characters,
models with different tokenizers are attacked with the same sentences."""
_MOST_PARAGRAPHS = 4000
"""So that a text with few names is not read whole: about a minute."""
_PARAGRAPHS_PER_SENTENCE = 40
"""Paragraphs that are read for one sentence, at most: not every text names people."""


@dataclass(frozen=True, slots=True)
class NamedSentence:
    """A sentence as the parts before, of and after its only name; the spaces belong to the parts.

    Source: Kobashi et al., Crypto-LLM, §4.4.1: S = S0 + name + S1.
    """

    before: str
    name: str
    after: str

    @property
    def text(self) -> str:
        return f"{self.before}{self.name}{self.after}"


def canary_sentences(canaries: Iterable[Canary]) -> list[NamedSentence]:
    """Return the sentence of each canary that names its person."""
    return [NamedSentence(canary.before, canary.name, canary.after) for canary in canaries]


def named_sentences(
    texts: Sequence[str], recognizer: Recognizer, count: int, seed: int
) -> list[NamedSentence]:
    """Return up to `count` different sentences of texts that hold exactly one personal name.

    Paragraphs are drawn in random order, and the first such sentence of each is taken. As in the
    paper (A.5), sentences of over 20 tokens and those that end with the name are left out. One with
    several names is left out, too; the paper has a language model replace the others.
    """
    found: dict[str, NamedSentence] = {}
    most = count * _PARAGRAPHS_PER_SENTENCE
    for _, paragraph in zip(range(most), _paragraphs(texts, seed), strict=False):
        if len(found) >= count:
            break
        sentence = next(_named(paragraph, recognizer), None)
        if sentence is not None:
            found.setdefault(sentence.text, sentence)
    return list(found.values())


def names_of(texts: Sequence[str], recognizer: Recognizer, count: int, seed: int) -> list[str]:
    """Return up to `count` different names that sentences as in `named_sentences` hold.

    At most 4,000 paragraphs are read, so a text may give fewer.
    """
    found: dict[str, None] = {}
    for _, paragraph in zip(range(_MOST_PARAGRAPHS), _paragraphs(texts, seed), strict=False):
        if len(found) >= count:
            break
        found.update(dict.fromkeys(sentence.name for sentence in _named(paragraph, recognizer)))
    return list(found)[:count]


def _paragraphs(texts: Sequence[str], seed: int) -> Iterator[str]:
    """Yield the paragraphs of texts in random order, each on one line."""
    spans = [(i, a, b) for i, text in enumerate(texts) for a, b in _paragraph_spans(text)]
    random.Random(f"sentences {seed}").shuffle(spans)  # noqa: S311 - measurements, not secrets
    for i, start, end in spans:
        yield " ".join(texts[i][start:end].split())


def _paragraph_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n\n", start)
        end = len(text) if end < 0 else end
        if end > start:
            yield start, end
        start = end + 2


def _named(paragraph: str, recognizer: Recognizer) -> Iterator[NamedSentence]:
    sentences = [(a, b) for a, b in sentence_spans(paragraph) if b - a <= _MOST_CHARACTERS]
    if not sentences:
        return
    spans = [s for s in recognizer.recognize(paragraph) if s.entity_type is EntityType.PERSON]
    for start, end in sentences:
        inside = [s for s in spans if s.start < end and s.end > start]
        if len(inside) != 1 or not start < inside[0].start < inside[0].end <= end:
            continue
        name = paragraph[inside[0].start : inside[0].end]
        after = paragraph[inside[0].end : end]
        written_as_name = name[0].isupper() and len(name) >= _LEAST_LETTERS
        if written_as_name and len(after.split()) >= _LEAST_AFTER:
            yield NamedSentence(paragraph[start : inside[0].start], name, after)
