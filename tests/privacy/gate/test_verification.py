"""A word that the sources lack is found, whatever it is; so is a word that a rule loses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.meaning import meaning_changes

SOURCE = "The lock of the north door has to be oiled in April. The key is with the porter."
STRANGE = st.text(st.sampled_from("bdfgklmnprtvz"), min_size=6, max_size=12)


def unverified(source: str, draft: str, allowed: int | None = 0) -> list[Finding]:
    found = meaning_changes({"text": source}, {"text": draft}, unverified=allowed)
    return [f for f in found if f.kind is FindingKind.UNVERIFIED_REWORDING]


@given(STRANGE, st.integers(1, 15))
@settings(deadline=None)
def test_a_strange_word_anywhere_is_found_at_its_place(strange, place) -> None:
    words = SOURCE.split()
    draft = " ".join([*words[:place], strange, *words[place:]])
    start = draft.index(strange)
    assert (start, start + len(strange)) in {(f.start, f.end) for f in unverified(SOURCE, draft)}


@pytest.mark.parametrize(
    "draft",
    [
        "In April the lock of the north door must be oiled.",
        "The lock of the north door needs oiling in April.",
        "The porter has the key.",
        "",
    ],
)
def test_other_forms_and_synonyms_in_another_order_are_verified(draft) -> None:
    assert unverified(SOURCE, draft) == []


@pytest.mark.parametrize("cut", ["north ", " in April", "The lock of "])
def test_a_word_that_a_rule_loses_is_found(cut) -> None:
    assert unverified(SOURCE, SOURCE.replace(cut, ""))


def test_a_report_may_be_shortened_but_keeps_its_quantities() -> None:
    report = "On our way home last week she coughed for three hours."
    assert unverified(report, "She coughed for three hours.") == []
    assert unverified(report, "On our way home last week she coughed.")


def test_more_words_are_allowed_where_the_owner_says_so() -> None:
    draft = "The lock of the old north door has to be oiled and painted in April."
    assert [len(unverified(SOURCE, draft, allowed)) for allowed in (0, 1, 2, None)] == [2, 2, 0, 0]


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("The scan could not exclude a fracture.", "A fracture was excluded by the scan."),
        ("You may leave the ward at six.", "At six you must leave the ward."),
        ("You must leave the ward at six.", "At six you may leave the ward."),
        ("The left arm hurts and the right hip is stiff.", "The left hip is stiff and the right arm hurts."),
        ("In the evening he may have gout.", "He has gout in the evening."),
        ("There is no need to fast before the test.", "Before the test you need to fast."),
        ("Both of the lamps leak.", "One of the lamps leaks."),
        ("Three of the five lamps leak.", "The five lamps leak."),
        ("My sister has a cough in spring.", "In spring I have a cough."),
        ("He takes his tablet at noon.", "At noon I take my tablet."),
        ("Only the owner may open the safe.", "The safe may be opened by the owner."),
        ("The owner may open the safe.", "Only the owner may open the safe."),
        ("In May the pain came twice a week.", "The pain came twice a month in May."),
        ("The dog bit my son and not my daughter.", "The dog bit my daughter and not my son."),
    ],
)  # fmt: skip
def test_a_change_by_known_words_alone_is_found(source: str, draft: str) -> None:
    others = "We met near the old mill."
    assert meaning_changes({"text": f"{others} {source}"}, {"text": f"{draft} {others}"})


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("If a crane is due, the road may be used.", "The road may not be used if a crane is due."),
        ("I'd rather prune the vine myself.", "I'd rather you pruned the vine yourself."),
        ("Some guests were early.", "All guests were early."),
        ("The pond freezes at night.", "The pond always freezes at night."),
    ],
)
def test_a_new_word_that_relates_others_is_unverified(source: str, draft: str) -> None:
    """Also where another sentence of the record denies the same verb."""
    others = "The shed must not be used without us."
    assert unverified(f"{others} {source}", f"{draft} {others}")


def test_any_is_no_amount_under_a_condition_or_a_negation() -> None:
    source = "If bolts are loose, ring us. We do not sell lamps."
    assert unverified(source, "If any bolts are loose, ring us. We do not sell any lamps.") == []


@pytest.mark.parametrize("sign", ["Slurred speech", "A red leg", "An infected wound", "A bed sore"])
def test_a_sign_of_a_warning_is_not_lost_since_a_word_ends_like_a_past_tense(sign: str) -> None:
    source = f"{sign} or weakness in an arm means 112."
    assert meaning_changes({"text": source}, {"text": f"{sign} means 112."})
    assert meaning_changes({"text": source}, {"text": "Weakness in an arm means 112."})
