"""Leaving out whole sentences and rewording faithfully pass; a changed fact is found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.meaning import meaning_changes, silent_fields

SENTENCES = (
    "I have had a dull pain in my left knee for three weeks.",
    "My mother was treated for gout, and she takes allopurinol 100 mg once a day.",
    "Do not drive until the surgeon has checked your vision.",
    "If you get a rash, stop the tablets and call us at once.",
    "Take amoxicillin 500 mg three times a day for seven days.",
    "The tenant may leave early, provided a new tenant is found.",
    "There was no fracture of the right wrist.",
    "The court dismissed the claim because it was filed after the deadline.",
    "We cannot deliver the forty chairs before 12 June.",
    "The cause is probably a virus.",
    "Only [PERSON_1] may open the safe.",
    "Drink at least two litres of water.",
)


def found(source: str, draft: str) -> list[Finding]:
    return meaning_changes({"text": source}, {"text": draft})


@given(st.permutations(SENTENCES), st.integers(1, len(SENTENCES)))
@settings(max_examples=25, deadline=None)
def test_whole_sentences_in_any_order_keep_the_meaning(order, count) -> None:
    assert found(" ".join(SENTENCES), " ".join(order[:count])) == []


GOVERNING = (
    (2, "not "), (2, " until the surgeon has checked your vision"), (3, "If you get a rash, s|S"),
    (4, "three times a day "), (4, "500 mg "), (5, ", provided a new tenant is found"), (6, "no |a "),
    (8, "cannot|can"), (9, "probably "), (11, "at least "), (0, "left "), (10, "Only "),
)  # fmt: skip


@pytest.mark.parametrize(("at", "cut"), GOVERNING)
@given(data=st.data())
@settings(max_examples=4, deadline=None)
def test_a_dropped_governing_word_is_found(at, cut, data) -> None:
    old, _, new = cut.partition("|")
    assert old in SENTENCES[at]
    others = data.draw(st.lists(st.sampled_from(SENTENCES), unique=True))
    kept = [s for s in others if s != SENTENCES[at]]
    place = data.draw(st.integers(0, len(kept)))
    kept.insert(place, SENTENCES[at].replace(old, new))
    start = len(" ".join(kept[:place]))
    changes = found(" ".join(SENTENCES), " ".join(kept))
    assert changes
    assert all(c.kind is not FindingKind.QUESTION_LOST for c in changes)
    assert all(start <= (c.start or 0) <= start + len(SENTENCES[at]) + 1 for c in changes)


def test_an_instruction_needs_the_case_before_it() -> None:
    source = "The scan was clear. If it grows, the outlook is poor. Change the drug."
    changes = found(source, "The scan was clear. Change the drug.")
    assert [c.kind for c in changes] == [FindingKind.MEANING_CHANGED]
    assert changes[0].start == len("The scan was clear. ")
    assert not found(source, source)
    assert not found("If it hurts, call us. Keep warm.", "Keep warm.")


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("I don't have fever.", "I have no fever."),
        ("Take two tablets twice a day.", "Take 2 tablets 2 times daily."),
        ("If it hurts, call us.", "Call us if it hurts."),
        ("You can go unless it hurts.", "You can go if it does not hurt."),
        ("She asked if she could swim.", "She asked whether she could swim."),
        ("A cyclist was hit by the bus.", "The bus hit a cyclist."),
        ("The scan was done before the operation.", "The operation was done after the scan."),
        ("He must wear a helmet.", "He has to wear a helmet."),
        ("Wear the splint for two weeks.", "The splint should be worn for 14 days."),
        ("The fever lasted over three days.", "The fever lasted more than 3 days."),
    ],
)
def test_a_faithful_rewording_passes(source: str, draft: str) -> None:
    assert found(source, draft) == []


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("I told him to go on until June and then halve it.", "I told him to go."),
        ("It is not cancer unless the biopsy says so.", "It is not cancer."),
        (
            "They did not start treatment until the scan was done.",
            "When the scan was done, they did not start any treatment.",
        ),
        ("Take amlodipine 5 mg and ramipril 10 mg.", "Take amlodipine 10 mg and ramipril 5 mg."),
        (
            "My left knee hurts and my right hip is stiff.",
            "My right knee hurts and my left hip is stiff.",
        ),
        ("AST was 68 U/L.", "AST was 60-69 years."),
        ("In the 31st week she bled.", "In weeks 30-39 she bled."),
        ("Drink at least two litres.", "Drink at most two litres."),
        ("Take it every eight hours.", "Take it every six hours."),
        ("You may leave early.", "You must leave early."),
        ("There is no need to fast.", "You need to fast."),
        ("It may be gout.", "It is gout."),
        ("He takes amlodipine.", "He takes atorvastatin."),
        ("My mother has gout.", "I have gout."),
        ("The scan came before the operation.", "The scan came after the operation."),
        ("Some files were lost.", "All files were lost."),
        ("The lump is benign.", "The lump is malignant."),
        ("She lives in a flat.", "She lives in a flat with two dogs and a parrot."),
        ("Her rent rose.", "The harbour was closed for repairs in spring."),
    ],
)
def test_a_change_of_meaning_is_found(source: str, draft: str) -> None:
    changes = found(f"We met near the old mill. {source}", f"{draft} We met near the old mill.")
    assert changes
    assert all(c.start is not None and c.start < len(draft) for c in changes)


def test_a_message_holds_no_word_of_the_record() -> None:
    change, cut = found("Take lorazepam 5 mg.", "Take lorazepam 7 mg.")
    assert change.message == "changes a dose of the sentence that it comes from"
    assert (change.start, change.end) == (15, 19)
    assert cut.message == "keeps a part of a sentence whose other words can restrict it"


def test_a_field_that_asks_has_a_draft_that_asks() -> None:
    source = {"question": "My knee hurts. Should I rest it?", "answer": "Rest helps."}
    lost = {"question": "My knee hurts.", "answer": "Rest helps."}
    (finding,) = meaning_changes(source, lost)
    assert finding.kind is FindingKind.QUESTION_LOST
    for asked in ("Should I rest it?", "The user asks whether to rest it."):
        assert meaning_changes(source, {"question": asked, "answer": "Rest helps."}) == []


@pytest.mark.parametrize("draft", ["Hi.", "Hello doctor.", "Thank you.", "I hope this helps."])
def test_a_greeting_or_thanks_has_no_fact_to_change(draft: str) -> None:
    assert found("Hello doctor, I do not sleep since my left knee hurts. Thanks.", draft) == []


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("The left wing is larger than the right.", "The right wing is larger than the left."),
        ("The child weighs more than her sister.", "The child weighs less than her sister."),
        ("None of the guests stayed.", "One of the guests stayed."),
        ("Two of the four lamps leak.", "The four lamps leak."),
        ("We will pay you for the crate.", "You will pay us for the crate."),
        ("If it is over 39 degrees, take paracetamol.", "Take paracetamol for it."),
        ("The gate opens inwards.", "The gate opens outwards."),
        ("The fair was in spring 2019.", "The fair was in autumn 2019."),
        ("The shed is dry.", "The shed is dry after a repair of the roof."),
        ("Do not let it touch the skin.", "Wash it with care by hand."),
    ],
)
def test_a_change_of_a_comparison_a_part_or_a_role_is_found(source: str, draft: str) -> None:
    assert found(source, draft)


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("We will pay you for the crate.", "You will be paid by us for the crate."),
        ("Two of the four lamps leak.", "Of the four lamps, two leak."),
    ],
)
def test_the_same_part_or_role_in_other_words_passes(source: str, draft: str) -> None:
    assert found(source, draft) == []


COPIES = (
    ("He must be seen within a month.", "He must be seen within a year."),
    ("The first hours were without pain.", "The first hours were not without pain."),
    ("We showed the plan to Mr [PERSON_1].", "Mr [PERSON_1] showed the plan to us."),
    ("The cook brings the pots and you return them.", "You bring the pots and the cook returns them."),
    ("The seller signed it on the second day.", "The buyer signed it on the second day."),
    ("The oven must never be opened without asking us.", "The oven must never be opened."),
    ("Call only if it bleeds.", "Call even if it bleeds."),
    ("Leave out the evening tablet.", "Take the evening tablet."),
    ("You need an X-ray today.", "It would be nice to have an X-ray today."),
    ("The bolt is on the left and I wanted the right.", "The bolt is on the right and I wanted the left."),
    ("A keeper must have the trees pruned.", "A keeper may have the trees pruned."),
    ("The council dismissed her appeal last week.", "The council dismissed his appeal last week."),
    ("If the tube does not run dry by noon, ring us.", "Ring us if the tube runs dry by noon."),
    ("You probably won't need a cast.", "You will not need a cast."),
    ("Runners do not have more bad knees than others.", "Bad knees are less usual among runners."),
    ("The board is convinced that a loan was made.", "The board thinks that a loan is possible."),
    ("The claim is partly upheld.", "The claim is fully upheld."),
    ("He has a cough. He had hives at two.", "His sister had hives at two."),
    ("The parcel goes to your aunt, not to you.", "The parcel goes to you, not to your aunt."),
    ("Once you have signed, I start.", "You sign once I have started."),
    ("The slope was discussed with the architect.", "The slope was discussed by the architect."),
    ("Keep the lid; without it the pot is worthless.", "Keep the lid."),
    ("Please use the blue can, because the red one had oil in it.", "Please use the blue can."),
    ("Most pupils need a pass.", "Any pupil needs a pass."),
    ("Brown foam is harmless.", "Brown foam is harmful."),
    ("Switch the pump off at once.", "Switch the pump on at once."),
    ("The refund takes a week from the day of the return.", "The refund took a week from the day of the return."),
    ("I'd order two lids now, since delivery takes long.", "Since I'd order two lids now, delivery takes long."),
    ("It has not been proved that she paid.", "It has been proved that she has not paid."),
)  # fmt: skip


@pytest.mark.parametrize(("source", "draft"), COPIES)
def test_a_copy_with_another_relation_is_found(source: str, draft: str) -> None:
    others = "The buyer has a sister. Her sister has a cook. "
    assert found(others + source, draft)


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("We want to paint the fence on Saturday.", "On Saturday we want to paint the fence."),
        ("If it bleeds, ring us.", "Ring us if it bleeds."),
        ("He has to rest for a week.", "He must rest for one week."),
        ("Come if it swells, if it bleeds, or if it hurts.", "Come if it bleeds, if it swells, or if it hurts."),
        ("I fell off the ladder last Friday and broke my wrist.", "Last Friday I fell off the ladder and broke my wrist."),
    ],
)  # fmt: skip
def test_a_phrase_or_a_clause_may_change_its_place(source: str, draft: str) -> None:
    assert found(source, draft) == []


def test_a_client_whose_question_is_reported_asks_in_the_draft() -> None:
    source = "The client asks whether she has to pay. She moved in May."
    assert {f.kind for f in found(source, "She moved in May.")} == {FindingKind.QUESTION_LOST}
    assert found(source, "She moved in May. The client asks if she has to pay.") == []


def test_the_question_of_a_dispute_is_a_question() -> None:
    source = "The question was whether the roof was safe. The court said no."
    assert {f.kind for f in found(source, "The court said no.")} == {FindingKind.QUESTION_LOST}
    assert found(source, source) == []


@pytest.mark.parametrize(
    "source",
    [
        'The baker shut the shop. "Why now?" his wife asked.',
        "The baker shut the shop. “Wait. Why now? Nobody has paid.” She left.",
    ],
)
def test_a_question_that_the_record_quotes_is_not_its_own(source: str) -> None:
    assert found(source, "The baker shut the shop.") == []


@pytest.mark.parametrize(
    "source",
    [
        'The baker shut the shop. "Why now?" his wife asked. What is "rye"?',
        'The nurse said "wait". The heel hurts. Is it safe to walk?',
        "“The heel hurts. Is it safe to walk?”",
        '"Is it safe to walk?"',
    ],
)
def test_a_question_beside_a_quotation_is_the_record_s_own(source: str) -> None:
    kept = "The baker shut the shop." if "baker" in source else "The heel hurts."
    assert FindingKind.QUESTION_LOST in {finding.kind for finding in found(source, kept)}


def test_a_question_at_the_end_of_a_run_on_is_a_sentence_of_its_own() -> None:
    source = "I ate at noon, I did not drink, I woke up with a cramp what should i do?"
    assert found(source, "What should I do?") == []
    assert found("If I wake up with a cramp, what should i do?", "What should I do?")


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        ("Is it normal to sneeze at noon?", "I would like to know whether it is normal to sneeze at noon."),
        ("I was wondering if my ear is ill.", "I wonder whether my ear is ill."),
        ("can u see im ill", "Can you see I am ill?"),
    ],
)  # fmt: skip
def test_an_indirect_question_or_shorthand_in_full_has_the_same_words(
    source: str, draft: str
) -> None:
    assert found(source, draft) == []


def test_a_field_that_only_greets_says_nothing() -> None:
    record = {"question": "Is it safe?", "answer": "Hello. Rest the heel for two weeks, then walk."}
    greeting = {**record, "answer": "Hello. Thank you for your query."}
    assert [f.kind for f in silent_fields(record, greeting)] == [FindingKind.EMPTY]
    assert not list(silent_fields(record, {**record, "answer": "Rest the heel for two weeks."}))
    assert not list(silent_fields({"a": "Hello."}, {"a": "Hello."}))
