"""What exchanges of words must never make of a sentence."""

import re

import pytest

from sage_rag.agents.rules.edits import STIFF, apply_edit, edits
from sage_rag.agents.rules.restructuring import invert, move

FAULTS = [
    ("One can swim there.", r"\bcould\b"),
    ("One must not run.", r"need to"),
    ("It should not be cold.", r"need to"),
    ("He should rest.", r"\bneed\b"),
    ("My card there is no. 12.", r"there's no\."),
    ("Call if this is true.", r"in case"),
    ("Ask him if it rains.", r"in case"),
    ("It hurt when I fell.", r"at the time when"),
    ("They gave me a shot and sent me off.", r"as well as"),
    ("I came with the number.", r"along with"),
    ("There was no pain with no swelling.", r"along with"),
    ("It has happened every morning.", r"It's occurred"),
    ("They did a scan of the knee.", r"did scan"),
    ("The stone sits low in the tube.", r"in tube"),
    ("A third have another fit.", r"^Third"),
    ("After the pain started I slept.", r"Following"),
    ("Before the rash came I swam.", r"Prior to"),
    ("A child who stays drowsy must come.", r"child that"),
    ("The tablets will help.", r"would"),
    ("I have no pain in the past few weeks.", r"previously"),
    ("What happened to me is odd.", r"occurred to"),
    ("My big toe is red.", r"large"),
    ("I was started on a syrup.", r"was began"),
    ("She told me to rest.", r"said to me|informed me|said that"),
    ("In May it got better.", r"[Mm]ight"),
    ("I need no help; there is no need to call.", r"no have to"),
    ("I take it in order to sleep.", r"in order in order"),
    ("You should not run.", r"need to not|have to not"),
    ("I bath her every evening.", r"bath the"),
    ("Make sure that it heals.", r"see to it"),
    ("Two years ago I fell.", r"years back"),
    ("I used to smoke.", r"at one time"),
    ("I know how bad it is now.", r"it's now"),
    ("What do I take now, and do you have a scan?", r"I do|you do"),
    ("Zantac makes the spasms worse, so I left it.", r"this spasms|these spasms"),
    ("The centre of the chest hurts.", r"this chest|this centre"),
    ("One or two of them hurt.", r"or else"),
    ("There is no swelling or collapse.", r"or else"),
    ("Tell me whether it is safe or not.", r"or else"),
    ("Take no more than two tablets.", r"no over"),
    ("It lasts a day.", r"each day|per day"),
    ("About a third have fits.", r"out third|of third"),
    ("It comes six days a month.", r"days month"),
    ("I wish to thank the nurse and the cook smiled.", r"as well as"),
]


def others(sentence):
    body = sentence.removesuffix(".")
    for edit in edits(sentence, STIFF):
        for option in edit.options:
            yield apply_edit(sentence, edit, option)
    yield move(body)
    yield invert(body) or ""


@pytest.mark.parametrize(("sentence", "fault"), FAULTS)
def test_no_exchange_makes_bad_english(sentence, fault):
    assert not [other for other in others(sentence) if re.search(fault, other)]


@pytest.mark.parametrize(
    ("body", "moved"),
    [
        (
            "Based on your symptoms, we will run a test",
            "we will run a test, based on your symptoms",
        ),
        ("To confirm this, we need a scan", "we need a scan to confirm this"),
        ("I do not want to treat it blindly", "I do not want to treat it blindly"),
        ("It depends on what you eat", "It depends on what you eat"),
    ],
)
def test_a_ground_or_purpose_moves_only_where_it_stands_free(body, moved):
    assert move(body) == moved


def test_a_ground_is_no_sentence_of_its_own():
    assert invert("Based on your symptoms, I would like to run several tests") is None


@pytest.mark.parametrize("article", ["a", "an", "the"])
def test_no_edit_that_reads_well_takes_an_article_away(article):
    sentence = f"They put {article} old ice pack on it."
    for other in others(sentence):
        assert re.search(rf"\b(?:{article}|this|that)\b old ice pack|^This", other) or not other
