"""Variants of annotated texts: other names, other descriptions of the same kind."""

from sage_rag.privacy.entities import TAGGED, EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.generated.words import words
from sage_rag.training.recognition.variants import variants

TEXT = "Ada Novak, a nurse, has a boat."
SPANS = (Span(0, 9, EntityType.PERSON), Span(13, 18, EntityType.DEMOGRAPHIC))


def example(source: str, spans: tuple[Span, ...] = SPANS) -> Example:
    return Example(TEXT, spans, frozenset(TAGGED), source, "d1")


def jobs(source: str) -> list[str]:
    """The word in place of "nurse", in many variants."""
    return [
        variant.text[span.start : span.end]
        for variant in variants([example(source)] * 60, seed=3)
        for span in variant.spans
        if span.entity_type is EntityType.DEMOGRAPHIC
    ]


def test_a_job_becomes_another_job():
    known = {job.casefold() for job in words("people", "jobs")}
    found = [job.casefold() for job in jobs("uner")]
    assert len(set(found)) > 5
    assert sum(job in known for job in found) > len(found) / 2  # the others are misspelt


def test_judgments_have_two_variants_and_other_texts_one():
    assert len(list(variants([example("tab")], seed=1))) == 2
    assert len(list(variants([example("uner")], seed=1))) == 1


def test_a_text_without_a_span_to_replace_has_no_variant():
    year = (Span(0, 3, EntityType.DATE_TIME),)
    assert not list(variants([example("tab", year)], seed=1))
