"""The k-anonymity figure of a run's report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from sage_rag.indexer.anonymity import anonymity_figures, anonymity_line
from sage_rag.indexer.ledger import Result
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.versions import REPORT, current_path
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer
from tests.indexer.conftest import NAMES, Run

AGES = TableRecognizer({"40-49": EntityType.AGE, "50-59": EntityType.AGE})


def result(text: str, **tokens: str) -> Result:
    return Result(True, {"text": text}, tokens, (), "key", 0, 0, 0.0, ())


def test_ages_in_clear_and_tokens_make_the_classes() -> None:
    place = {"[LOCATION_1]": "LOCATION_[a]"}
    published = [
        result("aged 40-49 in [LOCATION_1]", **place),
        result("in [LOCATION_1], 40-49", **place),
        result("aged 40-49", **place),
        result("aged 50-59 in [LOCATION_1]", **place),
    ]
    assert anonymity_figures(RECIPES["sage"], published, AGES) == {
        "documents": 4,
        "classes": 2,
        "smallest_class": 1,
        "in_classes_under": {"2": 1, "5": 4, "10": 4},
        "singled_out_by": [{"types": ["AGE"], "documents": 1}],
    }


def test_where_nothing_stays_in_clear_nothing_is_recognised() -> None:
    published = [result("[LOCATION_1]", **{"[LOCATION_1]": "LOCATION_[a]"})] * 2
    figures = anonymity_figures(RECIPES["encrypted"], published, FailingRecognizer())
    assert figures is not None
    assert (figures["documents"], figures["smallest_class"]) == (2, 2)


def test_spans_of_the_gate_count_without_recognising_again() -> None:
    spans = [result("aged 40-49"), result("aged 50-59"), result("of no age")]
    judged = [replace(r, quasi=tuple(AGES.recognize((r.fields or {})["text"]))) for r in spans]
    figures = anonymity_figures(RECIPES["sage"], judged, FailingRecognizer())
    assert figures == anonymity_figures(RECIPES["sage"], spans, AGES)


def test_a_run_that_resumes_takes_the_spans_from_the_ledger(run: Run, tmp_path: Path) -> None:
    class Unread(FailingRecognizer):
        fingerprint = "table"

    def figures() -> object:
        report = (current_path(tmp_path / "home", "clinic") / REPORT).read_text()
        return json.loads(report)["quasi_identifiers"]

    run(recognizer=TableRecognizer({**NAMES, "May": EntityType.DATE_TIME}))
    before = figures()
    assert run(recognizer=Unread()).resumed == 20
    assert figures() == before


def test_a_plain_corpus_has_no_figure() -> None:
    assert anonymity_figures(RECIPES["origin"], [], AGES) is None


def test_the_report_of_a_run_holds_it(run: Run, tmp_path: Path) -> None:
    run()
    report = (current_path(tmp_path / "home", "clinic") / REPORT).read_text()
    figures = json.loads(report)["quasi_identifiers"]
    assert figures["documents"] == 20
    assert set(figures["in_classes_under"]) == {"2", "5", "10"}


def test_the_first_screen_counts_passages_that_are_alone() -> None:
    published = [result("aged 40-49"), result("aged 40-49"), result("aged 50-59")]
    figures = anonymity_figures(RECIPES["sage"], published, AGES)
    assert figures is not None
    assert anonymity_line(figures) == (
        "k-anonymity: of 3 passages, 1 has quasi-identifiers that no other one has, 1 by AGE; "
        "a policy that redacts or generalises these makes it fewer"
    )
    together = anonymity_figures(RECIPES["sage"], published[:2], AGES)
    assert together is not None
    assert anonymity_line(together) == (
        "k-anonymity: of 2 passages, each shares its quasi-identifiers with 1 or more"
    )
    single = anonymity_figures(RECIPES["sage"], published[:1], AGES)
    assert single is not None
    assert "of 1 passage, 1 has quasi-identifiers that" in anonymity_line(single)
