import pytest

from sage_rag.rag_server.answering.cues import cues_of
from tests.growth import LINEAR, growth


@pytest.mark.parametrize(
    ("question", "states", "does_not"),
    [
        ("When is the boiler serviced?", "It is serviced every two years.", "It is a good boiler."),
        ("How long does it last?", "It lasts about ten days.", "It lasts."),
        ("How much is the deposit?", "The deposit is 900.", "The deposit is returned."),
        ("Why is the lift closed?", "It is closed because of water.", "It is closed."),
        ("Who repairs it?", "PERSON_[q2Zf3kAAx.9=-_] repairs it.", "It is repaired."),
        ("How is a burn treated?", "Wash the skin with water.", "A burn hurts."),
        ("What was prescribed?", "It is 40 mg at night.", "It is a long story."),
    ],
)
def test_a_kind_of_fact_is_stated_by_some_sentences(question, states, does_not):
    cues = cues_of(question)
    assert any(cue.states(states) for cue in cues)
    assert not any(cue.states(does_not) for cue in cues)


@pytest.mark.parametrize("question", ["gout", "¿Cuándo abre?", "Is it closed?"])
def test_other_questions_have_no_cue(question):
    assert cues_of(question) == []


def test_a_long_row_of_numbers_is_read_in_linear_time():
    (cue,) = cues_of("What was prescribed?")
    assert growth(lambda size: cue.states("1," * size), 800) < LINEAR
