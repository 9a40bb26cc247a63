"""Statements of records by rules."""

from __future__ import annotations

import pytest

from sage_rag.indexer.consensus.grammar import HIDDEN, segments
from sage_rag.indexer.consensus.leads import lead_of
from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.indexer.consensus.statements import StatementRules
from sage_rag.indexer.consensus.word_classes import word_classes
from sage_rag.privacy.gate.support import SupportCounts
from tests.growth import LINEAR, growth


def found_in(text, records, k=3):
    """Return the statements of a text that k of the records, each of a subject of its own, say."""
    counts = SupportCounts((str(subject), [record]) for subject, record in enumerate(records))
    rules = StatementRules(counts, k, word_classes(records))
    return [statement for statement in rules.statements(text) if not statement.part]


def of(text):
    """Return the statements of a text that six subjects say."""
    return [statement.text for statement in found_in(text, [text] * 6)]


def clauses_of(text):
    found = found_in(text, [text] * 6)
    return [statement.text for statement in found if statement.phrase is Phrase.CLAUSE]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Drink plenty of water.", ["Drink plenty of water"]),
        ("Should I see a doctor?", ["Should I see a doctor?"]),
        ("She has a rash on her arm.", ["She has a rash on her arm"]),
        ("Take rest, avoid heavy lifting and use a warm pad.",
         ["Take rest", "avoid heavy lifting and use a warm pad"]),
    ],
)  # fmt: skip
def test_clauses_are_whole(text, expected):
    assert of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Hello and welcome to our clinic.",
        "Hope this answers your query.",
        "With best wishes, sir.",
        "It is apart from the others.",
        "[PERSON_1] [DATE_1].",
        "40-49 mg.",
        "It feels.",
        "A few years back.",
        "Two days ago.",
        "The best area.",
        "",
    ],
)
def test_courtesies_numbers_and_values_are_left_out(text):
    assert of(text) == []


def test_what_is_negated_is_not_a_statement_without_its_negation():
    found = of("There is no sign of a fracture, do not stop the tablets.")
    assert not any(text.startswith(("sign", "a fracture", "the tablets")) for text in found)


@pytest.mark.parametrize(
    "text",
    [
        "Take the tablets if the fever is high.",
        "If the fever is high, take the tablets.",
        "I can sleep at night when I take the tablets.",
    ],
)
def test_nothing_loses_its_condition(text):
    assert clauses_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "It seems that you have a fracture.",  # of the person addressed alone
        "The need to urinate frequently.",  # what one suffers from is no advice
        "A tablet to reduce the swelling.",
        "Based on your symptoms.",
        "For the rash you need to avoid hot showers.",  # for others, too?
        "After the operation, rest the knee.",
        "In case of a rash, stop the tablets.",
        "We will see whether the lump is malignant.",
    ],
)
def test_parts_of_sentences_are_no_clauses(text):
    assert clauses_of(text) == []


@pytest.mark.parametrize(
    ("whole", "others", "absent"),
    [
        # The others say the same words up to where the first could be cut.
        ("Do not use bleach on large areas.", "Do not use bleach", "Do not use bleach"),
        ("We must repair it between October and April.", "We must repair it between October",
         "We must repair it between October"),
        ("Take proper and regular food.", "Buy the proper food; take proper", "Take proper"),
        ("Make sure that he eats an apple.", "Make sure", "Make sure"),
        ("She told me that the landlord is liable.", "That the landlord is liable",
         "the landlord is liable"),
        ("We need to examine your foot.", "We need to examine your foot", "examine your foot"),
        ("You may reduce the rent.", "You may reduce the rent", "reduce the rent"),
        ("These tablets help, prevent infections.", "These tablets help, prevent infections",
         "prevent infections"),
    ],
)  # fmt: skip
def test_a_clause_keeps_what_it_needs(whole, others, absent):
    records = [whole, *[f"{others} {word}." for word in ("here", "soon", "now", "daily", "twice")]]
    found = found_in(whole, records)
    clauses = [statement.text for statement in found if statement.phrase is Phrase.CLAUSE]
    assert absent not in clauses


def test_a_clause_without_its_phrase_of_purpose_is_still_true():
    records = [f"Keep a diary of the noise for {word}." for word in ("weeks", "days", "months")]
    assert "Keep a diary of the noise" in [s.text for s in found_in(records[0], records * 2)]


