import pytest

from sage_rag.agents.rules.restructuring import invert, list_edits, move, split


@pytest.mark.parametrize(
    ("body", "moved"),
    [
        ("If it bleeds, press on the wound", "press on the wound if it bleeds"),
        ("Press on the wound if it bleeds", "if it bleeds, press on the wound"),
        ("I have felt dizzy for two weeks", "for two weeks, I have felt dizzy"),
        ("Last night, my ear began to ring", "my ear began to ring last night"),
    ],
)
def test_a_condition_or_time_moves_to_the_other_end(body, moved):
    assert move(body) == moved


@pytest.mark.parametrize(
    "body",
    [
        "What helps if it bleeds",
        "She is fine and she was tired for two weeks",
        "This can happen even after the tablets are stopped",
        "I feel as if I am under water",
    ],
)
def test_what_would_read_wrong_is_not_moved(body):
    assert move(body) == body


@pytest.mark.parametrize(
    ("body", "reordered"),
    [
        ("I have nausea and vomiting", "I have nausea and vomiting"),
        ("I have fever and headache at night", "I have headache and fever at night"),
        ("There was blood in the stool and fever", "There was blood in the stool and fever"),
        ("I had fever, chills and a rash", "I had chills, fever and a rash"),
        ("My aunt has diabetes and lost a toe", "My aunt has diabetes and lost a toe"),
        ("I have severe headache and fever", "I have severe headache and fever"),
        (
            "Avoid tea, dark bread, cold milk, and fish",
            "Avoid tea, fish, cold milk, and dark bread",
        ),
        (
            "We plan an enema, computed tomography (CT scan), a swab (smear), and a culture",
            "We plan an enema, a culture, a swab (smear), and computed tomography (CT scan)",
        ),
        (
            "I fell, was treated, my wife called, and I slept",
            "I fell, was treated, my wife called, and I slept",
        ),
        (
            "On Monday, she fell, he ran, and it rained",
            "On Monday, she fell, he ran, and it rained",
        ),
        (
            "Codes, \x00\x00\x00\x00, \x00\x00\x00\x00, end",
            "Codes, \x00\x00\x00\x00, \x00\x00\x00\x00, end",
        ),
    ],
)
def test_only_plain_members_of_a_list_change_places(body, reordered):
    for start, end, other in sorted(list_edits(body), reverse=True):
        body = body[:start] + other + body[end:]
    assert body == reordered


def test_a_sentence_is_split_into_two_with_a_subject_each():
    assert split("I slipped on the wet stairs and felt a crack in my knee") == [
        "I slipped on the wet stairs",
        "I felt a crack in my knee",
    ]
    assert split("Take the syrup at night, which can cause some drowsiness") == [
        "Take the syrup at night",
        "This can cause some drowsiness",
    ]


@pytest.mark.parametrize("body", ["If it rains and it pours we stay at home", "My arm hurts"])
def test_a_sentence_without_a_place_to_split_stays_whole(body):
    assert split(body) == [body]


@pytest.mark.parametrize(
    ("body", "inverted"),
    [
        (
            "I stopped the tablets last week and the rash has come back since",
            "The rash has come back since. I stopped the tablets last week",
        ),
        (
            "The nurse wants another sample because the first one was too small",
            "Because the first one was too small, the nurse wants another sample",
        ),
    ],
)
def test_the_second_part_of_a_statement_is_told_first(body, inverted):
    assert invert(body) == inverted


@pytest.mark.parametrize(
    "body",
    [
        "I was wondering if you could tell me about the drops",
        "Rest as soon as the fever has come back again",
        "When it rains my knee hurts and I stay at home",
        "My knee hurts on the stairs",
    ],
)
def test_what_would_lose_its_sense_is_not_inverted(body):
    assert invert(body) is None
