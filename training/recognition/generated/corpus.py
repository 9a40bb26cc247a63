"""Records of many registers, annotated because we wrote them."""

from __future__ import annotations

from collections.abc import Iterator

from sage_rag.privacy.entities import TAGGED
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.generated.draw import Draw
from sage_rag.training.recognition.generated.noise import DISGUISES, moved
from sage_rag.training.recognition.generated.templates import register
from sage_rag.training.recognition.generated.writer import Writer

TYPES = frozenset(TAGGED)

REGISTERS = {
    "dialogue": 15,
    "mail": 14,
    "clinical": 14,
    "judgment": 11,
    "chat": 10,
    "news": 9,
    "review": 8,
    "form": 7,
    "contract": 5,
    "plain": 12,
}
"""Share of each register in a hundred records. `plain` holds no private value at all."""
_WHOLE = {"form"}
"""Registers whose templates stand alone: two forms in a row are no form."""
_BETWEEN = {"mail": ("\n\n", "\n\n", "\n"), "chat": ("\n", "\n", " ")}
_BETWEEN_SENTENCES = (" ", " ", " ", "\n", "\n\n")
_MIX: tuple[tuple[tuple[str, ...], float], ...] = (
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
"""Disguises and their share in a hundred records."""


def generate(count: int, *, seed: int) -> Iterator[Example]:
    """Write `count` annotated records: English, with names of people from everywhere.

    The same seed gives the same records in every process, whatever else the process draws; the
    first records of a longer run are those of a shorter one.

    What is marked follows the sets we train and measure on. PERSON: names without titles,
    possessive endings, handles, or the eponyms of diseases, tests and laws; also in file names and
    in the user part of e-mail addresses when a whole name stands there. DATE_TIME, as in TAB:
    dates, years, months, week days, times of day and how long something lasted.
    DEMOGRAPHIC, QUANTITY and MISC, on which sets disagree, as TAB uses them: descent, nationality,
    religion, politics and occupation, but no kinship, gender, or office of those who act for a
    court; sums, measures and counts that describe the case, but no dose or laboratory value;
    benefits, statutes by name, programmes, events, ships and works, but no article of a code.
    What sets disagree on ("yesterday", how long a symptom lasted, "three children") is `unsure`.

    Source: types and their limits after Pilán et al. (2022), arXiv 2202.00443, §3.
    """
    for number in range(count):
        # One source of chance per record: what one record draws never shifts the next.
        yield _record(Draw((seed << 32) + number), f"generated-{seed}-{number}")


def _record(draw: Draw, document: str) -> Example:
    name = draw.weighted(tuple(REGISTERS), tuple(REGISTERS.values()))
    writer = Writer(draw)
    # No template comes twice in a record.
    for part, template in enumerate(draw.random.sample(register(name), _parts(draw, name))):
        if part:
            writer.literal(draw.pick(_BETWEEN.get(name, _BETWEEN_SENTENCES)))
            if draw.chance(0.5):
                writer.forget()
        aside = part > 0 and name != "plain" and draw.chance(0.25)
        writer.fill(draw.pick(register("plain")) if aside else template)
    text, spans, unsure = writer.text, writer.spans, writer.unsure
    for disguise in draw.weighted([mix for mix, _ in _MIX], [share for _, share in _MIX]):
        pieces = DISGUISES[disguise](draw, text, spans)
        _, unsure = moved(pieces, unsure)
        text, spans = moved(pieces, spans)
    ranges = tuple((span.start, span.end) for span in unsure)
    return Example(text, tuple(spans), TYPES, "generated", document, ranges)


def _parts(draw: Draw, name: str) -> int:
    """Draw of how many templates a record consists; one in twenty is long."""
    if name in _WHOLE:
        return 1
    return draw.between(6, 12) if draw.chance(0.05) else draw.pick((1, 1, 2, 2, 3, 4))
