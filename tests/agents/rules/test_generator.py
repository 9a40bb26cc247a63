import asyncio

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import Extraction
from sage_rag.agents.rules.generator import RuleGenerator
from sage_rag.privacy.gate.leakage import Original

ASSESSMENT = ("It may be due to a cold.",)


def generate(phrases, attributes, sentences=None):
    extraction = Extraction(phrases, sentences or {})
    return asyncio.run(RuleGenerator().generate(extraction, attributes))


def test_a_draft_has_the_fields_of_the_attributes(attributes):
    draft = generate({"assessment": ASSESSMENT}, attributes)
    assert list(draft.fields) == ["question", "answer"]
    assert draft.fields["question"] == ""


def test_the_same_information_gives_the_same_draft(attributes):
    extraction = {"assessment": ASSESSMENT, "symptoms": ("My nose runs all day.",)}
    assert generate(extraction, attributes) == generate(dict(extraction), attributes)


def test_the_matter_is_told_in_the_extractions_order(attributes):
    draft = generate(
        {"treatment advised": ("Take the syrup twice daily.",), "assessment": ASSESSMENT},
        attributes,
    )
    assert draft.fields["answer"].index("syrup") < draft.fields["answer"].index("cold")


def test_courtesies_frame_what_is_said(attributes):
    extraction = {"self-care": ("No coffee at night.", "Rest a lot.", "Take care.", "Hello.")}
    answer = generate(extraction, attributes).fields["answer"]
    assert answer.startswith("Hello. No coffee")
    assert answer.endswith(" Take care.")


LONG = (
    "The nurse at the clinic looked at my left ear for a long time and then she wrote a letter to "
    "the hospital about the swelling behind it and the noise that keeps me awake at night."
)


def test_no_run_of_ten_words_is_taken_over(attributes):
    draft = generate({"symptoms": (LONG,)}, attributes)
    assert Original(LONG).longest_shared_run(draft.text) < 10
    assert {"nurse", "letter", "swelling", "noise"} <= set(words(draft.text))


def test_what_is_short_of_a_run_is_left_as_it_is(attributes):
    items = ("My knee clicks when I climb.", "A brace helps a little.", "It began after a fall.")
    told = (*items, "The swelling is gone.", "I walk to work.")
    order = {"question": tuple(reversed(told)), "answer": ()}
    question = generate({"symptoms": told}, attributes, order).fields["question"]
    assert question == " ".join(told)


def test_a_run_over_the_ends_of_sentences_is_broken(attributes):
    told = ("My knee clicks when I climb.", "A brace helps a little.", "It began after a fall.")
    question = generate({"symptoms": told}, attributes).fields["question"]
    assert Original(" ".join(told)).longest_shared_run(question) < 10


def test_a_pronoun_is_named_where_its_relative_comes_later(attributes):
    extraction = {
        "treatment so far": ("She takes a syrup at noon.",),
        "symptoms": ("My daughter coughs a lot.",),
    }
    question = generate(extraction, attributes).fields["question"]
    assert question.startswith("My daughter takes")


def test_a_signature_stands_at_the_end(attributes):
    extraction = {"examinations advised": ("Dr. [PERSON_2].", "See a dentist.")}
    assert generate(extraction, attributes).fields["answer"].endswith("Regards, Dr. [PERSON_2].")


def test_placeholders_are_written_as_they_are(attributes):
    extraction = {"examinations advised": ("You should see [PERSON_2] at [ORGANIZATION_1].",)}
    answer = generate(extraction, attributes).fields["answer"]
    assert "[PERSON_2] at [ORGANIZATION_1]" in answer
