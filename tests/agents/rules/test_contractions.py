import pytest

from sage_rag.agents.rules.contractions import contract, short_forms, toggles, write_out

PAIRS = [
    ("I am ill", "I'm ill"),
    ("I have been ill", "I've been ill"),
    ("it is not so", "it's not so"),
    ("they do not know", "they don't know"),
    ("Will not help", "Won't help"),
    ("we cannot wait", "we can't wait"),
    ("she has been here", "she's been here"),
]
FORMS = {form.casefold() for _, short in PAIRS for form in short_forms(short)}


@pytest.mark.parametrize(("long", "short"), PAIRS)
def test_contracting_and_writing_out_undo_each_other(long, short):
    assert contract(long, only=FORMS) == short
    assert write_out(short) == long


@pytest.mark.parametrize(
    "text", ["Yes, I am.", "I have a lump", "that is what it is.", "can [ID_1]"]
)
def test_what_cannot_be_contracted_stays_at_the_end(text):
    assert contract(text, only=FORMS) == text


def test_only_forms_the_writer_used_are_made():
    assert contract("I am ill and I do not sleep", only={"don't"}) == "I am ill and I don't sleep"


@pytest.mark.parametrize(("long", "short"), PAIRS)
def test_a_form_can_be_toggled_either_way(long, short):
    for text, other in ((long, short), (short, long)):
        assert other in {text[:a] + form + text[b:] for a, b, form in toggles(text)}


def test_short_forms_are_found_in_order():
    assert short_forms("It's late and I can't sleep") == ["It's", "can't"]


@pytest.mark.parametrize("text", ["it's happened again", "she's gone home", "he's become ill"])
def test_what_may_be_has_or_is_stays_short(text):
    assert write_out(text) == text
    assert not list(toggles(text))


@pytest.mark.parametrize(
    "text",
    [
        "Isn't there a pill?",
        "Don't you agree?",
        "Once both of you are well, stop.",
        "If you have unprotected walls, ask.",
    ],
)
def test_an_inverted_negation_and_the_end_of_a_phrase_stay(text):
    assert not list(toggles(text))
    assert write_out(text) == text
