"""An adversary for stage 2: a model infers what a draft tells about its person without saying it.

What it gets right counts as a finding. Whether a guess is right is judged here, in the owner's
zone, against the record's own protected values; the model never learns it.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.2, A.16; attributes after Staab et al. (2023),
arXiv 2310.07298, §4. Differs: a guess is right only where it names a value that the policy hides,
since what nobody hides is no leak.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agents.chat import ChatModel
from agents.model_review import quoted, stands
from agents.prompts import prompt
from agents.protocols import Draft, Review
from agents.structured import Answer, Told, as_json, ask
from privacy.entities import EntityType
from privacy.leakage import Original, tokenize
from privacy.protect import Identifier, Protection

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
"""As what kinds of private value an attribute stands in a record."""
_SEXES = (
    frozenset("female woman women girl mother wife daughter sister widow lady".split()),
    frozenset("male man men boy father husband son brother widower gentleman".split()),
)
_MIN_LETTERS = 3
"""A shorter guess stands in too many values by chance."""
_YEARS = re.compile(r"\d{1,3}")


@dataclass(frozen=True, slots=True)
class Guess:
    """What the adversary holds for true. `evidence`: words of the draft that tell it."""

    attribute: str
    value: str = field(repr=False)
    evidence: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Inferred:
    """A guess that is right. Says what gave the value away, never the value."""

    attribute: str
    evidence: str | None = field(default=None, repr=False)

    @property
    def suggestion(self) -> str:
        """What a rewriter should do about it."""
        place = f": {quoted(self.evidence)}" if self.evidence else ""
        return f"coarsen or leave out what tells the {self.attribute} of the person{place}"


class _Guessed(Answer):
    attribute: Inferable
    guess: Told
    evidence: str | None = None


class _Guesses(Answer):
    guesses: list[_Guessed]


class ModelAdversary:
    """Attribute inference by one `ChatModel`; one call for each draft."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def infers(self, draft: Draft) -> tuple[Guess, ...]:
        """Return what the model makes of a draft; it is shown nothing else.

        Raises:
            AgentOutputError: when no answer fits.
            UpstreamError: when the model cannot be reached.
        """
        system = prompt("infer").substitute()
        shown = f"DRAFT\n{as_json(draft.fields)}"
        answer = await ask(self._model, system, shown, _Guesses, stage="infer")
        text = Original(draft.text)
        return tuple(
            Guess(g.attribute, g.guess, g.evidence if stands(g.evidence, text) else None)
            for g in answer.guesses
        )

    def against(self, protection: Protection) -> Callable[[Draft], Awaitable[Review]]:
        """Return the attack on one record's drafts, as `agents.refinement.Terms.infer` takes it."""

        async def infer(draft: Draft) -> Review:
            found = confirmed(await self.infers(draft), protection)
            return Review(not found, tuple(f.suggestion for f in found))

        return infer


def confirmed(guesses: Iterable[Guess], protection: Protection) -> tuple[Inferred, ...]:
    """Return the guesses that name one of the record's own protected values.

    An age is right to the year: a band of years is what the policy publishes on purpose. Another
    value is right where the guess holds it, or is a part of it of three letters or more; for the
    sex, a word of the same sex will do.
    Does not guarantee: that a guess in other words, another language or figures written out is
    recognised as right.
    """
    found = [
        Inferred(guess.attribute, guess.evidence)
        for guess in guesses
        if any(
            _right(guess, identifier)
            for identifier in protection.identifiers
            if identifier.entity_type in _TYPES[guess.attribute]
        )
    ]
    return tuple(dict.fromkeys(found))


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
