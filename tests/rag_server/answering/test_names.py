import pytest

from sage_rag.rag_server.answering.names import names_someone, without_names

NAME, PHONE, PLACE = "PERSON_[aa]", "PHONE_NUMBER_[bb]", "LOCATION_[cc]"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Rest the knee.", "Rest the knee."),
        (f"Our nurse, {NAME}, will call.", "Our nurse will call."),
        (f"Ask our nurse, {NAME}.", "Ask our nurse."),
        (f"Dr. {NAME} will look at it.", "The person will look at it."),
        (f"Let {NAME} carry on.", "Let the person carry on."),
        (f"Come to {PLACE}.", f"Come to {PLACE}."),
        (f"Ring {PHONE}.", None),
    ],
)
def test_a_sentence_goes_without_names_or_not_at_all(text, bare):
    assert without_names(text) == bare


def test_a_place_is_no_name():
    assert names_someone(f"the leg of {NAME}")
    assert not names_someone(f"a clinic in {PLACE}")
