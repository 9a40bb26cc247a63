"""Presidio's own engine, and its recognizers on our engine."""

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme, type_of_label
from sage_rag.privacy.recognizers.presidio.patterns import shipped_patterns
from sage_rag.privacy.recognizers.presidio.recognizer import PresidioRecognizer, _Rule
from sage_rag.privacy.recognizers.presidio.table import COMPARISON_ROWS, DEFAULT_ROWS

pytest.importorskip("presidio_analyzer")

from sage_rag.privacy.recognizers.presidio.engine import (
    PresidioEngine,
    installed_patterns,
    presidio_recognizer,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("row", DEFAULT_ROWS, ids=lambda row: row.name)
def test_every_row_has_the_type_of_its_label(row):
    for label in presidio_recognizer(row.name).supported_entities:
        assert row.entity_type == type_of_label(label, Scheme.PRESIDIO), label


def test_it_finds_what_presidio_finds_by_itself():
    """The same expressions and checksums: whatever Presidio is sure of is found here, too."""
    texts = ["Pan ma PESEL 44051401359", "NIF 12345678Z", "SIN 046 454 286", "id 8001015009087"]
    for row in DEFAULT_ROWS:
        if row.needs_context:
            continue
        presidio = presidio_recognizer(row.name)
        for text in texts:
            sure = {
                (r.start, r.end)
                for r in presidio.analyze(text, presidio.supported_entities, None)
                if r.score > 0.5
            }
            assert sure <= {
                (s.start, s.end) for s in _Rule(row, shipped_patterns(row.name)).find(text)
            }


@pytest.mark.slow
def test_the_comparison_runs_presidios_own_engine():
    engine = PresidioEngine()
    text = "write to a.b@example.org or pay DE89370400440532013000"
    spans = {(text[s.start : s.end], s.entity_type) for s in engine.recognize(text)}
    assert ("a.b@example.org", EntityType.EMAIL_ADDRESS) in spans
    assert ("DE89370400440532013000", EntityType.IBAN_CODE) in spans
    assert engine.fingerprint.startswith("presidio-engine-2.")


def test_the_own_rows_run_on_this_engine_too():
    text = "a.b@example.org, DE89370400440532013000, +44 20 7946 0958"
    spans = {
        (text[s.start : s.end], s.entity_type)
        for s in PresidioRecognizer(COMPARISON_ROWS, installed_patterns).recognize(text)
    }
    assert {
        ("a.b@example.org", EntityType.EMAIL_ADDRESS),
        ("DE89370400440532013000", EntityType.IBAN_CODE),
        ("+44 20 7946 0958", EntityType.PHONE_NUMBER),
    } <= spans
