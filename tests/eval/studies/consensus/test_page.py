"""The page of the study of `consensus`, from results written by hand."""

import pytest

from sage_rag.common.proportions import Proportion
from sage_rag.eval.linkage import Exposure
from sage_rag.eval.membership import Membership
from sage_rag.eval.rare_runs import RareRuns
from sage_rag.eval.ratio import Ratio
from sage_rag.eval.studies.consensus.growth import GrowthFigures
from sage_rag.eval.studies.consensus.page import curve_plot, markdown
from sage_rag.eval.studies.consensus.results import (
    AnswerUtility,
    CanaryFigures,
    ConsensusStudy,
    CorpusFigures,
    IndexFigures,
    StudyPart,
    Wording,
)
from sage_rag.eval.studies.environment import Environment
from sage_rag.eval.studies.sage.indexing_cost import IndexingCost

ENVIRONMENT = Environment(commit="abc", date="2026-01-02", hardware="one core", software={})


def membership(auc, detected=2):
    found = Proportion.of(detected, 100)
    return Membership(
        members=100, others=25, auc=auc, low=auc - 0.05, high=auc + 0.05, detected=found
    )


def figures(name, k=None, auc=0.6, useful=0.9, detected=2, topic_records=8, longest=3):
    linked = Proportion.of(9, 10)
    worth = {
        name: Ratio(value=useful, low=useful - 0.1, high=useful + 0.1)
        for name in ("content_f1", "cosine", "rouge_l", "bleu_1")
    }
    return IndexFigures(
        name=name,
        k=k,
        topic_records=topic_records,
        records=100,
        subjects=100,
        passages=10,
        represented=80,
        refused={"empty": 2},
        words=40.0,
        exposures=(
            Exposure(likeness="cosine", linked=linked, chance=0.1, membership=membership(auc)),
            Exposure(
                likeness="runs", linked=linked, chance=0.1, membership=membership(0.5, detected)
            ),
            Exposure(likeness="union", linked=None, membership=membership(0.52)),
        ),
        exposed=membership(auc),
        utility=AnswerUtility(
            questions=25,
            refused=Proportion.of(0, 25),
            content_f1=0.08,
            cosine=0.4,
            rouge_l=0.1,
            bleu_1=0.15,
            ratios=worth,
            unrelated={"content_f1": 0.02, "cosine": 0.1},
        ),
        wording=Wording(
            repeated=Proportion.of(0, 10),
            similar=Proportion.of(0, 10),
            rare=RareRuns(k=k or 3, longest=longest, passages=Proportion.of(0, 10)),
        ),
    )


def split(corpus, *rows, seed=0):
    return CorpusFigures(corpus=corpus, seed=seed, indexed=100, others=25, questions=25, rows=rows)


def part(**content):
    return StudyPart(command="command x", environment=ENVIRONMENT, seconds=3.0, **content)


def study(row, **parts):
    main = part(splits=(split("healthcaremagic", figures("origin"), row),))
    return ConsensusStudy(parts={"healthcaremagic": main, **parts})


def targets(row):
    page = markdown(study(row), "x.svg")
    lines = [line for line in page.splitlines() if "yes: " in line or "**no**: " in line]
    return {line.split("|")[1].strip(): "yes: " in line for line in lines}


AREA = "membership, worst area under the curve"
DETECTED = "members detected at 1 % false alarms, worst attack"
F1, COSINE = (
    "content F1 as a share of `origin`'s",
    "cosine to the true answer as a share of `origin`'s",
)
RARE = "longest run shared with fewer than 3 subjects"


@pytest.mark.parametrize(
    ("row", "missed"),
    [
        ({"auc": 0.6, "useful": 0.95}, set()),
        ({"auc": 0.7, "useful": 0.95}, {AREA}),
        ({"detected": 6, "useful": 0.95}, {DETECTED}),
        ({"useful": 0.9}, {COSINE}),
        ({"useful": 0.8}, {COSINE, F1}),
        ({"useful": 0.95, "longest": 4}, {RARE}),
    ],
)
def test_targets_are_met_or_missed_as_measured(row, missed):
    found = targets(figures("consensus, k = 3", 3, **row))
    assert {title for title, met in found.items() if not met} == missed
    assert len(found) == 7


def test_the_worst_attack_counts_for_both_figures():
    row = figures("consensus, k = 3", 3, auc=0.61, detected=7)
    assert row.worst.auc == 0.61
    assert row.detected.successes == 7


def test_every_part_has_a_section_and_missing_parts_have_none():
    row = figures("consensus, k = 3", 3)
    growth = (GrowthFigures(records=2000, passages=9, processor_s=5.0, peak_bytes=2**28),)
    cost = [
        IndexingCost(
            recipe=recipe, documents=480, published=50, quarantined=0, reasons={}, wall_s=seconds, processor_s=seconds / 2,
            peak_rss_bytes=2**29, version_bytes=1,
        )
        for recipe, seconds in (("sage", 96.0), ("consensus", 32.0))
    ]  # fmt: skip
    whole = study(
        row,
        tab=part(splits=(split("tab", row).model_copy(update={"questions": 0}),)),
        seeds=part(splits=(split("healthcaremagic", row, seed=1),)),
        curve=part(splits=(split("healthcaremagic", row),)),
        canaries=part(
            canaries=(CanaryFigures(subjects=2, published=Proportion.of(0, 20)),), canary_k=3
        ),
        cost=part(indexing=tuple(cost)),
        growth=part(growth=growth),
    )
    page = markdown(whole, "x.svg")
    for title in ("Planted facts", "Speed", "tab, 100 indexed", "Other splits of healthcaremagic"):
        assert f"## {title}\n" in page
    assert "![curve](x.svg)" in page
    assert "| 2 | must not | 0 of 20 (0.0–13.9 %) |" in page
    assert "| `consensus` | 480 | 50 | 32 | 15.0 | 16 | 512 MiB |" in page
    assert "multiple of that of `sage`: 3.00 by processor time, 3.00 by wall time" in page
    assert "| mean | 0.600 | 2.0% | 0.90 | 0.90 |" in page
    assert "pieces of judgments are indexed" in page
    assert "## Planted facts" not in markdown(study(row), "x.svg")
    assert markdown(ConsensusStudy(), "x.svg").startswith("# Measurements")


def test_the_page_says_that_its_parts_are_of_different_commits():
    row = figures("consensus, k = 3", 3)
    later = ENVIRONMENT.model_copy(update={"commit": "later"})
    seeds = part(splits=(split("healthcaremagic", row, seed=1),))
    for found, expected in (
        (seeds, False),
        (seeds.model_copy(update={"environment": later}), True),
    ):
        page = markdown(study(row, seeds=found), "x.svg")
        assert ("parts are of different commits" in page) is expected


def test_the_curve_has_a_line_for_each_k():
    rows = [figures(f"consensus, k = {k}", k, topic_records=n) for k in (2, 3) for n in (4, 8)]
    drawn = curve_plot(part(splits=(split("healthcaremagic", figures("origin"), *rows),)))
    assert drawn.count("<circle") == 4
    assert drawn.count("<polyline") == 2
