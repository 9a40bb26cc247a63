"""Write one sentence from a template; `templates/README.md` explains the syntax."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.chinese.gazetteer import word
from sage_rag.training.recognition.chinese.slots import SLOTS
from sage_rag.training.recognition.chinese.word_lists import lines
from sage_rag.training.recognition.generated.draw import Draw

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_CLAUSE = re.compile(r"<([a-z_]+)>")
_SLOT = re.compile(r"\{([a-z_]+)\}")
TOPICS = (
    "art court education film finance games mail medical mixed mixed news news plain politics "
    "property sport travel travel"
).split()
"""Files of templates; a file that occurs twice is drawn twice as often."""
_INTERCHANGEABLE = (
    "finance property games film politics education art sport law medical mail plain plain prose "
    "prose prose generic"
).split()
"""Files of clauses that may replace each other, weighted like `TOPICS`."""
_LITERAL_NAMES: Mapping[EntityType, re.Pattern[str]] = {
    EntityType.ORGANIZATION: re.compile(
        "联合国|北约|欧盟|世界卫生组织|银监会|证监会|保监会|欧洲央行|央行|美联储|华谊兄弟|佳士得|苏富比|"
        "故宫博物院|国务院发展研究中心|国务院|外交部(?=发言人)|国台办|商务部|全国人大|全国政协|"
        "EHOME|LGD|RNG|WE战队|IG战队|中国男篮"
    ),
    EntityType.LOCATION: re.compile("故宫(?!博)|台湾|中国(?!男篮)"),
}
"""Organisations and places that occur in the text of templates."""


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text and the spans of its values."""

    text: str
    spans: tuple[Span, ...]


def sentence(draw: Draw) -> GeneratedText:
    """Return a sentence of some topic, with its choices made and its slots filled."""
    template = _resolved(draw.pick(lines(draw.pick(TOPICS))), draw)
    text, spans, position = "", [], 0
    repeated = ""
    for slot in _SLOT.finditer(template):
        literal = template[position : slot.start()]
        spans += _literal_names(literal, len(text))
        text += literal
        kind, write = SLOTS[slot[1]]
        value = write(draw)
        if kind is EntityType.PERSON and draw.chance(0.06):  # some texts repeat a name
            value = repeated = repeated or value
        if kind is not None:
            spans.append(Span(len(text), len(text) + len(value), kind))
        text += value
        position = slot.end()
    spans += _literal_names(template[position:], len(text))
    return GeneratedText(text + template[position:], tuple(spans))


def _literal_names(part: str, offset: int) -> list[Span]:
    return [
        Span(offset + match.start(), offset + match.end(), kind)
        for kind, pattern in _LITERAL_NAMES.items()
        for match in pattern.finditer(part)
    ]


def _resolved(template: str, draw: Draw) -> str:
    while choice := _CHOICE.search(template):
        chosen = draw.pick(choice[1].split("|"))
        template = template[: choice.start()] + chosen + template[choice.end() :]
    return _CLAUSE.sub(lambda clause: _clause(clause[1], draw), template)


def _clause(name: str, draw: Draw) -> str:
    """Return a clause of the file, or sometimes of another, so that wording predicts no type."""
    if name == "word_salad" or (name in _INTERCHANGEABLE and draw.chance(0.12)):
        return _word_salad(draw)
    if name in _INTERCHANGEABLE and draw.chance(0.25):
        name = draw.pick(_INTERCHANGEABLE)
    return draw.pick(lines(f"clauses/{name}"))


def _word_salad(draw: Draw) -> str:
    """Return words in random order, so that the tagger learns words apart from their context."""
    parts = [word(draw) for _ in range(draw.between(2, 6))]
    particles = [draw.pick(lines("clauses/particles")) if draw.chance(0.5) else "" for _ in parts]
    return "".join(part for pair in zip(parts, particles, strict=True) for part in pair)
