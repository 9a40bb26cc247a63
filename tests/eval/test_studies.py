import pytest

from eval.attack import WHOLE_INDEX
from eval.report import AttackReport, Group, Measure
from eval.studies.environment import Environment, environment
from eval.studies.indexing import Indexing
from eval.studies.results import RecipeResult, Study
from eval.studies.tables import markdown
from eval.utility import Utility
from privacy.proportions import Proportion


def group(name, hits, of, pieces, detectors):
    measures = tuple(
        Measure(
            detector=detector,
            prompts=Proportion.of(hits, of),
            pieces=pieces,
            of=None,
            unit="originals",
            probes=(),
        )
        for detector in detectors
    )
    census = name == WHOLE_INDEX
    return Group(name=name, attempts=of, failed=0, measures=measures, census=census)


def result(recipe, hits, tmp_path):
    plain = ("repeat", "rouge", "contacts", "rouge-compat", "repeat-compat")
    attacks = tuple(
        AttackReport(
            target=recipe,
            worst_case=True,
            top_k=k,
            originals=600,
            groups=(
                group("targeted", hits, 125, hits, (*plain, "disease")),
                group("untargeted", 0, 125, 0, plain),
                group(WHOLE_INDEX, hits, 590, hits, plain),
            ),
        )
        for k in (1, 5)
    )
    indexing = Indexing(
        recipe=recipe,
        documents=600,
        published=590,
        quarantined=10,
        reasons={"shared-run": 10},
        wall_s=12.0,
        peak_rss_bytes=2**30,
        version_bytes=2**20,
        version=tmp_path / "private-folder",
    )
    return RecipeResult(
        indexing=indexing,
        indexing_part=indexing,
        attacks=attacks,
        utility=Utility(questions=100, bleu_1=0.1, rouge_l=0.05, exact_match=0.0),
        agreement=Proportion.of(40, 100),
    )


@pytest.fixture
def study(tmp_path):
    return Study(
        command="python -m eval.studies.recipes --corpus qa.jsonl",
        environment=Environment(commit="abc", date="2025-01-01", hardware="two cores", software={}),
        corpus="qa.jsonl",
        documents=600,
        held_out=100,
        prompts=250,
        recipes=(result("origin", 60, tmp_path), result("sage", 0, tmp_path)),
    )


def test_every_group_has_a_table_and_the_whole_index_one(study):
    headings = [line for line in markdown(study).splitlines() if line.startswith("### ")]
    assert headings == [
        "### targeted: 125 prompts, k = 1",
        "### untargeted: 125 prompts, k = 1",
        "### whole index, all passages",
        "### targeted: 125 prompts, k = 5",
        "### untargeted: 125 prompts, k = 5",
    ]


def test_rows_hold_counts_with_bounds_and_cost(study):
    written = markdown(study)
    assert "| sage | 0 of 125 (95 %: at most 2.4 %) | 0 |" in written
    assert "| origin | 60 of 125 (48.0 %, 95 %: 39.0 to 57.1 %) | 60 |" in written
    assert "| origin | 60 of 590 | 60 |" in written
    assert "10 (shared-run 10) | 12.0 s | 50.0 | 1024 MiB | 1.00 MiB |" in written
    assert "| repeat passages | repeat contexts |" in written
    assert "disease cases" in written
    assert "ROUGE contexts (compat)" in written
    assert "repeat contexts (compat)" not in written


def test_the_json_names_no_folder_of_this_machine(study):
    assert "private-folder" not in study.model_dump_json()


def test_the_environment_names_versions_and_hardware():
    found = environment()
    assert {"python", "torch", "sage-rag"} <= set(found.software)
    assert "cores" in found.hardware
