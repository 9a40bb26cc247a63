"""Which attributes and form a model may give a corpus."""

from __future__ import annotations

import json

import pytest

from sage_rag.agents.attributes import format_attributes, parse_attributes
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.model.attributes import identify
from sage_rag.common.exceptions import InputError
from tests.agents.stage_one import AskedModel, protected, run

DIALOGUES = [
    {"question": "My knee hurts since a long walk in spring.", "answer": "Rest it and cool it."},
    {"question": "Ada Novak here, I cough at night.", "answer": "Drink tea and sleep upright."},
    {"question": "Is a fever of three days normal?", "answer": "Often. See a doctor after four."},
    {"question": "The rash on my arm itches.", "answer": "Use the cream twice a day."},
    {"question": "Can I run with a cold?", "answer": "Better not before it is over."},
]
TEXTS = [{"text": "The bridge is a crossing of the river, built in 1874."} for _ in range(5)]


def proposal(
    *attributes: tuple[str, str, list[int]], form: str = "dialogue", words="A kind."
) -> str:
    listed = [
        {"name": name, "field": field, "description": words, "samples": samples}
        for name, field, samples in attributes
    ]
    return json.dumps({"form": form, "attributes": listed})


def identified(answers, per_field=1, records=DIALOGUES):
    model = AskedModel(*answers)
    return run(identify(model, [protected(r) for r in records], per_field)), model


BOTH = (("symptom", "question", [1, 2]), ("advice", "answer", [1, 2, 3]))


def test_attributes_and_form_are_read() -> None:
    found, model = identified([proposal(*BOTH)])
    assert [(a.name, a.field, a.description) for a in found.entries] == [
        ("symptom", "question", "A kind."),
        ("advice", "answer", "A kind."),
    ]
    assert found.form == "dialogue"
    assert model.stages == ["identify"]
    assert model.shapes[0] is not None


def test_a_server_can_enforce_the_names_of_fields_and_forms() -> None:
    _, model = identified([proposal(*BOTH)])
    schema = json.dumps(model.shapes[0])
    assert '"enum": ["question", "answer"]' in schema
    assert '"dialogue"' in schema


def test_they_stand_in_the_order_of_the_fields() -> None:
    found, _ = identified([proposal(*BOTH[::-1])])
    assert [a.field for a in found.entries] == ["question", "answer"]


def test_samples_are_shown_with_placeholders_and_numbers() -> None:
    _, model = identified([proposal(*BOTH)])
    shown = model.asked[0][1].content
    assert "Ada" not in shown
    assert "[PERSON_1]" in shown
    assert all(f"Sample {number}:" in shown for number in range(1, 6))


def test_of_too_many_those_that_most_samples_speak_of_are_kept_in_their_order() -> None:
    many = [(f"kind {n}", "question", list(range(1, n + 1))) for n in range(1, 5)]
    advice = [(f"advice {n}", "answer", [n]) for n in (1, 2)]
    found, _ = identified([proposal(*many, *advice)], per_field=2)
    assert [a.name for a in found.entries if a.field == "question"] == ["kind 3", "kind 4"]


def test_too_few_are_asked_for_again_and_then_accepted() -> None:
    found, model = identified([proposal(*BOTH), proposal(*BOTH)], per_field=2)
    assert len(found.entries) == 2
    assert "has 1 usable attributes, and needs 2" in model.asked[1][-1].content


def test_a_model_that_copies_the_shape_is_refused() -> None:
    """A model of 1.5 billion parameters named every attribute as the example of the prompt."""
    copied = proposal(("...", "question", [1, 3]), ("...", "answer", [1, 3]), words="...")
    with pytest.raises(AgentOutputError, match="blank"):
        identified([copied, copied])


@pytest.mark.parametrize(
    ("samples", "kept"),
    [([1, 2, 3], True), ([1, 5], False), ([1, 1, 1], False), ([7, 8, 9], False), ([], False)],
)
def test_adaptively_three_samples_of_five_must_speak_of_it(samples: list[int], kept: bool) -> None:
    every = [1, 2, 3, 4, 5]
    asked = [("sure", "question", every), ("asked", "question", samples), ("a", "answer", every)]
    found, model = identified([proposal(*asked)], per_field=None)
    assert ("asked" in [a.name for a in found.entries]) is kept
    assert "up to 10 essential" in model.asked[0][0].content


def test_adaptively_at_most_ten_and_at_least_one_per_field() -> None:
    many = [(f"kind {n}", "question", [1, 2, 3]) for n in range(14)]
    found, _ = identified([proposal(*many, ("rare", "answer", [1]))], per_field=None)
    assert [sum(a.field == f for a in found.entries) for f in ("question", "answer")] == [10, 1]


def test_a_field_without_attribute_is_asked_for_again_then_refused() -> None:
    only = proposal(BOTH[0])
    found, model = identified([only, proposal(*BOTH)])
    assert len(found.entries) == 2
    assert "no usable attribute is in the field answer" in model.asked[1][-1].content
    with pytest.raises(AgentOutputError) as caught:
        identified([only, only])
    assert "--set attributes=" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "words",
    [
        "What [PERSON_1] has.",
        "PERSON_[c2VjcmV0c2VjcmV0c2VjcmV0]",
        "My knee hurts since a long walk",
    ],
)
def test_an_attribute_that_quotes_a_sample_is_dropped(words: str) -> None:
    quoting = proposal(*BOTH, words=words)
    found, _ = identified([quoting, proposal(*BOTH)])
    assert {a.description for a in found.entries} == {"A kind."}


def test_unknown_fields_are_dropped() -> None:
    found, _ = identified([proposal(*BOTH, ("x", "diagnosis", [1, 2, 3]))])
    assert {a.field for a in found.entries} == {"question", "answer"}


def test_names_that_fields_share_are_qualified_and_doubled_ones_dropped() -> None:
    answer = proposal(
        ("matter", "question", [1]), ("matter", "question", [1]), ("matter", "answer", [1])
    )
    found, _ = identified([answer, answer], per_field=2)
    assert [a.name for a in found.entries] == ["question: matter", "answer: matter"]


@pytest.mark.parametrize(
    ("form", "records", "expected"),
    [
        ("judgment", DIALOGUES, "dialogue"),
        ("note", TEXTS, "note"),
        ("haiku", TEXTS, "encyclopaedic"),
        ("", [{"text": "Rain again."}], "generic"),
    ],
)
def test_the_form_is_the_models_where_the_fields_leave_doubt(form, records, expected) -> None:
    attributes = BOTH if records is DIALOGUES else [("subject", "text", [1])]
    found, _ = identified([proposal(*attributes, form=form)], records=records)
    assert found.form == expected


def test_whatever_is_proposed_can_be_pinned() -> None:
    odd = {"name": 'a\n"b"\t' + "c" * 99, "field": "text", "description": "d\\\x7f\n" * 200}
    answer = json.dumps({"form": "note", "attributes": [odd]})
    found, _ = identified([answer], records=TEXTS)
    again = parse_attributes(format_attributes(found), ["text"])
    assert again == found
    assert again.form == "note"


def test_without_samples_nothing_is_asked() -> None:
    with pytest.raises(InputError):
        identified([], records=[])
