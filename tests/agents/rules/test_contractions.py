import pytest

from agents.rules.contractions import contract, short_forms, write_out

PAIRS = [
    ("I am ill", "I'm ill"),
    ("I have been ill", "I've been ill"),
    ("it is not so", "it's not so"),
    ("they do not know", "they don't know"),
    ("Will not help", "Won't help"),
    ("we cannot wait", "we can't wait"),
    ("she has been here", "she's been here"),
]


@pytest.mark.parametrize(("long", "short"), PAIRS)
def test_contracting_and_writing_out_undo_each_other(long, short):
    assert contract(long) == short
    assert write_out(short) == long


@pytest.mark.parametrize(
    "text", ["Yes, I am.", "I have a lump", "that is what it is.", "can [ID_1]"]
)
def test_what_cannot_be_contracted_stays_at_the_end(text):
    assert contract(text).endswith(text.rsplit(" ", 1)[-1])
    assert "I'm." not in contract(text)
    assert "I've a" not in contract(text)


def test_forms_the_writer_used_are_not_made_again():
    assert contract("I am ill and I do not sleep", but_not={"i'm"}) == "I am ill and I don't sleep"


def test_short_forms_are_found_in_order():
    assert short_forms("It's late and I can't sleep") == ["It's", "can't"]
