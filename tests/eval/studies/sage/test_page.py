"""The study of SAGE as a page, from results written by hand."""

import pytest

from sage_rag.common.proportions import Count, Proportion
from sage_rag.eval.attack import WHOLE_INDEX
from sage_rag.eval.linkage import Exposure
from sage_rag.eval.membership import Membership
from sage_rag.eval.ratio import Ratio
from sage_rag.eval.report import AttackReport, Group, Measure
from sage_rag.eval.studies.environment import Environment, environment
from sage_rag.eval.studies.sage.indexing_cost import IndexingCost
from sage_rag.eval.studies.sage.page import markdown
from sage_rag.eval.studies.sage.results import (
    AnswerScores,
    CallCost,
    DraftLeakage,
    IndexComparison,
    IndexMeasurement,
    SageStudy,
    StudyPart,
    WordingLikeness,
)
from sage_rag.eval.studies.tables import cell, ratio, share, table

DETECTORS = ("repeat", "rouge", "contacts", "rouge-compat")


def group(name, hits, of, detectors=DETECTORS):
    measures = tuple(
        Measure(
            detector=detector,
            prompts=(
                Count(successes=hits, trials=of) if name == WHOLE_INDEX else Proportion.of(hits, of)
            ),
            pieces=hits,
            of=500,
            unit="originals",
            probes=(),
        )
        for detector in detectors
    )
    return Group(name=name, attempts=of, failed=0, measures=measures)


def measured(name, hits=0, *, known=95, useful=0.95, quarantined=10, marked=()):
    attacks = tuple(
        AttackReport(
            target=name,
            worst_case=True,
            top_k=k,
            originals=500,
            groups=(
                group("targeted", hits, 125, (*DETECTORS, "disease")),
                group("untargeted", hits, 125),
                *([group(WHOLE_INDEX, hits, 490, (*DETECTORS, *marked))] if k == 1 else []),
            ),
        )
        for k in (1, 2, 5, 10)
    )
    worth = Ratio(value=useful, low=useful - 0.1, high=useful + 0.1)
    answers = tuple(
        AnswerScores(top_k=k, rouge_l=0.12, bleu_1=0.2, rouge_ratio=worth, bleu_ratio=worth)
        for k in (1, 2, 5, 10)
    )
    return IndexMeasurement(
        name=name,
        documents=500,
        published=500 - quarantined,
        quarantined=quarantined,
        reasons={"reviewer": quarantined} if quarantined else {},
        rounds={0: 100, 1: 390},
        attacks=attacks,
        answers=answers,
        agreement=Proportion.of(91, 100),
        known_items=Proportion.of(known, 100),
        known_ratio=Ratio(value=known / 100, low=0.9, high=1.0),
    )


def compared(corpus, *rows, marked=0):
    return IndexComparison(
        corpus=corpus,
        documents=500,
        questions=100,
        known_items=100,
        marked=marked,
        prompts={"targeted": 125, "untargeted": 125},
        rows=rows,
    )


def part(**found):
    where = Environment(commit="abc", date="2025-01-01", hardware="two cores", software={})
    return StudyPart(
        command="python -m sage_rag.eval.studies sage",
        environment=where,
        agents="rule agents",
        seconds=60.0,
        **found,
    )


def page(**parts):
    return markdown(SageStudy(parts=parts))


@pytest.fixture
def recipes():
    rows = [measured("origin", 120), measured("sage-stage-1", 40), measured("sage")]
    return part(compared=(compared("healthcaremagic", *rows),))


def row_of(text, first, heading=""):
    lines = text[text.index(heading) :].splitlines()
    return next(line for line in lines if line.startswith(f"| {first} |"))


