import asyncio

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import Extraction
from sage_rag.agents.rules.generator import RuleGenerator
from sage_rag.privacy.gate.leakage import Original

REST = ("Snow fell on the hills and ships waited in the harbour of that town for a month.",) * 3
ASSESSMENT = ("It may be due to a cold.",)


def generate(phrases, attributes, sentences=None):
    """A draft of a record that has other sentences, too, unless its sentences are given."""
    if sentences is None:
        sentences = dict.fromkeys(("question", "answer"), REST)
        for attribute in attributes.entries:
            sentences[attribute.field] += (*phrases.get(attribute.name, ()), *REST)
    extraction = Extraction(phrases, sentences)
    return asyncio.run(RuleGenerator().generate(extraction, attributes))


def test_a_draft_has_the_fields_of_the_attributes(attributes):
    draft = generate({"assessment": ASSESSMENT}, attributes)
    assert list(draft.fields) == ["question", "answer"]
    assert draft.fields["question"] == ""


def test_the_same_information_gives_the_same_draft(attributes):
    extraction = {"assessment": ASSESSMENT, "symptoms": ("My nose runs all day.",)}
    assert generate(extraction, attributes) == generate(dict(extraction), attributes)


def test_the_answer_has_the_order_of_its_attributes(attributes):
    draft = generate(
        {"treatment advised": ("Take the syrup twice daily.",), "assessment": ASSESSMENT},
        attributes,
    )
    assert draft.fields["answer"].index("cold") < draft.fields["answer"].index("syrup")


def test_courtesies_frame_the_content(attributes):
    extraction = {"self-care": ("No coffee at night.", "Rest a lot.", "Take care.", "Hello.")}
    answer = generate(extraction, attributes).fields["answer"]
    assert answer.startswith("Hello. No coffee")
    assert answer.endswith(" Take care.")


LONG = (
    "The nurse looked at my left ear for 2 weeks because of the swelling and she wrote about a "
    "noise that is not there at night."
)
FIRM = "Wide flat stones from distant northern valleys carry thin green moss under melting snow."


def test_a_sentence_is_reworded_whole(attributes):
    draft = generate({"symptoms": (LONG,)}, attributes)
    assert Original(LONG).longest_shared_run(draft.text) < 10
    kept = {"nurse", "left", "ear", "weeks", "swelling", "noise", "not", "night"}
    assert kept <= set(words(draft.text))


def test_a_sentence_that_cannot_be_reworded_is_left_out_whole(attributes):
    draft = generate({"symptoms": (FIRM, "My knee clicks.")}, attributes)
    assert draft.fields["question"] == "My knee clicks."


def test_what_depends_on_a_sentence_that_is_left_out_goes_with_it(attributes):
    item = f"{FIRM} However, do not step on it."
    draft = generate({"symptoms": (item, "My knee clicks.")}, attributes)
    assert draft.fields["question"] == "My knee clicks."


def test_a_sentence_goes_with_the_restriction_that_cannot_stay(attributes):
    item = f"Take the syrup. However, never use {FIRM[0].lower()}{FIRM[1:]}"
    draft = generate({"symptoms": (item, "My knee clicks.")}, attributes)
    assert draft.fields["question"] == "My knee clicks."


def test_of_a_run_over_two_sentences_the_question_stays(attributes):
    items = ("Can I cut down with this or nah?", "Mule carts go.")
    draft = generate({"concern": items}, attributes)
    assert draft.fields["question"] == items[0]


def test_a_draft_keeps_the_records_order_and_short_sentences(attributes):
    told = (
        "My knee clicks when I climb.",
        "A brace helps a little.",
        "An ache began after a fall.",
        "I walk to work.",
    )
    order = {"question": tuple(s for one in told for s in (one, *REST))}
    extraction = {"symptoms": tuple(reversed(told))}
    question = generate(extraction, attributes, {**order, "answer": ()}).fields["question"]
    kept = [sentence for sentence in told if sentence in question]
    assert question == " ".join(kept)
    assert len(kept) >= 2


def test_a_run_over_the_ends_of_sentences_is_broken(attributes):
    told = ("My knee clicks when I climb.", "A brace helps a little.", "It began after a fall.")
    order = {"question": told, "answer": ()}
    question = generate({"symptoms": told}, attributes, order).fields["question"]
    assert Original(" ".join(told)).longest_shared_run(question) < 10


def test_a_signature_stands_at_the_end(attributes):
    extraction = {"examinations advised": ("See a dentist.", "Dr. [PERSON_2].")}
    assert generate(extraction, attributes).fields["answer"].endswith("Regards, Dr. [PERSON_2].")


def test_an_address_within_a_text_is_no_signature(attributes):
    extraction = {"examinations advised": ("[PERSON_2].", "See a dentist.")}
    assert generate(extraction, attributes).fields["answer"] == "See a dentist."


def test_placeholders_are_written_as_they_are(attributes):
    extraction = {"examinations advised": ("You should see [PERSON_2] at [ORGANIZATION_1].",)}
    answer = generate(extraction, attributes).fields["answer"]
    assert "[PERSON_2] at [ORGANIZATION_1]" in answer


def test_courtesies_alone_are_no_content(attributes):
    long = "The old green tram of this town was seen beside a wall of red stone on a hill."
    draft = generate(
        {"symptoms": (long, "Hello.", "Thanks."), "assessment": ASSESSMENT}, attributes
    )
    assert draft.fields["question"] == ""


def test_an_item_loses_its_end_where_the_whole_is_too_alike(attributes):
    item = "The cough is dry. It ends at dusk."
    phrases = {"symptoms": (item,), "assessment": ASSESSMENT}
    sentences = {"question": (item,), "answer": ASSESSMENT}
    draft = generate(phrases, attributes, sentences)
    assert item.startswith(draft.fields["question"])
    assert 0 < len(draft.fields["question"]) < len(item)
