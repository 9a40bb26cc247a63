import json
from argparse import Namespace
from dataclasses import replace

import pytest

from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.prompts import prompt
from sage_rag.agents.protocols import Attribute, CorpusAttributes, Draft
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.agents.testing.faults import REPLIES
from sage_rag.agents.transcript import Speaker, TranscriptTurn
from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.corpora import load_corpus
from sage_rag.eval.studies.environment import environment
from sage_rag.eval.studies.runner import StudyRun
from sage_rag.eval.studies.sage.call_savings import (
    FAULTS,
    SAVINGS,
    SCRIPTED_SAGE,
    faulty_reply,
    measure_calls,
)
from sage_rag.eval.studies.sage.drafts import DraftHistory, measure_drafts
from sage_rag.eval.studies.sage.measurer import Measurer
from sage_rag.eval.studies.sage.results import SageStudy, StudyPart
from sage_rag.eval.studies.sage.study import PARTS, StudyInputs, run, run_part
from sage_rag.eval.studies.study_home import STAGE_1, StudyHome, Variant, first_of
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from sage_rag.privacy.testing import TableRecognizer
from tests.eval.studies.study_data import NAMES, write_data

pytestmark = pytest.mark.slow

RECORDS, INDEXED = 12, 10


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    home = StudyHome(folder / "home", TableRecognizer(NAMES), HashEmbedder())
    return StudyInputs(write_data(folder / "data", RECORDS), 1.0, home)


@pytest.fixture(scope="module")
def study_run(place):
    return StudyRun("python -m sage_rag.eval.studies sage", environment(), place.home.home)


@pytest.fixture(scope="module")
def recipes(place, study_run):
    return run_part("recipes", place, study_run)


def test_the_plain_corpus_leaks_all_of_itself_and_sage_nothing(recipes):
    (compared,) = recipes.compared
    plain, both = compared.row("origin"), compared.row("sage")
    assert plain.whole_index.find("repeat").pieces == compared.documents == INDEXED
    assert both.published
    assert [both.whole_index.find(name).pieces for name in ("repeat", "contacts")] == [0, 0]
    assert both.group(5, "untargeted").find("repeat").prompts.successes == 0
    assert plain.group(5, "untargeted").find("repeat").prompts.successes == 2


def test_the_plain_corpus_is_linked_whole_and_like_itself_in_any_order(recipes):
    (compared,) = recipes.compared
    plain, both = compared.row("origin"), compared.row("sage")
    assert plain.wording.order_free == 1
    assert plain.wording.over_half.successes == INDEXED
    assert plain.exposure("runs").linked.successes == INDEXED
    assert plain.exposure("runs").membership.others == RECORDS - INDEXED
    assert both.wording.order_free < 1
    assert both.exposure("runs").linked.trials == both.published
    assert plain.exposure("no such likeness") is None
    assert plain.kept == {}
    left, of = both.kept["sentences"]
    assert 0 < left <= of


def test_origin_is_what_others_are_compared_to(recipes):
    (compared,) = recipes.compared
    plain = compared.rows[0]
    assert plain.name == "origin"
    assert (
        plain.agreement.successes
        == plain.agreement.trials
        == compared.questions
        == RECORDS - INDEXED
    )
    assert plain.known_items.trials == compared.known_items == INDEXED
    assert {answers.rouge_ratio.value for answers in plain.answers} == {1.0}
    assert [answers.top_k for answers in plain.answers] == [1, 2, 5, 10]


def test_every_recipe_that_rules_can_do_is_measured_and_stage_1_alone(recipes):
    names = {row.name for row in recipes.compared[0].rows}
    by_rules = {"origin", "redacted", "encrypted", "surrogates", "paraphrase", "sage"}
    assert names == {*by_rules, "sage-stage-1"}


def test_nobody_rewrites_the_drafts_of_stage_1_alone(recipes):
    (compared,) = recipes.compared
    assert set(compared.row("sage-stage-1").rounds) == {0}


def test_fewer_rounds_publish_fewer_records_and_leak_no_more(place, study_run):
    part = run_part("rounds", place, study_run)
    rows = part.compared[0].rows[1:]
    assert rows[0].published <= rows[-1].published
    assert set(rows[0].rounds) == {0}
    assert {row.whole_index.find("repeat").pieces for row in rows} == {0}
    refused = [drafts.refused for drafts in part.drafts]
    assert refused == sorted(refused, reverse=True)
    assert {drafts.repeated for drafts in part.drafts if not drafts.refused} <= {0}


def test_drafts_used_anyway_are_those_of_the_last_round_allowed(place):
    measurer = Measurer(place.home, place.corpus("healthcaremagic"))
    found = measure_drafts(place.home, measurer, (0, 5, 9))
    assert [drafts.drafts for drafts in found] == [INDEXED] * 3
    assert found[1].model_dump(exclude={"max_rounds"}) == found[2].model_dump(
        exclude={"max_rounds"}
    )
    indexed = place.home.index(measurer.corpus, Variant(RECIPES["sage"], max_rounds=0))
    # Records that are refused without another's wording would have been published.
    assert indexed.summary.published <= INDEXED - found[0].refused


