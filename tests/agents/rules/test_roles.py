"""The rule agents together, as `synthesize` runs them."""

import json
import re
from pathlib import Path

import pytest

from sage_rag.agents.rules.roles import rules_roles

EXAMPLES = Path(__file__).parents[3] / "examples" / "clinic.jsonl"

DIALOGUE = {
    "question": (
        "Hello doctor, my name is Ines Varga and i live in Norrvik. For the last two weeks I have "
        "had a burning pain under my left ribs that gets worse after coffee and at night.It wakes "
        "me up and i cant sleep. I took an antacid tablet 3 times a day but it only helps for an "
        "hour. My husband Tobias says it is just stress. Should I be worried? Thanks in advance"
    ),
    "answer": (
        "Hello and welcome. I understand your concern. This may be due to gastritis, which is "
        "common with a lot of coffee. I would suggest you to take pantoprazole 40 mg before "
        "breakfast for 14 days and avoid coffee and spicy food. If you vomit blood or your stools "
        "turn black, you should go to the emergency room immediately. You need to get an "
        "endoscopy done if there is no relief. Ask for Dr. Hallberg. Hope I have answered your "
        "query. Take care."
    ),
}
SHORT = {
    "question": "i have itchy red spots on both arms since monday, what could this be?",
    "answer": "Hi. It could be scabies or an allergy. I would advise you to see a dermatologist.",
}
TEXT = {
    "text": (
        "The mill at Norrvik was built in 1874 because the river never freezes. It burned down "
        "twice and was rebuilt each time by the same family. During the last war the cellar "
        "served as a school. Today the building houses a small museum of weights and measures, "
        "which is open on weekends from May to September."
    )
}


@pytest.mark.parametrize("record", [DIALOGUE, SHORT, TEXT], ids=["dialogue", "short", "text"])
def test_a_record_becomes_a_safe_draft_of_the_same_form(run, record):
    outcome = run(record)
    assert outcome.safe, outcome.reasons
    assert list(outcome.draft.fields) == list(record)
    assert all(outcome.draft.fields.values())
    assert outcome.verdict.longest_run < 10
    assert outcome.verdict.rouge_l <= 0.5


def test_the_matter_stays(run):
    text = run(DIALOGUE).draft.text.lower()
    for word in ("pain", "coffee", "antacid", "pantoprazole 40 mg", "endoscopy"):
        assert word in text
    assert "[person_1]" in text
    assert "welcome" not in text
    assert "query" not in text


def test_no_number_is_made_up(run):
    told = set(re.findall(r"\d+", run(DIALOGUE).draft.text))
    assert told <= set(re.findall(r"\d+", "1 2 3 40 14 two"))  # placeholders count as 1 to 3


def test_the_same_record_gives_the_same_draft(run):
    assert run(DIALOGUE) == run(DIALOGUE)


def test_a_record_that_says_nothing_is_not_published(run):
    assert not run({"question": "Hello.", "answer": "Thanks, take care."}).safe


def test_the_fingerprint_says_whose_rules_they_are():
    assert rules_roles().fingerprint.startswith("rules/")


def test_the_example_clinic_is_published(run):
    records = [json.loads(line) for line in EXAMPLES.read_text("utf-8").splitlines()][::6]
    outcomes = [run({"question": r["question"], "answer": r["answer"]}) for r in records]
    assert sum(outcome.safe for outcome in outcomes) >= 0.95 * len(outcomes)
    assert all(outcome.verdict.longest_run < 10 for outcome in outcomes if outcome.safe)


def test_without_an_embedder_no_agent_waits_for_anything(protect, attributes):
    coroutine = rules_roles().extractor.extract(protect(DIALOGUE).protected, attributes)
    with pytest.raises(StopIteration):
        coroutine.send(None)
