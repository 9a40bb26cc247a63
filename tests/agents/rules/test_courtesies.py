import pytest

from sage_rag.agents.rules.courtesies import courtesies, is_closing, is_greeting


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hello doctor, my ear rings. Thank you.", ["Hello doctor.", "Thank you."]),
        ("hi my ear rings, please help", ["Hi.", "Please help."]),
        ("Dear sir, it rings. Regards, [PERSON_1]", ["Dear sir.", "Regards."]),
        (
            "Rest. Take care. I hope this answers your query.",
            ["I hope this answers your question.", "Take care."],
        ),
        ("The applicant thanked the registry.", []),
        ("She said hello to the nurse.", []),
        ("Take care of the wound every day.", []),
    ],
)
def test_courtesies_are_known_by_their_words(text, found):
    assert courtesies(text) == found


def test_every_phrase_is_known_again():
    for phrase in courtesies("Hello. I hope it helps. Thanks. Take care. Regards."):
        assert is_greeting(phrase) != is_closing(phrase)


def test_a_signature_closes():
    assert is_closing("Regards, [PERSON_1].")
    assert not is_closing("Regarding the ear, rest.")