def test_it_begins_with_what_was_expected_and_how_far_it_was_reached(recipes):
    text = page(recipes=recipes)
    assert "| expected of `sage` | healthcaremagic |" in text
    assert "| quarantined: under 5 % | yes: 10 of 500 (1.0–3.6 %) |" in text
    assert "yes: 0 of 1000 |" in text
    assert "| the index holds no marked identifier | not measured |" in text
    assert "**no**" not in text
    assert text.index("expected of") < text.index("## Commands and data") < text.index("## Leakage")


def test_what_is_not_reached_is_said_to_be_so():
    sage = measured("sage", 1, known=91, useful=0.89, quarantined=25, marked=("canaries",))
    rows = (measured("origin", 120), sage)
    text = page(corpora=part(compared=(compared("tab", *rows, marked=7),)))
    assert text.count("**no**") == 6
    assert "| **no**: 3 in 490 passages |" in text
    assert "| **no**: 25 of 500" in text
    assert "| **no**: 1 of 500 |" in text


@pytest.mark.parametrize(("agreed", "told"), [(69, True), (90, False)])
def test_what_encryption_alone_costs_is_told_where_it_costs_agreement(agreed, told):
    alone = measured("encrypted").model_copy(update={"agreement": Proportion.of(agreed, 100)})
    text = page(corpora=part(compared=(compared("squality", measured("origin"), alone),)))
    assert ("encryption alone costs agreement**: with only" in text) is told


def exposed(row, linked, auc):
    membership = Membership(
        members=480, others=100, auc=auc, low=auc - 0.01, high=auc, detected=Proportion.of(400, 480)
    )
    found = [
        Exposure(likeness=name, linked=Proportion.of(linked, 490), membership=member)
        for name, member in (("cosine", membership), ("runs", None))
    ]
    wording = WordingLikeness(
        order_free=0.71, over_half=Proportion.of(480, 490), at_limit=Proportion.of(400, 490)
    )
    return row.model_copy(update={"exposures": tuple(found), "wording": wording})


def test_what_rewording_does_not_protect_from_follows_what_was_expected():
    sage = exposed(measured("sage"), 489, 0.983)
    other = exposed(measured("sage"), 12, 0.55)
    text = page(
        recipes=part(compared=(compared("healthcaremagic", measured("origin"), sage),)),
        corpora=part(compared=(compared("tab", measured("origin"), other),)),
    )
    head = "## What the rewording does not protect from"
    assert text.index("expected of") < text.index(head) < text.index("## Commands and data")
    linked = "nearest record is the passage's own, by vectors"
    cells = row_of(text, linked, head).split(" | ")
    assert [cell.split(" (")[0] for cell in cells[1:]] == ["489 of 490", "12 of 490"]
    area = row_of(text, "membership, area under the curve, by vectors", head)
    assert "| 0.983 (0.973–0.983) | 0.550 (0.540–0.550) |" in area
    runs = row_of(text, "membership, area under the curve, by runs of four words", head)
    assert runs.endswith("| – | – |")
    recipe = row_of(text, "sage, both stages", "### Linkage and membership")
    assert recipe.startswith("| sage, both stages | 0.71 | 480 of 490 (")
    assert row_of(text, "origin", "### Linkage and membership").count("–") == 9


def test_without_these_measures_the_page_has_no_such_section(recipes):
    text = page(recipes=recipes)
    assert "does not protect from\n" not in text
    assert "### Linkage" not in text


def test_our_figures_stand_beside_the_papers(recipes):
    text = page(recipes=recipes)
    origin = row_of(text, "origin", "### Through retrieval").split(" | ")
    assert origin[1:5] == ["120 of 125 (90.9–98.7 %)", "132", "120", "75"]
    stage_1 = row_of(text, "sage, stage 1 alone", "### Through retrieval")
    assert "| 36 | 40 | 12 |" in stage_1
    assert row_of(text, "sage, both stages", "## Utility").split(" | ")[3] == "1.20"
    assert row_of(text, "zerogen").startswith("| zerogen | needs a model | 6 | needs a model | 1 |")


