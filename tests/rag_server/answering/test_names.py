import pytest

from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.names import (
    names_no_one,
    names_someone,
    without_greeting,
    without_names,
)
from sage_rag.rag_server.answering.protocols import AnswerContext
from tests.growth import LINEAR, growth

NAME, OTHER = "PERSON_[aa]", "PERSON_[dd]"
PHONE, PLACE = "PHONE_NUMBER_[bb]", "LOCATION_[cc]"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Rest the knee.", "Rest the knee."),
        (f"Our nurse, {NAME}, will call.", "Our nurse will call."),
        (
            f"The out-of-hours doctor, {NAME}, will bring it.",
            "The out-of-hours doctor will bring it.",
        ),
        (f"Ask our nurse, {NAME}.", "Ask our nurse."),
        (
            f"The mill wrote to its agent and their clerk, {NAME}, Head of Accounts.",
            "The mill wrote to its agent and their clerk, Head of Accounts.",
        ),
        (f"Dr. {NAME} will look at it.", "The person will look at it."),
        (f"Let {NAME} carry on.", "Let the person carry on."),
        (f"Come to {PLACE}.", f"Come to {PLACE}."),
        (f"Ring {PHONE}.", None),
        (f"That is croup, {NAME}, a viral swelling.", "That is croup, a viral swelling."),
        (
            f"He bought the bees from a Mr {NAME} in {PLACE}.",
            f"He bought the bees from a person in {PLACE}.",
        ),
        (f"Ask an {NAME} or the {NAME}.", "Ask a person or the person."),
        (f"I can get a mated {NAME} queen for you.", "I can get a mated queen for you."),
        (f"The {NAME} Cup goes to {NAME}.", "The Cup goes to the person."),
        (f"An injured {NAME} was cooled.", "An injured person was cooled."),
        (
            f"His wife {NAME} {OTHER} helps; my brother {NAME}'s van is red.",
            "His wife helps; my brother's van is red.",
        ),
        (f"The injured {NAME} was cooled.", "The injured person was cooled."),
        (
            f"Dark honey: {NAME} {OTHER}, third not awarded.",
            "Dark honey: the person, third not awarded.",
        ),
        (f"Dear Mr {NAME}, the association thanks you.", "The association thanks you."),
        (f"Dear {NAME},", None),
        (f"The bike of Mrs {PLACE} is here.", "The bike of the person is here."),
        (
            f"Present: {NAME} (chair), {OTHER}, {NAME}, {OTHER}.",
            "Present: the person (chair), several people.",
        ),
        (f"{NAME}, {OTHER} said so.", "Two people said so."),
        (f"Ask {NAME} and {OTHER}'s aunt.", "Ask the person and the person's aunt."),
        (
            f"{PLACE} told us that it rains in {PLACE}.",
            f"The person told us that it rains in {PLACE}.",
        ),
        (f"An automatic hub, {NAME}, 11 turns.", "An automatic hub, the person, 11 turns."),
        (f"He says that {NAME}'s hand is weak.", "He says that the person's hand is weak."),
        (f"The {NAME}'s hand is weak.", "The person's hand is weak."),
    ],
)
def test_a_sentence_goes_without_names_or_not_at_all(text, bare):
    assert without_names(text) == bare


def test_a_place_is_no_name():
    assert names_someone(f"the leg of {NAME}")
    assert not names_someone(f"a clinic in {PLACE}")


def test_spaces_after_a_greeting_are_read_in_linear_time():
    assert growth(lambda size: without_greeting("Hello" + " " * size + "there"), 1_000) < LINEAR


@pytest.mark.parametrize(
    ("question", "evidence", "nameless"),
    [
        (f"Who lives at {PLACE}?", None, False),
        ("Who has membership BK-2217?", None, False),
        ("What happened on DATE_TIME_[x]?", Evidence(1, 1, whole_record=True), False),
        ("Who took the air rifle?", None, True),
        (f"What helps against gout in {PLACE}?", None, True),
        (f"What did {NAME} pay?", None, False),
    ],
)
def test_a_question_by_a_value_asks_for_someone(question, evidence, nameless):
    assert names_no_one(AnswerContext(question, [], evidence=evidence)) is nameless
