"""The study on invented cases and novels, at a tiny size."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.controlled import study
from sage_rag.eval.studies.controlled.arms import arms_of
from sage_rag.eval.studies.controlled.page import blocks
from sage_rag.eval.studies.controlled.results import ArmResult, Excerpt, arm_results
from sage_rag.eval.studies.controlled.settings import FULL, MEDIUM, SMALL, ControlledSettings
from sage_rag.eval.studies.runner import main
from sage_rag.eval.synthetic_text.backends.perplexity import Perplexity
from sage_rag.eval.synthetic_text.leakage import Leakage
from sage_rag.eval.synthetic_text.report import TextReport
from sage_rag.training.controlled.codes import Identifiers
from tests.training.controlled.corpus import cases, write_cases

TINY = ControlledSettings(
    novel_characters=6_000,
    case_epochs=1,
    vocabulary=320,
    width=16,
    layers=1,
    heads=2,
    row_tokens=256,
    rows=8,
    samples=4,
    most_tokens=12,
    batch=4,
    prefix_epochs=1,
    tuning_epochs=1,
)


def leak(successes: int, trials: int) -> Leakage:
    found = Proportion.of(successes, trials)
    return Leakage(pipp=found, elp=found)


def result(name: str, title: str, seed: int, leaked: int, *, known: bool = True) -> ArmResult:
    report = TextReport(
        texts=20,
        sources=30,
        leakage={kind: leak(leaked, 20) for kind in Identifiers},
        rouge_2=0.1,
        rouge_l=0.2,
        distinct={1: 0.1, 2: 0.2, 3: 0.3},
        mauve=0.5,
        perplexity=Perplexity(tuned=50.0 + seed, untuned=90.0, tokens=1000),
    )
    return ArmResult(
        name=name,
        title=title,
        known=known,
        seed=seed,
        samples=20,
        again=1,
        report=report,
        of_examples=None,
        rouge_2=0.1,
        rouge_l=0.2,
        excerpts=(Excerpt(text="An invented  case", rouge_l=0.1),),
    )


def test_the_tables_show_our_figures_next_to_the_papers() -> None:
    arms = [result(a.name, a.title, 0, 5, known=a.known) for a in arms_of(FULL)]
    page = "\n\n".join(blocks(arms, [], FULL))
    row = next(line for line in page.splitlines() if line.startswith("| ICL w/ privacy"))
    assert row.split(" | ")[1:3] == ["25.00", "8.7–49.1"]
    assert row.endswith("| 0.0 | 0.0 | 0.3361 | 0.3645 |")
    assert "| Fine-tuning w/ masking, lowering sign | 25.00 |" in page
    assert "| Baseline | 25.00 |" in page.partition("(Table 2)")[2].partition("##")[0]
    assert "(ROUGE-L to the nearest case 0.10):\nAn invented case" in page


def test_several_seeds_have_an_interval() -> None:
    arms = [result("icl", "ICL", seed, 4 + seed) for seed in range(3)]
    page = "\n\n".join(blocks(arms, [], FULL))
    assert "| ICL | 25.00 ± 12.42 |" in page  # 20, 25, 30 %: 4.303 · 5 / √3
    assert "| 15 of 60 (14.7–37.9 %) | 4, 5, 6 of 20 |" in page


def test_many_seeds_have_the_wider_interval_of_students_t() -> None:
    arms = [result("icl", "ICL", seed, 4 + seed) for seed in range(6)]
    page = "\n\n".join(blocks(arms, [], FULL))
    assert "| ICL | 32.50 ± 9.82 |" in page  # 20 to 45 %: 2.571 · 9.354 / √6


def test_every_arm_has_a_name_of_its_own_and_blocked_ones_alone_are_shown() -> None:
    arms = arms_of(SMALL)
    assert len({arm.name for arm in arms}) == len(arms)
    assert {arm.title for arm in arms if arm.known} >= {"Baseline", "ICL", "Fine-tuning"}


@pytest.mark.parametrize("settings", [SMALL, MEDIUM, FULL])
def test_the_page_states_the_size_of_the_model(settings: ControlledSettings) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=settings.vocabulary,
        hidden_size=settings.width,
        intermediate_size=-(-settings.width * 8 // 3 // 32) * 32,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        tie_word_embeddings=True,
    )
    assert settings.parameters == LlamaForCausalLM(config).num_parameters()


@pytest.mark.slow
def test_the_study_runs_resumes_and_blocks_every_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("baseline", "icl-blocked", "prefix-lowering", "prefix-blocked")
    chosen = [arm for arm in arms_of(TINY) if arm.name in names]
    monkeypatch.setattr(study, "SMALL", TINY)
    monkeypatch.setattr(study, "arms_of", lambda settings: chosen)
    data = tmp_path / "data"
    (data / "tab_echr_english").mkdir(parents=True)
    (data / "english_novels").mkdir()
    path = data / "tab_echr_english" / "tab.jsonl"
    write_cases(path, cases(12))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows = [{**row, "split": "test" if n % 4 == 0 else "train"} for n, row in enumerate(rows)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    novel = json.dumps({"text": "The moor lay dark, and she went home to her aunt. " * 200})
    with gzip.open(data / "english_novels" / "novels.jsonl.gz", "wt") as file:
        file.write(novel + "\n")
    home, out = tmp_path / "home", tmp_path / "page.md"
    arguments = ["controlled", "--data", str(data), "--home", str(home), "--small"]
    arguments += ["--part", "arms", "--out", str(out)]
    assert main(arguments) == 0
    found = {arm.name: arm for arm in arm_results(home)}
    assert set(found) == set(names)
    for name in names[1::2]:
        assert found[name].report.leakage[Identifiers.BOTH].pipp.successes == 0
    before = {p: p.stat().st_mtime_ns for p in home.rglob("*.json")}
    assert main(arguments) == 0
    assert {p: p.stat().st_mtime_ns for p in before} == {
        **before,
        home / "controlled.json": (home / "controlled.json").stat().st_mtime_ns,
    }
    assert "## Utility (Table 4)" in out.read_text()
