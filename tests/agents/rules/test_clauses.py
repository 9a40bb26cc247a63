import pytest

from sage_rag.agents.rules.clauses import consequences, indirect, move, swap


def edited(rule, text):
    return {text[:start] + other + text[end:] for start, end, other in rule(text)}


@pytest.mark.parametrize(
    ("body", "moved"),
    [
        ("If it bleeds, press on the wound", "press on the wound if it bleeds"),
        ("Press on the wound if it bleeds", "if it bleeds, press on the wound"),
        ("Do not swim if the wound bleeds", "if the wound bleeds, do not swim"),
        ("I have felt dizzy for two weeks", "for two weeks, I have felt dizzy"),
        ("Last night, my ear hurt badly", "my ear hurt badly last night"),
    ],
)
def test_a_condition_or_time_moves_to_the_other_end(body, moved):
    assert move(body) == moved


@pytest.mark.parametrize(
    "body",
    [
        "What helps if it bleeds",
        "She is fine and she was tired for two weeks",
        "Do not stop it unless the nurse calls",
        "I told him to go on if it hurts",
        "Ask whether it bleeds if you press",
        "It only hurts if you press there",
        "They said it had hurt for two weeks",
        "I did not sleep for two weeks",
        "I feel as if I am under water",
        "They instructed him to take risks if he must",
    ],
)
def test_what_governs_more_than_its_clause_is_not_moved(body):
    assert move(body) == body


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Is it safe to swim", "I would like to know whether it is safe to swim"),
        ("Do I need a cast", "I would like to know whether I need a cast"),
        ("Is it a sprain or a break", "I would like to know whether it is a sprain or a break"),
        ("Should we wait", "I would like to know whether we should wait"),
        ("Is it safe, if I rest", "I would like to know whether it is safe, if I rest"),
        ("How long should I wait", "I would like to know how long I should wait"),
        ("Why is it red", "I would like to know why it is red"),
    ],
)
def test_a_question_becomes_indirect(question, asked):
    assert indirect(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Is it a sprain or is it a break",
        "Is it safe and what does it cost",
        "What helps",
        "Is it bad, what do you think",
        "Does it hurt",
        "What do I do",
        "Is my knee broken",
        "Are these spots related to food",
    ],
)
def test_another_question_stays(question):
    assert indirect(question) is None


def test_then_is_added_to_a_condition_or_left_out():
    assert edited(consequences, "If it burns, you can stop.") == {"If it burns, then you can stop."}
    assert edited(consequences, "If it burns, then you can stop.") == {"If it burns, you can stop."}


@pytest.mark.parametrize(
    ("question", "swapped"),
    [
        ("Is it a sprain or is it a break", "is it a break, or is it a sprain"),
        ("Could it be dust, or should we wait", "should we wait, or could it be dust"),
        ("Is it safe if I swim", "if I swim, is it safe"),
    ],
)
def test_two_questions_change_places_and_a_condition_comes_first(question, swapped):
    assert swap(question) == swapped


@pytest.mark.parametrize(
    "question",
    [
        "Is there a pill and can it help",
        "Is it red or swollen",
        "Is the drug safe and does it work if I drink",
        "Should I rest or go back",
        "Is it a sprain or should I rest instead",
        "Can I ask if it is safe when I swim",
    ],
)
def test_questions_that_depend_on_each_other_stay(question):
    assert swap(question) == question
