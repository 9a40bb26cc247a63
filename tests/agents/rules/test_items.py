import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.rules.dependence import depends, restricts
from sage_rag.agents.rules.items import group, part_to_leave_out, shorten


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("Take the syrup at noon.", "However, stop if a rash appears."),
        ("Take the syrup at noon.", "Do not take it with milk."),
        ("Take the syrup at noon.", "Otherwise, call us."),
        ("Take the syrup at noon.", "This makes most people drowsy."),
        ("The lump is soft.", "It moves under the skin."),
        ("The lump is soft.", "If it grows, come back."),
        ("The dentist saw the lump.", "If its edge is hard he will cut."),
        ("You see a cloud in the eye.", "I had the same before this condition."),
        ("You fear a fracture.", "I am afraid it is."),
        ("You fear a fracture.", "No not at all."),
        ("Use the ointment.", "Kills most germs."),
        ("The ear rings at night.", "Any idea why?"),
        ("The ear rings at night.", "Is that normal?"),
        ("The sugar is normal.", "Along with the salts."),
        ("The stool is dark.", "For some years."),
        ("The letter came late.", "The tenant was thus fined."),
        ("Small stones pass.", "More than 8 mm need surgery."),
        ("You may take the syrup.", "If yes, how much?"),
        ("He takes the tablets.", "Just completed day 5."),
    ],
)
def test_a_sentence_depends_on_the_one_it_refers_to(before, sentence):
    assert depends(sentence)
    assert group([before, sentence]) == [(before, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "My thumb is split.",
        "It is important to rest.",
        "Is it safe to swim?",
        "Please advise which doctor to see.",
        "Take the drops for a week.",
        "The fan broke, and thus we sweat.",
    ],
)
def test_a_sentence_that_refers_to_none_is_an_item(sentence):
    assert group(["The lump is soft.", sentence]) == [("The lump is soft.",), (sentence,)]


def test_an_instruction_after_a_condition_may_hold_under_it_alone():
    worse = ["If it gets worse, tell us.", "Change the drug.", "Keep warm.", "My thumb is split."]
    assert group(worse) == [tuple(worse[:3]), (worse[3],)]


def test_he_depends_only_where_he_could_be_two_persons():
    one = ["My son fell.", "He cries at night."]
    two = ["My son fell on my brother.", "He cries at night."]
    assert group(one) == [(one[0],), (one[1],)]
    assert group(two) == [tuple(two)]


def test_the_entries_of_a_list_stay_with_its_announcement():
    sentences = [
        "If it lasts, do the following tests.",
        "A swab.",
        "A blood count.",
        "Drink water.",
    ]
    assert group(sentences) == [tuple(sentences[:3]), ("Drink water.",)]


def test_fragments_without_an_announcement_stand_alone():
    assert len(group(["Lungs clear.", "No rash on the back."])) == 2


@pytest.mark.parametrize(
    "sentence",
    [
        *("But not with milk.", "Unless you are pregnant.", "Never take it twice."),
        *("Stop it at once.", "Not before Monday week.", "Never with wine.", "Maximum four a day."),
        *("Provided the scar is closed.", "As long as she drinks.", "Exception: open skin."),
    ],
)
def test_what_restricts(sentence):
    assert restricts(sentence)


@pytest.mark.parametrize("sentence", ["Never smoke in bed.", "Milk is fine.", "It burns."])
def test_what_does_not_restrict(sentence):
    assert not restricts(sentence)


def test_no_sentence_stays_without_the_one_that_restricts_it():
    item = (
        "Take the syrup.",
        "It tastes sweet.",
        "However, do not take it with milk.",
        "It works.",
    )
    assert shorten(item, 3) == item[:3]
    assert shorten(item, 2) == item[:1]
    assert shorten(("Take it.", "But not with milk."), 1) == ()


parts = st.lists(
    st.sampled_from(
        [
            "Take the syrup.",
            "However, not at night.",
            "It tastes sweet.",
            "My aunt coughs.",
            "Is it safe?",
            "Unless you drive.",
            "She told my brother.",
        ]
    ),
    max_size=8,
)


@given(parts)
def test_grouping_keeps_every_sentence_in_order(sentences):
    assert [s for item in group(sentences) for s in item] == sentences


@given(parts, st.integers(0, 8))
def test_a_shortened_item_is_its_beginning_and_nothing_restricts_its_end(sentences, count):
    kept = shorten(sentences, count)
    assert kept == tuple(sentences[: len(kept)])
    assert len(kept) <= max(count, 0) or len(kept) == len(sentences)
    if 0 < len(kept) < len(sentences):
        assert not restricts(sentences[len(kept)])


def test_of_a_repeated_run_a_courtesy_goes_first_and_a_question_last():
    parts = [("The old brown brace helps me.", 5), ("Is it safe?", 3), ("Thanks.", 1)]
    assert part_to_leave_out(parts, 10, 10) == 2
    assert part_to_leave_out(parts[:2], 10, 10) == 0
    assert part_to_leave_out([("Rest.", 1), ("Is it safe to swim?", 14)], 15, 10) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "There are other causes, but they pass.",
        "Which may be the cause.",
        "There is another way.",
        "You will be fine with all of these.",
    ],
)
def test_a_sentence_about_the_other_things_depends_on_the_one_before(sentence: str) -> None:
    assert depends(sentence)


def test_what_depends_on_a_gap_is_left_out() -> None:
    sentences = ["The lump is soft.", "", "It moves.", "Dogs sleep there.", "My thumb is split."]
    assert group(sentences) == [("The lump is soft.",), ("My thumb is split.",)]


@pytest.mark.parametrize(
    ("sentences", "items"),
    [
        (["Use a thick glue at night.", "Spread the glue gently.", "Close up."], 2),
        (["There are 2 reasons.", "If it drips, it is the seal.", "It can rust.", "Call us."], 2),
        (["You had nails before.", "Take one more short nail.", "Close up."], 2),
        (["Use a thick glue at night.", "Close the window."], 2),
    ],
)
def test_what_a_sentence_introduces_or_announces_stays_with_it(sentences, items):
    assert len(group(sentences)) == items
