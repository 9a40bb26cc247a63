import asyncio

from agents.rules.generator import RuleGenerator

ASSESSMENT = ("It may be due to a cold.",)


def generate(extraction, attributes):
    return asyncio.run(RuleGenerator().generate(extraction, attributes))


def test_a_draft_has_the_fields_of_the_attributes(attributes):
    draft = generate({"assessment": ASSESSMENT}, attributes)
    assert list(draft.fields) == ["question", "answer"]
    assert draft.fields["question"] == ""


def test_the_same_information_gives_the_same_draft(attributes):
    extraction = {"assessment": ASSESSMENT, "symptoms": ("My nose runs all day.",)}
    assert generate(extraction, attributes) == generate(
        dict(reversed(extraction.items())), attributes
    )


def test_the_matter_is_told_in_the_attributes_order(attributes):
    draft = generate(
        {"assessment": ASSESSMENT, "treatment advised": ("Take the syrup twice daily.",)},
        attributes,
    )
    assert draft.fields["answer"].index("syrup") < draft.fields["answer"].index("cold")


def test_a_fragment_becomes_a_sentence(attributes):
    answer = generate({"self-care": ("No coffee at night.",)}, attributes).fields["answer"]
    assert answer.endswith("o coffee during the night.")
    assert ": no coffee" in answer


def test_a_pronoun_is_named_where_its_relative_comes_later(attributes):
    extraction = {
        "treatment so far": ("She takes a syrup at noon.",),
        "symptoms": ("My daughter coughs a lot.",),
    }
    question = generate(extraction, attributes).fields["question"]
    assert question.startswith("My daughter takes a syrup")


def test_a_signature_stands_at_the_end(attributes):
    extraction = {"examinations advised": ("Dr. [PERSON_2].", "See a dentist.")}
    assert generate(extraction, attributes).fields["answer"].endswith("Regards, Dr. [PERSON_2].")


def test_placeholders_are_written_as_they_are(attributes):
    extraction = {"examinations advised": ("You should see [PERSON_2] at [ORGANIZATION_1].",)}
    answer = generate(extraction, attributes).fields["answer"]
    assert "[PERSON_2] at [ORGANIZATION_1]" in answer
