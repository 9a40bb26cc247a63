"""What edits make of a sentence, and what they must never make of one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.lexicon import content_stems, load_toml
from sage_rag.agents.rules.clauses import indirect, move
from sage_rag.agents.rules.edits import apply_edit, edits
from sage_rag.privacy.gate.facts.sentences import tokenize
from sage_rag.privacy.gate.meaning import meaning_changes

TABLE = load_toml("rules/wording.toml")["edits"]
FROM = [row["from"] for row in TABLE]


def rewordings(text):
    return {apply_edit(text, edit, option) for edit in edits(text) for option in edit.options}


def test_the_edits_of_the_table_make_their_examples_and_change_no_meaning():
    faults = []
    for row in TABLE:
        source, draft = row["example"]
        if draft not in rewordings(source):
            faults.append(f"{row['from']}: does not make {draft!r}")
        faults += [
            f"{row['from']}: {change}"
            for change in meaning_changes({"text": source}, {"text": draft})
        ]
    assert not faults, "\n".join(faults)


def test_every_pattern_has_one_row():
    assert len(set(FROM)) == len(FROM)


def test_no_row_adds_a_number_or_a_sign():
    assert all(row["to"] for row in TABLE)
    written = [option for row in TABLE for option in row["to"]]
    odd = [option for option in written if not re.fullmatch(r"[A-Za-z' -]*", option)]
    assert not odd, "\n".join(odd)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("it hurt for 2 weeks", "it hurt for two weeks"),
        ("it hurt for three days", "it hurt for 3 days"),
        ("take two tablets", "take 2 tablets"),
        ("it takes 2 to 3 days", "it takes 2-3 days"),
        ("I am tired", "I'm tired"),
    ],
)
def test_an_edit_by_rule(text, other):
    assert other in rewordings(text)


@pytest.mark.parametrize(
    "text",
    [
        "2 tablets of 40 mg",
        "type 2 diabetes",
        "one day it stopped",
        "two or three days",
        "two thirds of them left",
        "not really",
        "what matters to her",
        "the left knee and the right hip",
        "unless it bleeds",
        "I have fever and headache.",
        "the rash went to the neck and it began to itch",
    ],
)
def test_what_must_stay_has_no_edit(text):
    assert rewordings(text) == set()


FAULTS = [
    ("One can swim there.", r"\bcould\b"),
    ("One must not run.", r"need to|have to"),
    ("He should rest.", r"\bneed\b|\bmust\b"),
    ("My card there is no. 12.", r"there's no\."),
    ("Call me if this is true.", r"whether|in case"),
    ("Ask him if it rains.", r"whether|in case"),
    ("Let me know if it rains.", r"whether"),
    ("They gave me a shot and sent me off.", r"as well as"),
    ("There was no pain with no swelling.", r"along with"),
    ("A child who stays drowsy must come.", r"child that"),
    ("The tablets will help.", r"would"),
    ("What happened to me is odd.", r"occurred to"),
    ("She told me to rest.", r"said to me|that"),
    ("In May it got better.", r"[Mm]ight"),
    ("I need no help; there is no need to call.", r"have to"),
    ("I take it in order to sleep.", r"in order in order"),
    ("You should not run.", r"need to not|have to not"),
    ("I know how bad it is now.", r"it's now"),
    ("Zantac makes the spasms worse, so I left it.", r"this spasms|these spasms"),
    ("About a third have fits.", r"out third|of third"),
    ("I wish to thank the nurse and the cook smiled.", r"as well as"),
    ("The fee is due to the bank.", r"caused by|because of|owing"),
    ("He was led to believe it.", r"resulted"),
    ("She works in general surgery.", r"generally"),
    ("The fracture was reduced.", r"decreased"),
    ("It is an extended release tablet, 5 mg ER.", r"emergency"),
    ("She bought shares of BP.", r"blood"),
    ("It lasts a day or two.", r"one day or"),
    ("It works as well as a pill.", r"works and"),
    ("I had surgery recently.", r"lately"),
    ("I feel as well.", r"too"),
    ("It is on the other hand.", r"contrast"),
    ("Now and then it hurts.", r"after that|afterwards"),
    ("I took it for sometimes.", r"at times"),
    ("It suddenly stopped.", r"all of a"),
    ("She has portal hypertension.", r"pressure"),
    ("She studies internal medicine.", r"medication"),
    ("I need to know my rights, and I know my rights.", r"know that my"),
    ("It is dry and I rest because it rained.", r"given that"),
    ("You should have a scan.", r"ought|got"),
]


@pytest.mark.parametrize(("sentence", "fault"), FAULTS)
def test_no_edit_makes_bad_english_or_another_meaning(sentence, fault):
    body = sentence.removesuffix(".")
    others = [*rewordings(sentence), move(body), indirect(body) or ""]
    assert not [other for other in others if re.search(fault, other)]


@pytest.mark.parametrize("word", ["&", "given that", "ought to", "have got", "in addition", "mg"])
def test_no_edit_writes_what_reads_badly(word):
    assert not [row["from"] for row in TABLE if word in row["to"]]


def test_a_word_that_is_left_out_takes_a_space_with_it():
    text = "I would advise rest."
    (edit,) = (e for e in edits(text) if e.options == ("",))
    assert apply_edit(text, edit, "") == "I advise rest."


def test_an_edit_costs_the_content_words_it_takes_away():
    costs = {edit.options[0]: edit.cost for edit in edits("The physician is rarely late")}
    assert costs["doctor"] == costs["seldom"] == 1


pieces = st.lists(
    st.sampled_from(
        ["[PERSON_1]", "because of", "very", "and", "my left arm", "[ID_2]", "<AGE>", ", ", "40 mg"]
    ),
    min_size=1,
    max_size=14,
).map(" ".join)
KEPT = re.compile(r"\[\w+\]|<AGE>|40 mg|left")


@given(pieces)
def test_markup_doses_and_sides_are_never_touched(text):
    for other in rewordings(text):
        assert sorted(KEPT.findall(other)) == sorted(KEPT.findall(text))
        assert other.isprintable()


@given(pieces)
def test_what_costs_nothing_keeps_every_content_word(text):
    for edit in edits(text):
        if edit.cost == 0:
            other = apply_edit(text, edit, edit.options[0])
            assert set(content_stems(text)) <= set(content_stems(other))


@pytest.mark.parametrize(
    "text",
    ["my phyſician told me to rest", "it hurt for ſix days", "it hurt for SİX days", "it'ſ cold"],
)
def test_letters_that_only_look_alike_without_case_break_nothing(text):
    assert all(isinstance(other, str) for other in rewordings(text))


def test_the_gate_knows_the_words_that_edits_exchange():
    """Else it takes the edit for a change of meaning in a sentence that is copied otherwise."""
    faults = []
    for row in TABLE:
        source, draft = (tokenize(text) for text in row["example"])
        known = {key for token in source for key in token.keys}
        new = [t.text for t in draft if t.content and t.keys.isdisjoint(known)]
        gone = {key for token in draft for key in token.keys}
        lost = [t.text for t in source if t.content and t.keys.isdisjoint(gone)]
        faults += [f"{row['from']}: {lost} {new}"] * bool(new and lost)
    assert not faults, "\n".join(faults)
