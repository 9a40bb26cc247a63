import asyncio

from sage_rag.agents.protocols import Attribute, CorpusAttributes
from sage_rag.agents.rules.extractor import RuleExtractor


def extract(protect, fields, attributes):
    record = protect(fields).protected
    return asyncio.run(RuleExtractor().extract(record, attributes)).phrases


def texts(extraction):
    return " ".join(item for items in extraction.values() for item in items)


RECORD = {
    "question": (
        "Hello, I am Ines Varga. I have had a sharp pain in my ear for 3 days. A nurse gave me "
        "drops. What should I do?"
    ),
    "answer": "Hi. Take ibuprofen 400 mg twice daily. See a specialist within one week. Regards",
}


def test_sentences_come_under_the_first_attribute_of_their_field(protect, attributes):
    found = extract(protect, RECORD, attributes)
    question, answer = (found[name] for name in ("circumstances", "assessment"))
    assert [item for item in question if "pain in my ear" in item or "What should I do" in item]
    assert [item for item in answer if "400 mg" in item]
    assert len(found) == 2


def test_courtesies_are_kept_as_set_phrases(protect, attributes):
    found = extract(protect, RECORD, attributes)
    items = [item for told in found.values() for item in told]
    assert {"Hello.", "Hi.", "Regards."} <= set(items)
    assert not any(item.startswith("Hello, I") for item in items)


def test_sentences_that_depend_on_each_other_are_one_item(protect, attributes):
    found = extract(protect, RECORD, attributes)
    items = [item for own in found.values() for item in own]
    assert "Take ibuprofen 400 mg twice daily." in items
    answer = "Take the drops at night. However, do not drive. A rash is no reason to stop."
    found = extract(protect, {"question": "", "answer": answer}, attributes)
    items = [item for own in found.values() for item in own]
    assert "Take the drops at night. However, do not drive." in items


def test_the_order_of_the_record_is_kept_for_the_generator(protect, attributes):
    record = protect(RECORD).protected
    extraction = asyncio.run(RuleExtractor().extract(record, attributes))
    assert extraction.sentences["question"][-1] == "What should I do?"
    assert all(
        item in extraction.sentences["question"] + extraction.sentences["answer"]
        for own in extraction.phrases.values()
        for item in own
        if len(item.split()) > 1
    )


def test_names_survive_as_placeholders(protect, attributes):
    found = texts(extract(protect, RECORD, attributes))
    assert "[PERSON_1]" in found
    assert "Ines" not in found


def test_something_is_kept_of_every_field_that_says_something(protect, attributes):
    found = extract(protect, RECORD, attributes)
    fields = {a.field for a in attributes.entries if a.name in found}
    assert fields == {"question", "answer"}


def test_a_field_without_an_attribute_is_left_out(protect):
    own = (Attribute("dose", "answer", "How many mg of which medicine, how often"),)
    found = extract(protect, RECORD, CorpusAttributes(own, "dialogue"))
    assert list(found) == ["dose"]
    assert "drops" not in texts(found)


def test_an_empty_record_gives_nothing(protect, attributes):
    assert texts(extract(protect, {"question": "Hello.", "answer": ""}, attributes)) == "Hello."


def test_comfort_is_left_out_since_it_can_outlive_its_warning(protect, attributes):
    fields = {
        "question": "The boiler hums at night. Is that dangerous?",
        "answer": "Close the valve if it smells of gas. Don't worry, you will be alright. "
        "There is nothing to worry about. I'm sure you will do fine. Do not worry about the noise of the pump in the attic.",
    }
    told = texts(extract(protect, fields, attributes))
    assert "alright" not in told
    assert "nothing to worry about" not in told
    assert "do fine" not in told
    assert "noise of the pump" not in told
