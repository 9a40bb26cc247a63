import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.rules.tidy import tidy


@pytest.mark.parametrize(
    ("typed", "tidied"),
    [
        ("it hurts.Then it stops", "it hurts. Then it stops"),
        ("it hurts.then it stops", "it hurts. then it stops"),
        ("i dont know", "I do not know"),
        ("I don t know , really", "I do not know, really"),
        ("she cant sleep", "she cannot sleep"),
        ("it s been a week", "it has been a week"),
        ("u r right", "you r right"),
        ("it was 103 - 105", "it was 103-105"),
        ("a cough..or a cold", "a cough, or a cold"),
        ("it stops me.i sleep", "it stops me. I sleep"),
        ("what ???", "what?"),
        ("help me!!", "help me."),
        ("take 40mg daily", "take 40 mg daily"),
        ("its a lump", "it is a lump"),
        ("seen on March 2024", "seen in March 2024"),
        ("MY LEFT ARM HURTS EVERY NIGHT", "my left arm hurts every night"),
        ("MY LEFT ARM HURTS BADLY SAYS [PERSON_1]", "my left arm hurts badly says [PERSON_1]"),
    ],
)
def test_typing_is_mended(typed, tidied):
    assert tidy(typed) == tidied


@pytest.mark.parametrize(
    "text",
    [
        "The dose is 2.5 mg.",
        "Write to someone at example.com today.",
        'Exhibit U and "U" are here.',
        "Write to ada.novak@mail today.",
        "Dr. [PERSON_1] lives in [LOCATION_2].",
        "The value was <DATE_TIME>.",
        "won't you come?",
        "The patient's arm",
    ],
)
def test_what_is_right_stays(text):
    assert tidy(text) == text


@given(st.lists(st.sampled_from(["[PERSON_1]", "im", "[ID_12]", ".", "dont", "U", "!", "-", "7"])))
def test_placeholders_survive_in_order(pieces):
    text = " ".join(pieces)
    kept = [word for word in re.sub(r"[.,]", " ", tidy(text)).split() if word.startswith("[")]
    assert kept == [piece for piece in pieces if piece.startswith("[")]


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("He is in a 18-29 group.", "He is in an 18-29 group."),
        ("An 12 and an 80.", "A 12 and an 80."),
        ("Needs: 1) Rest a lot 2) Warm tea", "Needs: Rest a lot; Warm tea."),
        ("Watch for1. Cough2. Pain. Call us.", "Watch for: Cough; Pain. Call us."),
        ("Tests are done. 1. Blood count 2. Skin test", "Tests are done. Blood count. Skin test"),
        ("We ask: 1. Is it red? 2. Is it hot?", "We ask. Is it red? Is it hot?"),
        ("Do this: 1. Rest. Sleep. 2. Eat", "Do this. Rest. Sleep. Eat"),
        ("Watch for: 1. a cough 2. pain 3. Fever. Call.", "Watch for: a cough; pain; Fever. Call."),
        (
            "1) He fell. 2) They found: 1. A clot 2. So blood was given 3. His test was bad. 4. Pain.",
            "He fell. They found: A clot; So blood was given; His test was bad; Pain.",
        ),
        ("It grew from 1. to 2. and stayed", "It grew from 1. to 2. and stayed"),
        ("He had n accident, salt n oil n all", "He had n accident, salt n oil and all"),
        ("Room 2) Warm tea", "Room 2) Warm tea"),
    ],
)
def test_articles_and_numbered_lists_read_well(text, tidied):
    assert tidy(text) == tidied
