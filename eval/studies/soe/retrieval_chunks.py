"""Chunks of running text about invented persons, and the facts that each one states."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sage_rag.eval.knowledge.persons import Attribute, Person, wording
from sage_rag.eval.knowledge.texts import Spelling, plain, shown_name, shown_value
from sage_rag.indexer.chunking import chunk_spans

_CHARS_PER_TOKEN = 4
"""Characters of English text for a token of a large model's tokenizer."""

Fact = tuple[str, Attribute]
"""The plain name of a person, and which of the person's values is stated."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of the running text, and the facts that its sentences state."""

    text: str
    facts: frozenset[Fact]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence that states one fact, before it is spelled."""

    person: Person
    attribute: Attribute
    form: str

    @property
    def fact(self) -> Fact:
        return self.person.name, self.attribute

    def spelled(self, spell: Spelling) -> str:
        value = shown_value(self.person.values[self.attribute], self.attribute, spell)
        return self.form.format(name=shown_name(self.person, spell), value=value)


def chunks_of(persons: Sequence[Person], spell: Spelling, tokens: int, seed: int) -> list[Chunk]:
    """Return one text about each person, joined in random order and cut into chunks.

    `tokens`: length of a chunk of the plain text, at most. An encrypted chunk states the same
    facts, so it is longer.
    """
    stated = list(_statements(persons, seed))
    clear = [statement.spelled(plain) for statement in stated]
    chunks: list[Chunk] = []
    place = start = 0
    for _, end in chunk_spans(" ".join(clear), tokens * _CHARS_PER_TOKEN):
        part = []
        while place < len(stated) and start < end:
            part.append(stated[place])
            start += len(clear[place]) + 1
            place += 1
        text = " ".join(statement.spelled(spell) for statement in part)
        chunks.append(Chunk(text, frozenset(statement.fact for statement in part)))
    return chunks


def _statements(persons: Sequence[Person], seed: int) -> Iterator[_Statement]:
    """Yield one sentence for each fact; those of one person follow each other."""
    draw = random.Random(f"running text {seed}")  # noqa: S311 - measurements, not secrets
    for person in draw.sample(persons, len(persons)):
        for attribute in draw.sample(list(Attribute), len(Attribute)):
            yield _Statement(person, attribute, draw.choice(wording()[attribute]["statements"]))
