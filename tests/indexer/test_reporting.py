"""How like published records are to their originals, in the report of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sage_rag.indexer.ledger import Result
from sage_rag.indexer.reporting import kept_line, wording_figures
from sage_rag.indexer.versions import REPORT, current_path
from tests.indexer.conftest import Run


def result(longest_run: int, rouge_l: float, order_free: float) -> Result:
    measures = {"longest_run": longest_run, "rouge_l": rouge_l, "order_free": order_free}
    return Result(True, {}, {}, (), "key", rounds=0, reasons=(), **measures)


def test_measures_are_given_by_quantiles_and_at_their_limits() -> None:
    published = [result(9, 0.5, 0.5), *(result(n, n / 20, n / 10) for n in range(10))]
    figures = wording_figures(published, {"run_tokens": 10})
    assert figures["longest_run"] == {"p10": 1, "p50": 5, "p90": 9, "max": 9, "at_limit": 2}
    assert figures["rouge_l"] == {
        "p10": 0.05,
        "p50": 0.25,
        "p90": 0.45,
        "max": 0.5,
        "over_half": 0,
    }
    assert figures["order_free"]["over_half"] == 4


def test_without_a_limit_no_record_is_at_it() -> None:
    assert "at_limit" not in wording_figures([result(3, 0.1, 0.2)], {})["longest_run"]


@pytest.mark.slow
def test_the_report_of_a_run_holds_them(run: Run, tmp_path: Path) -> None:
    run()
    report = (current_path(tmp_path / "home", "clinic") / REPORT).read_text()
    figures = json.loads(report)["wording"]
    assert figures["longest_run"]["max"] <= 9
    assert 0 < figures["rouge_l"]["p50"] <= figures["rouge_l"]["max"] <= 0.5
    assert figures["order_free"]["max"] <= 1


def test_what_is_kept_is_one_line_with_denominators() -> None:
    counts = {"sentences": (3, 4), "words": (10, 20), "doses": (1, 2), "sides": (0, 0)}
    assert kept_line(counts).startswith(
        "kept of the published records: 75 % of sentences, 50 % of words, 1 of 2 doses; what is left"
    )