def test_the_last_verdict_on_a_draft_says_whether_it_is_altered():
    changed = Verdict((Finding(FindingKind.MEANING_CHANGED, "changes a dose"),), 3, 0.1)
    repeats = Verdict((Finding(FindingKind.SHARED_RUN, "repeats"),), 12, 0.4)
    drafts = [Draft({"text": f"draft {n}"}) for n in range(3)]
    turns = [
        TranscriptTurn(round=0, speaker=Speaker.GENERATOR, draft=drafts[0]),
        TranscriptTurn(round=0, speaker=Speaker.GATE, verdict=changed),
        TranscriptTurn(round=1, speaker=Speaker.REWRITER, draft=drafts[1]),
        TranscriptTurn(round=1, speaker=Speaker.GATE, verdict=repeats),
        TranscriptTurn(round=2, speaker=Speaker.REWRITER, draft=drafts[2]),
    ]
    found = DraftHistory.of(turns, None)
    assert found.drafts == tuple(drafts)
    assert found.altered == (True, False, False)


def test_attributes_are_cut_per_field():
    names = [("a", "x"), ("b", "y"), ("c", "x"), ("d", "y"), ("e", "x")]
    entries = tuple(Attribute(name, field, "told") for name, field in names)
    attributes = CorpusAttributes(entries, "dialogue")
    assert [a.name for a in first_of(attributes, 2).entries] == ["a", "b", "c", "d"]


def test_judgments_without_questions_are_asked_for_their_own_records(place):
    corpus = load_corpus("tab", place.data, place.home.home)
    measurer = Measurer(place.home, corpus)
    plain = measurer.measure(place.home.index(corpus, Variant(RECIPES["origin"])))
    assert plain.answers == ()
    assert plain.agreement.trials == len(corpus.documents)
    assert plain.whole_index.find("canaries").pieces == 1
    hidden = measurer.measure(place.home.index(corpus, Variant(RECIPES["redacted"])))
    assert hidden.whole_index.find("canaries").pieces == 0


def test_savings_save_calls_and_nothing_is_counted_twice(place, study_run):
    part = run_part("calls", place, study_run)
    found = {calls.name: calls for calls in part.calls}
    assert list(found) == [saving.name for saving in SAVINGS]
    least = found["all savings"]
    assert least.calls_mean == pytest.approx(sum(least.stages.values()), abs=0.05)
    assert least.stages["extract"] >= 1
    assert "generate" not in least.stages
    assert found["extract and write in two calls"].stages["generate"] >= 1
    assert found["none of these three"].calls_mean > least.calls_mean
    assert {calls.repeated for calls in part.calls} == {0}
    (again,) = measure_calls(place.home, place.corpus("healthcaremagic", 0.2), SAVINGS[:1])
    assert again == least


def test_a_model_does_what_rules_cannot_and_the_stages_too(tmp_path):
    model = ModelCalls(ScriptedChatModel(faulty_reply))
    home = StudyHome(tmp_path / "home", TableRecognizer(NAMES), HashEmbedder(), model)
    corpus = load_corpus("healthcaremagic", write_data(tmp_path / "data"), tmp_path)
    for recipe in (RECIPES["checklist"], RECIPES["zerogen"], STAGE_1, SCRIPTED_SAGE):
        assert home.index(corpus, Variant(recipe)).summary.published, recipe.name
    asked = model.costs.snapshot()["stages"]
    assert asked["paraphrase"]["calls"] == 10
    assert asked["extract"]["calls"] >= 30
    assert asked["review"]["calls"]
    few = home.job(corpus, Variant(RECIPES["sage"], 2))
    assert few.attributes is None
    assert len(home.attributes(corpus, few).entries) == 4


def test_the_scripted_model_goes_wrong_as_often_as_it_says():
    _, once_in = FAULTS["review"]
    assert {wrong for wrong, _ in FAULTS.values()} <= set(REPLIES)
    system = prompt("review").substitute(domain="")
    record = {"question": "one two three", "answer": "four five six"}
    asked = [f"ORIGINAL\n{json.dumps(record)}\nDRAFT\n{json.dumps({**record, 'n': str(i)})}"
             for i in range(400)]  # fmt: skip
    answers = [
        json.loads(faulty_reply([ChatMessage("system", system), ChatMessage("user", a)]))
        for a in asked
    ]
    objections = sum(answer["recovery"] != "ok" for answer in answers)
    assert objections / len(asked) == pytest.approx(1 / once_in, abs=0.08)


def test_saved_parts_are_read_again_and_hold_no_folder_or_text(recipes, study_run, tmp_path):
    saved = tmp_path / "sage.json"
    saved.write_text(SageStudy(parts={"recipes": recipes}).model_dump_json())
    options = Namespace(data=tmp_path, share=1.0, model=[], part=["cost"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PARTS, "cost", lambda inputs: {})
        result = run(options, replace(study_run, home=tmp_path))
    parts = SageStudy.model_validate_json(saved.read_text()).parts
    assert list(parts) == ["cost", "recipes"]
    assert parts["recipes"] == recipes
    assert isinstance(recipes, StudyPart)
    assert "## Leakage" in result.page
    for private in ("Falk", "stairs at home", str(tmp_path)):
        assert private not in saved.read_text() + result.page
    assert set(PARTS) == {"recipes", "corpora", "attributes", "rounds", "calls", "cost"}


def test_results_of_another_version_are_refused(study_run, tmp_path):
    (tmp_path / "sage.json").write_text('{"parts": {"cost": {"command": "x"}}}')
    options = Namespace(data=tmp_path, share=1.0, model=[], part=["cost"])
    with pytest.raises(InputError, match="not a result of this version"):
        run(options, replace(study_run, home=tmp_path))
