"""Generate annotated records of many registers from templates."""

from __future__ import annotations

from collections.abc import Iterator

from sage_rag.privacy.entities import TAGGED
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.generated.draw import Draw
from sage_rag.training.recognition.generated.noise import Mix, disguised
from sage_rag.training.recognition.generated.templates import register
from sage_rag.training.recognition.generated.writer import Writer

TYPES = frozenset(TAGGED)

REGISTERS = {
    "dialogue": 15,
    "mail": 14,
    "clinical": 13,
    "medicine": 14,
    "judgment": 15,
    "chat": 10,
    "news": 9,
    "review": 8,
    "form": 7,
    "contract": 5,
    "plain": 12,
}
"""Weight of each register. `plain` contains no private value."""
_SINGLE_TEMPLATE = {"form"}
"""Registers with one template per record."""
_BETWEEN = {"mail": ("\n\n", "\n\n", "\n"), "chat": ("\n", "\n", " ")}
_BETWEEN_SENTENCES = (" ", " ", " ", "\n", "\n\n")
_MIX: Mix = (
    ((), 46),
    (("lower",), 11),
    (("misspell",), 5),
    (("lower", "misspell"), 5),
    (("lower", "unpunctuated"), 5),
    (("dictated",), 4),
    (("upper",), 4),
    (("lower_names",), 4),
    (("scan",), 4),
    (("upper_names",), 3),
    (("wrapped",), 3),
    (("unspaced",), 2),
    (("lower", "unspaced", "misspell"), 2),
    (("title_case",), 1),
    (("upper", "scan"), 1),
)
"""Disguises and their weights; the sum is 100."""


def generate(count: int, *, seed: int) -> Iterator[Example]:
    """Yield `count` annotated records: English text with names of people from many countries.

    The same seed gives the same records in every process. A longer run starts with the records of
    a shorter one.

    Annotations follow the sets that train and measure the tagger.
    PERSON: names, without titles, possessive endings and handles, and without eponyms of diseases,
    tests and laws; whole names in file names and in the user part of e-mail addresses, too.
    DATE_TIME, as in TAB: dates, years, months, weekdays, times of day and durations.
    DEMOGRAPHIC, QUANTITY and MISC, on which sets disagree, as in TAB. DEMOGRAPHIC: descent,
    nationality, religion, politics and occupation, but not kinship, gender or the office of those
    who act for a court. QUANTITY: sums, measures and counts that describe the case, but not doses
    and laboratory values. MISC: benefits, statutes by name, programmes, events, ships and works,
    but not articles of a code.
    Other values on which sets disagree ("yesterday", "three children") are `unsure`.

    Source: types and their limits after Pilán et al. (2022), arXiv 2202.00443, §3.
    """
    for number in range(count):
        # Each record has its own generator, so records do not depend on each other.
        yield _record(Draw((seed << 32) + number), f"generated-{seed}-{number}")


def _record(draw: Draw, document: str) -> Example:
    name = draw.weighted(tuple(REGISTERS), tuple(REGISTERS.values()))
    writer = Writer(draw)
    # A record uses each template once.
    for part, template in enumerate(draw.random.sample(register(name), _parts(draw, name))):
        if part:
            writer.literal(draw.pick(_BETWEEN.get(name, _BETWEEN_SENTENCES)))
            if draw.chance(0.5):
                writer.forget()
        plain = part > 0 and name != "plain" and draw.chance(0.25)
        writer.fill(draw.pick(register("plain")) if plain else template)
    spans, unsure = tuple(writer.spans), tuple(writer.unsure)
    example = Example(writer.text, spans, TYPES, "generated", document, unsure)
    return disguised(example, draw, _MIX)


def _parts(draw: Draw, name: str) -> int:
    """Draw the number of templates of a record; one in twenty is long."""
    if name in _SINGLE_TEMPLATE:
        return 1
    return draw.between(6, 12) if draw.chance(0.05) else draw.pick((1, 1, 2, 2, 3, 4))
