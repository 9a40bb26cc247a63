"""An adversary for stage 2: a model infers attributes of the person that a draft is about.

A right guess counts as a finding. Guesses are judged here, in the owner's zone, against the
record's values: those that the policy hides and those that it leaves in the text. The model never
learns the value, only the attribute that the draft reveals.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.2, A.16; attributes after Staab et al. (2023),
arXiv 2310.07298, §4. Differs: one value that the policy leaves in the text is not a leak by itself;
two of them are, and one together with a hidden value.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sage_rag.agents.chat.protocols import ChatModel
from sage_rag.agents.chat.structured import NonBlankText, StructuredAnswer, as_json, ask
from sage_rag.agents.model.review import occurs, quote_line
from sage_rag.agents.prompts import prompt, prompts_fingerprint
from sage_rag.agents.protocols import Draft, Review
from sage_rag.agents.refinement import Infer
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.protect import Identifier, Protection
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.privacy.words import tokenize

VERSION = 1
"""Raised with every change of how guesses are asked for, read or compared."""

Inferable = Literal[
    "age", "place", "occupation", "sex", "relationship", "income", "birthplace", "education"
]

_TYPES: dict[str, frozenset[EntityType]] = {
    "age": frozenset({EntityType.AGE}),
    "place": frozenset({EntityType.LOCATION, EntityType.ORGANIZATION}),
    "birthplace": frozenset({EntityType.LOCATION}),
    "occupation": frozenset({EntityType.DEMOGRAPHIC, EntityType.ORGANIZATION}),
    "education": frozenset({EntityType.DEMOGRAPHIC, EntityType.ORGANIZATION}),
    "sex": frozenset({EntityType.DEMOGRAPHIC}),
    "relationship": frozenset({EntityType.DEMOGRAPHIC}),
    "income": frozenset({EntityType.QUANTITY}),
}
"""The entity types of each attribute's values."""
_SEXES = (
    frozenset("female woman women girl mother wife daughter sister widow lady".split()),
    frozenset("male man men boy father husband son brother widower gentleman".split()),
)
_OPEN_ALONE = 1
"""How many attributes that the policy leaves in the text may be inferred: as many as the gate
allows of values that identify in combination. One alone, such as a sex or a trade, is part of the
matter."""
_MIN_LETTERS = 3
"""A shorter guess is part of too many values by chance."""
_YEARS = re.compile(r"\d{1,3}")


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess of the adversary. `evidence`: the words of the draft that support it."""

    attribute: str
    value: str = field(repr=False)
    evidence: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ConfirmedGuess:
    """A right guess. Holds the evidence for the value, never the value."""

    attribute: str
    evidence: str | None = field(default=None, repr=False)

    @property
    def suggestion(self) -> str:
        """The suggestion to the rewriter."""
        place = f": {quote_line(self.evidence)}" if self.evidence else ""
        return f"coarsen or leave out what tells the {self.attribute} of the person{place}"


class _GuessAnswer(StructuredAnswer):
    attribute: Inferable
    guess: NonBlankText
    evidence: str | None = None


class _Guesses(StructuredAnswer):
    guesses: list[_GuessAnswer]


class ModelAdversary:
    """Attribute inference by one `ChatModel`; one call for each draft.

    The recognizer finds the values that a policy leaves in a record's text, such as an occupation.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def fingerprint(self) -> str:
        """The model's name and a digest of the prompt; the recognizer has its own fingerprint."""
        return f"adversary/{self._model.name}/{prompts_fingerprint('infer')}/{VERSION}"

    async def guesses(self, draft: Draft) -> tuple[Guess, ...]:
        """Return the model's guesses from a draft; it sees nothing else.

        Raises:
            AgentOutputError: when no answer fits.
            UpstreamError: when the model cannot be reached.
        """
        system = prompt("infer").substitute()
        shown = f"DRAFT\n{as_json(draft.fields)}"
        answer = await ask(self._model, system, shown, _Guesses, stage="infer")
        text = Original(draft.text)
        return tuple(
            Guess(g.attribute, g.guess, g.evidence if occurs(g.evidence, text) else None)
            for g in answer.guesses
        )

    def against(self, protection: Protection, recognizer: Recognizer) -> Infer:
        """Return the attack on one record's drafts; the recognizer is the run's own."""
        left: list[Identifier] | None = None

        async def infer(draft: Draft) -> Review:
            nonlocal left
            guesses = await self.guesses(draft)
            if guesses and left is None:
                left = await asyncio.to_thread(open_values, protection, recognizer)
            found = confirm(guesses, protection.identifiers, left or ())
            return Review(not found, tuple(f.suggestion for f in found))

        return infer


def open_values(protection: Protection, recognizer: Recognizer) -> list[Identifier]:
    """Return the values that a policy leaves in a text.

    They are the values that were coarse enough already, and those that the recognizer finds in the
    protected text. Of types that an operator replaced, a find is a band or a stand-in and not
    counted.
    """
    replaced = {identifier.entity_type for identifier in protection.identifiers}
    text = protection.protected.text
    clear = PLACEHOLDER.sub(lambda match: " " * len(match.group()), text)
    found = (
        Identifier(text[span.start : span.end], span.entity_type)
        for span in recognizer.recognize(clear)
        if span.entity_type not in replaced
    )
    return [*protection.kept, *found]


def confirm(
    guesses: Iterable[Guess], hidden: Sequence[Identifier], left: Sequence[Identifier] = ()
) -> tuple[ConfirmedGuess, ...]:
    """Return the right guesses that count: all about hidden values, and some about values left.

    Right guesses about values left in the text count only if more than one attribute of the person
    is guessed right in all.

    An age must be right to the year: the policy publishes a band of years on purpose. Another guess
    is right if it holds the value or is a part of it of at least three letters; for the sex, any
    word of the same sex is right.
    Does not guarantee: that a guess in other words, in another language or with numbers as words is
    recognised as right.
    """
    guesses = tuple(guesses)
    sure = [guess for guess in guesses if _names_any(guess, hidden)]
    right = [guess for guess in guesses if guess in sure or _names_any(guess, left)]
    several = len({guess.attribute for guess in right}) > _OPEN_ALONE
    counted = right if several else sure
    return tuple(dict.fromkeys(ConfirmedGuess(g.attribute, g.evidence) for g in counted))


def _names_any(guess: Guess, values: Iterable[Identifier]) -> bool:
    types = _TYPES[guess.attribute]
    return any(value.entity_type in types and _right(guess, value) for value in values)


def _right(guess: Guess, identifier: Identifier) -> bool:
    if guess.attribute == "age":
        years = set(_YEARS.findall(guess.value))
        return len(years) == 1 and years == set(_YEARS.findall(identifier.value))
    guessed, value = tokenize(guess.value), tokenize(identifier.value)
    if guess.attribute == "sex" and any(
        sex.intersection(guessed) and sex.intersection(value) for sex in _SEXES
    ):
        return True
    long_enough = len("".join(guessed)) >= _MIN_LETTERS and len("".join(value)) >= _MIN_LETTERS
    return long_enough and (_within(guessed, value) or _within(value, guessed))


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    size = len(part)
    return any(list(whole[i : i + size]) == list(part) for i in range(len(whole) - size + 1))
