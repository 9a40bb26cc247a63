"""Attacks as a part of the study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sage_rag.common.proportions import Proportion
from sage_rag.eval.mean import Mean
from sage_rag.eval.model_attacks.key_recovery import KeyRecovery
from sage_rag.eval.model_attacks.name_reconstruction import NameReconstruction
from sage_rag.eval.model_attacks.results import ModelAttackReport, NameResult
from sage_rag.eval.studies import runner
from sage_rag.eval.studies.crypto_llm import attacks_part, study
from tests.eval.studies.crypto_llm.test_study import TINY, write_works


def names(group: str, right: int, of: int) -> NameResult:
    rank = Mean(value=2.0, low=1.0, high=3.0, count=of)
    first = Proportion.of(right, of)
    return NameResult(group=group, result=NameReconstruction(candidates=9, first=first, rank=rank))


def test_planted_records_of_all_frequencies_are_counted_together() -> None:
    found = ModelAttackReport(
        model="plain",
        seed=0,
        names=(
            names("planted 16 times", 5, 10),
            names("planted 1 times", 1, 10),
            names("not planted", 0, 7),
            names("names of the training text", 9, 9),
        ),
        prefixes=(),
        extraction=(),
        membership=(),
        keys=None,
    )
    summary = next(attacks_part.blocks([found], None))
    row = next(line for line in summary.splitlines() if line.startswith("| plain"))
    assert "| 6 of 20 (" in row
    assert "| 0 of 7 (" in row


@pytest.mark.slow
def test_trained_models_are_attacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "FULL", TINY.model_copy(update={"row_tokens": 768}))
    few = replace(
        attacks_part.SIZES,
        sentences=2,
        candidates=5,
        samples=2,
        prompts=2,
        passages=4,
        key_trials=2,
    )
    monkeypatch.setattr(attacks_part, "SIZES", few)
    source, home = write_works(tmp_path / "works.jsonl"), tmp_path / "home"
    out = tmp_path / "page.md"
    (home / "seed-0").mkdir(parents=True)  # the texts are too short for key recovery
    keys = KeyRecovery(by_frequency=(), by_crib=())
    (home / "seed-0" / "keys.json").write_text(keys.model_dump_json())
    command = ["crypto_llm", "--home", str(home), "--out", str(out), "--attacks"]
    assert runner.main([*command, "--texts", str(source), "--arms", "plain"]) == 0
    files = sorted(home.glob("seed-0/*/attacks.json"))
    assert [file.parent.name for file in files] == ["plain"]
    before = [file.stat().st_mtime_ns for file in files]
    assert runner.main([*command, "--arms"]) == 0
    assert [file.stat().st_mtime_ns for file in files] == before
    page = out.read_text()
    assert "## Attacks on planted records" in page
    assert "## Attacks on the cipher" in page
    assert str(tmp_path) not in page
