"""Attacks as a part of the study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sage_rag.eval.model_attacks.key_recovery import KeyRecovery
from sage_rag.eval.studies import runner
from sage_rag.eval.studies.crypto_llm import attacks_part, settings, study
from tests.eval.studies.crypto_llm.test_study import TINY, write_works


@pytest.mark.slow
def test_trained_models_are_attacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "FULL", TINY.model_copy(update={"row_tokens": 768}))
    monkeypatch.setattr(settings, "_REPEATED", {0: 2, 3: 2})
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
    command = ["crypto_llm", "--home", str(home), "--out", str(out), "--attacks", "--repeated"]
    assert runner.main([*command, "--texts", str(source), "--arms", "plain"]) == 0
    files = sorted(home.glob("seed-0/**/attacks.json"))
    assert [str(file.parent.relative_to(home)) for file in files] == [
        "seed-0/plain",
        "seed-0/repeated/plain",
    ]
    before = [file.stat().st_mtime_ns for file in files]
    assert runner.main([*command, "--arms"]) == 0
    assert [file.stat().st_mtime_ns for file in files] == before
    page = out.read_text()
    assert "## Attacks on planted records" in page
    assert "### Few texts, records planted very often" in page
    assert "| name first of all candidates | 2 | 0 of 2" in page
    assert "## Attacks on the cipher" in page
    assert str(tmp_path) not in page