def test_each_number_of_passages_has_a_row(recipes):
    section = page(recipes=recipes).split("## Number of passages")[1].split("\n## ")[0]
    ks = [line.split(" | ")[1] for line in section.splitlines() if line.startswith("| sage, both")]
    assert ks == ["1", "2", "5", "10"]


def test_attributes_count_both_sides_and_have_the_papers_figure_for_stage_1():
    rows = [measured("origin"), measured("sage-stage-1-m3", 4), measured("sage-m3")]
    text = page(attributes=part(compared=(compared("healthcaremagic", *rows),)))
    lines = [line for line in text.splitlines() if line.startswith("| 6 |")]
    assert ["| 2, 2 |" in line for line in lines] == [True, False]


def test_rounds_show_what_is_refused_and_what_would_leak():
    rows = [measured("origin"), measured("sage-r0", quarantined=300), measured("sage-r5")]
    drafts = tuple(
        DraftLeakage(
            max_rounds=n, drafts=500, refused=300 - 58 * n, repeated=90 - 18 * n, similar=n
        )
        for n in (0, 5)
    )
    text = page(rounds=part(compared=(compared("healthcaremagic", *rows),), drafts=drafts))
    assert "| 0 | 200 | 300 of 500 (55.6–64.3 %) | 0 |" in text
    assert "| 300 of 500 | 0 | 90 | 0 |" in text
    assert "| 10 of 500 | 0 | 0 | 5 |" in text


def test_calls_say_that_a_script_made_them():
    calls = CallCost(
        name="all savings",
        documents=100,
        published=98,
        calls_mean=3.4,
        calls_median=3.0,
        tokens_mean=4700.0,
        money_mean=0.00124,
        stages={"rewrite": 1.0, "extract": 1.0, "review": 1.4},
        repeated=0,
    )
    text = page(calls=part(calls=(calls,)))
    assert "not a language model; no real model was measured" in " ".join(text.split())
    row = "| all savings | 3.40 | 3 | 1.00 | 1.40 | 1.00 | 4,700 | 0.00124 | 98 of 100 | 0 |"
    assert row in text
    assert "| extract | review | rewrite |" in text


def test_cost_has_a_row_for_each_recipe():
    run = IndexingCost(
        recipe="sage",
        documents=500,
        published=490,
        quarantined=10,
        reasons={},
        wall_s=100.0,
        peak_rss_bytes=2**30,
        version_bytes=2**20,
    )
    found = part(indexing=(run,))
    assert "| sage | 490 of 500 | 100.0 s | 5.0 | 1024 MiB | 1.00 MiB |" in page(cost=found)


def test_parts_of_other_commits_are_told_apart(recipes):
    other = recipes.model_copy(
        update={"environment": recipes.environment.model_copy(update={"commit": "def"})}
    )
    text = page(recipes=recipes, attributes=part(compared=()).model_copy(
        update={"compared": other.compared, "environment": other.environment}))  # fmt: skip
    assert "By rule agents. Commit abc, 2025-01-01. two cores. . Parts: recipes (60 s)." in text
    assert "By rule agents. Commit def, 2025-01-01. two cores. . Parts: attributes (60 s)." in text


def test_a_page_without_parts_says_only_what_figures_hide():
    text = page()
    assert "## Leakage" not in text
    assert "## Limits of the figures" in text


@pytest.mark.parametrize(
    ("found", "written"),
    [((0, 125), "0 of 125 (0.0–2.4 %)"), ((125, 125), "125 of 125 (97.6–100.0 %)")],
)
def test_a_share_is_written_with_its_interval(found, written):
    assert share(Proportion.of(*found)) == written


def test_tables_and_ratios():
    assert ratio(None) == "–"
    assert table(["a", "b"], [[1, cell("x|y")]]) == "| a | b |\n| --- | --- |\n| 1 | x\\|y |"


def test_the_environment_names_versions_and_hardware():
    found = environment()
    assert {"python", "torch", "sage-rag"} <= set(found.software)
    assert "cores" in found.hardware
