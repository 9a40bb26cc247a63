import pytest

from sage_rag.agents.protocols import Attribute
from sage_rag.agents.rules.arrangement import ALIKE, arrange, leans
from sage_rag.agents.rules.presets import bound
from sage_rag.privacy.gate.leakage import Original

MEDICAL = {a.name: a for a in bound("medical_dialogue", ("question", "answer"))}
WHO, HURTS, ASKED = MEDICAL["circumstances"], MEDICAL["symptoms"], MEDICAL["concern"]
TOLD = {
    WHO: ("I am a baker with flour on every shelf.", "My two boys help in the shop at weekends."),
    HURTS: ("Since spring both wrists swell before noon.", "Cold water brings some ease."),
    ASKED: ("Could this come from kneading dough?",),
}


def one_field(found):
    told = tuple(sentence for sentences in found.values() for sentence in sentences)
    record = {"question": " ".join(told)}
    return arrange({"question": found}, {"question": told}, record), record["question"]


def test_the_order_is_unlike_enough():
    blocks, record = one_field(TOLD)
    draft = " ".join(sentence for block in blocks.values() for sentence in block)
    assert Original(record).rouge_l(draft) <= ALIKE


def test_no_sentence_is_lost_or_changes_its_attribute():
    blocks, _ = one_field(TOLD)
    assert {name: set(block) for name, block in blocks.items()} == {
        attribute.name: set(sentences) for attribute, sentences in TOLD.items()
    }


def test_what_is_asked_stands_first_or_last():
    names = list(one_field(TOLD)[0])
    assert "concern" in (names[0], names[-1])


def test_the_same_record_gives_the_same_order():
    assert one_field(TOLD)[0] == one_field(TOLD)[0]


def test_a_field_may_have_more_attributes_than_can_be_told_in_every_order():
    many = {
        Attribute(f"part {n}", "question", f"Part {n}"): (f"One{n} two{n} three{n} four{n}.",)
        for n in range(12)
    }
    blocks, record = one_field(many)
    assert {name: set(told) for name, told in blocks.items()} == {
        attribute.name: set(told) for attribute, told in many.items()
    }
    assert Original(record).rouge_l(" ".join(s for b in blocks.values() for s in b)) <= ALIKE


def test_a_field_without_sentences_has_no_blocks():
    assert arrange({"question": {}}, {"question": ()}, {"question": "Hello."}) == {}


@pytest.mark.parametrize(
    ("sentence", "before", "expected"),
    [
        ("It throbs at night.", "My thumb is split.", True),
        ("It throbs at night.", "What could it be?", False),
        ("My thumb is split.", "It throbs at night.", False),
    ],
)
def test_leans(sentence, before, expected):
    assert leans(sentence, before) is expected