def test_parts_of_longer_statements_count_as_said():
    records = ["Rest the knee and keep it warm."] * 6
    counts = SupportCounts((str(n), [record]) for n, record in enumerate(records))
    found = StatementRules(counts, 3, word_classes([*records, "To rest, to keep."]))
    parts = [s.text for s in found.statements(records[0]) if s.part]
    assert parts == ["Rest the knee", "keep it warm"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I advise you to consult a dentist.", "consult a dentist"),
        ("Yes, you need to avoid hot showers.", "you need to avoid hot showers"),
        ("It seems like you may have a fracture.", "you may have a fracture"),
        ("Do not stop the tablets.", "Do not stop the tablets"),
    ],
)
def test_advice_is_a_clause(text, expected):
    assert expected in clauses_of(text)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("It is possible that you have a fracture.", Phrase.POSSIBLE),
        ("The pain could be due to a fracture.", Phrase.CAUSE),
        ("You may have a cold, a cough or a fracture.", Phrase.POSSIBLE),
        ("You may have a cold because of the fracture.", Phrase.TOPIC),
        ("We need to perform a cast, a plate and a fracture.", Phrase.ADVISED),
        ("We need to perform a cast or a fracture.", Phrase.TOPIC),
        ("We do not need to perform a fracture.", Phrase.TOPIC),
        ("We may need to perform a fracture.", Phrase.TOPIC),
        ("I need to take a fracture.", Phrase.TOPIC),
        ("I would recommend some fracture.", Phrase.ADVISED),
        ("You should see a fracture.", Phrase.ADVISED),
        ("We will prescribe fracture.", Phrase.ADVISED),
        ("You may be experiencing fracture.", Phrase.POSSIBLE),
        ("We will prescribe a fracture.", Phrase.ADVISED),
        ("We may prescribe a fracture.", Phrase.TOPIC),
        ("We will not prescribe fracture.", None),
        ("The cast caused fracture.", None),
        ("He told them to see a fracture.", Phrase.TOPIC),
        ("If it is blue, we need to perform a fracture.", Phrase.TOPIC),
        ("Do we need to perform a fracture?", Phrase.TOPIC),
        ("You are suffering from a fracture.", Phrase.TOPIC),
        ("You may need to rest the fracture.", Phrase.TOPIC),
        ("It is not possible that you have a fracture.", Phrase.TOPIC),
        ("If it is blue, this may be a fracture.", Phrase.TOPIC),
    ],
)
def test_a_lead_makes_a_topic_possible_or_advised(text, phrase):
    records = [text, *["I treated a fracture."] * 3]
    phrases = {s.text: s.phrase for s in found_in(text, records)}
    assert phrases.get("fracture") is phrase


def test_the_first_of_a_list_has_the_words_that_lead_to_it():
    text = "Seen from here, you may have a fracture and a cold."
    leads = {s.text: s.lead for s in found_in(text, [text, *["I treated a fracture, a cold."] * 3])}
    assert leads == {"fracture": "Seen from here, you may have", "cold": ""}


def test_a_clause_is_not_cut_before_an_alternative():
    records = [f"I have been having foot or {part} pain." for part in ("toe", "heel", "ankle")]
    found = found_in(records[0], records)
    assert not any(statement.phrase is Phrase.CLAUSE for statement in found)


def test_a_noun_is_a_topic_without_its_determiner():
    (found,) = found_in("My left knee.", ["My left knee."] * 3)
    assert (found.text, found.phrase) == ("left knee", Phrase.TOPIC)


def test_a_clause_that_lost_a_private_value_is_no_clause():
    texts = [f"You should consult Dr. [PERSON_{n + 1}]. Rest the knee." for n in range(6)]
    found = {s.text for s in found_in(texts[0], texts) if s.phrase is Phrase.CLAUSE}
    assert "Rest the knee" in found
    assert not any("consult" in text for text in found)


def test_an_adjective_before_and_names_no_matter():
    texts = ["We need to perform a psychological and physical examination."] * 6
    assert "psychological" not in {s.text for s in found_in(texts[0], texts)}


def test_a_part_of_a_question_is_no_question():
    assert of("What is this, a rash?") == ["rash"]


def test_what_fewer_say_is_left_out():
    found = found_in("My parrot has a rash.", ["My parrot has a rash.", "A rash.", "a rash"])
    assert [statement.text for statement in found] == ["rash"]


def test_places_follow_the_text():
    first, second = found_in("A rash. A fever.", ["A rash. A fever."] * 3)
    assert 0 == first.place < second.place < 1


def test_white_space_before_a_private_value_borders_a_part():
    text = "Take rest, \n [DATE_TIME_1] and drink water - [PERSON_1]. [DATE_TIME_2]"
    found = [(" ".join(part.split()), sign) for part, sign in segments(text)]
    assert found == [
        ("Take rest", ","),
        ("", HIDDEN),
        ("and drink water", "-"),
        ("", HIDDEN),
        ("", HIDDEN),
        ("", ""),
    ]


def test_a_long_run_of_white_space_is_read_in_linear_time():
    assert growth(lambda size: list(segments(f"Rest.{' ' * size}Drink")), 1_000) < LINEAR


def test_a_long_list_without_a_comma_is_read_in_linear_time():
    def lead(size):
        return lead_of(["take", *["pain"] * size], None, may_begin=False)

    assert growth(lead, 2_000) < LINEAR
