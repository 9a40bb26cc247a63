"""Generate Chinese texts in which every person, place and organisation is marked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.chinese.templates import GeneratedText, sentence
from sage_rag.training.recognition.chinese.word_lists import FOLDER
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.generated.draw import Draw

ANNOTATED = frozenset({EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION})
_ENDS = "。！？；，"
_HALF_WIDTH = str.maketrans("，。：；！？（）“”", ',.:;!?()""')


def generate(count: int, *, seed: int) -> Iterator[Example]:
    """Yield texts of one to three sentences on the topics of the templates.

    Guarantees: the same count and seed give the same texts; every PERSON, LOCATION and
    ORGANIZATION that a slot wrote is marked, and no other type is. Titles of works are not marked.
    """
    draw = Draw(seed)
    for number in range(count):
        written = _varied(
            _joined([sentence(draw) for _ in range(draw.pick((1, 1, 1, 2, 2, 3)))], draw), draw
        )
        yield Example(written.text, written.spans, ANNOTATED, "generated_zh", f"zh-{seed}-{number}")


def generator_digest() -> str:
    """Return twelve hex digits that change with the generator's code, templates and words."""
    digest = hashlib.sha256()
    for part in (
        FOLDER,
        *(FOLDER.joinpath(n) for n in ("templates", "templates/clauses", "words")),
    ):
        for file in sorted(part.iterdir(), key=lambda f: f.name):
            if file.name.endswith((".py", ".txt")) and file.name != "fit.py":
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _joined(parts: list[GeneratedText], draw: Draw) -> GeneratedText:
    text, spans = "", []
    for part in parts:
        spans += [Span(s.start + len(text), s.end + len(text), s.entity_type) for s in part.spans]
        text += part.text
        if part is not parts[-1] or draw.chance(0.5):
            text += "" if text[-1] in _ENDS else draw.pick(("。", "。", "，", "", " "))
    return GeneratedText(text, tuple(spans))


def _varied(written: GeneratedText, draw: Draw) -> GeneratedText:
    """Cut some texts like excerpts, outside values, and make the punctuation of some half-width."""
    start, end = 0, len(written.text)
    if draw.chance(0.2):
        start = draw.between(0, end // 2)
    if draw.chance(0.2):
        end = draw.between((start + end) // 2 + 1, end)
    for span in written.spans:
        start = span.start if span.start < start < span.end else start
        end = span.end if span.start < end < span.end else end
    inside = [s for s in written.spans if start <= s.start and s.end <= end]
    text = written.text[start:end]
    text = text.translate(_HALF_WIDTH) if draw.chance(0.08) else text
    return GeneratedText(
        text, tuple(Span(s.start - start, s.end - start, s.entity_type) for s in inside)
    )
