"""Texts from templates state nothing that the document does not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.policy import preset
from sage_rag.training.synthesis.entities import Entity, EntityDocument, EntityReader
from sage_rag.training.synthesis.excerpts import OMISSION, excerpt, leans_on_previous
from sage_rag.training.synthesis.filtering import refusal
from sage_rag.training.synthesis.samples import Kind, SourceDocument
from sage_rag.training.synthesis.writing import Request, TemplateWriter, languages
from tests.training.synthesis.texts import CHINESE, documents, recognizer

READER = EntityReader(recognizer(), preset("soe-all"))
TEXTS = {"en": documents()[0], "zh": SourceDocument("zh", CHINESE)}
DOCUMENTS = {name: READER.read(source) for name, source in TEXTS.items()}
TEMPLATES = [
    (name, kind, template)
    for name, language in languages().items()
    for kind, templates in language.templates.items()
    for template in templates
]
SLOTS = {"entity", "others", "all", "type", "lines", "gap"}


@pytest.mark.parametrize("name", ["en", "zh"])
@pytest.mark.parametrize("kind", list(Kind))
def test_there_are_at_least_20_templates_of_a_kind(name: str, kind: Kind) -> None:
    templates = languages()[name].templates[kind]
    assert len(set(templates)) == len(templates) >= 20


@pytest.mark.parametrize(("name", "kind", "template"), TEMPLATES)
def test_a_template_names_and_quotes(name: str, kind: Kind, template: str) -> None:
    slots = set(re.findall(r"\{(\w+)\}", template))
    assert slots <= SLOTS
    assert slots & {"lines", "gap"}
    assert slots & {"entity", "all"}
    if kind is Kind.RELATION:
        assert slots & {"others", "all"}


@given(st.sampled_from(["en", "zh"]), st.sampled_from(Kind), st.data())
def test_a_text_is_a_template_and_sentences_of_the_document(
    name: str, kind: Kind, data: st.DataObject
) -> None:
    document, language = DOCUMENTS[name], languages()[name]
    least = 2 if kind is Kind.RELATION else 1
    members = data.draw(
        st.lists(st.sampled_from(list(document.mentions)), min_size=least, unique=True)
    )
    request = Request(tuple(members), kind, str(data.draw(st.integers(0, 9_999))))
    (draft,) = TemplateWriter().write(document, [request])
    assert draft is not None
    assert refusal(document, draft) is None
    template = language.templates[kind][int(draft.writer.rpartition("/")[2])]
    assert parts(template, draft.text, document, language.gap)


def parts(template: str, text: str, document: EntityDocument, gap: str) -> bool:
    """Return whether a text is the template with sentences of the document in its slots."""
    source = " ".join(document.text.split())
    pattern = re.escape(template)
    for slot in SLOTS:
        pattern = pattern.replace(rf"\{{{slot}\}}", "(.+?)")
    match = re.fullmatch(pattern, text, re.DOTALL)
    assert match is not None
    for slot, value in zip(re.findall(r"\{(\w+)\}", template), match.groups(), strict=True):
        if slot == "lines":
            assert all(passage in source for passage in value.split(OMISSION))
        elif slot == "gap":
            assert gap in value
            assert any(value.replace(gap, name) in source for name in document.entities)
    return True


def small(text: str) -> EntityDocument:
    names = dict.fromkeys(re.findall(r"\[PERSON_\d\]", text))
    return EntityDocument("d", text, {n: Entity(EntityType.PERSON, n, True) for n in names})


def test_a_signature_brings_the_sentence_before() -> None:
    document = small("Come back in May.\nDr. [PERSON_1]\n[PERSON_2]")
    assert excerpt(document, [1]) == "Come back in May. Dr. [PERSON_1]"
    assert excerpt(document, [2]) == "Come back in May. Dr. [PERSON_1] [PERSON_2]"


def test_a_sentence_that_begins_with_a_pronoun_brings_the_one_before() -> None:
    document = small("[PERSON_1] left. It rained. [PERSON_2] slept. She saw [PERSON_3]. Then all.")
    assert excerpt(document, [3]) == "[PERSON_2] slept. She saw [PERSON_3]."
    assert excerpt(document, [0, 3]) == "[PERSON_1] left. … [PERSON_2] slept. She saw [PERSON_3]."
    assert excerpt(document, [0, 2]) == "[PERSON_1] left. … [PERSON_2] slept."


def test_a_personal_pronoun_brings_a_sentence_that_names_a_person() -> None:
    document = small("[PERSON_1] left. It rained. Her coat was wet. [PERSON_2] slept. It was dark.")
    assert excerpt(document, [2]) == "[PERSON_1] left. It rained. Her coat was wet."
    assert excerpt(document, [4]) == "[PERSON_2] slept. It was dark."
    distant = small("[PERSON_1] left. Rain fell. Wind blew. She slept.")
    assert excerpt(distant, [3]) == distant.text


def test_an_excerpt_about_one_person_does_not_begin_with_the_pronoun_of_another() -> None:
    document = small(
        "It rained. [PERSON_1] was born in May. She studied law. In June she married. "
        "Her brother [PERSON_2] came."
    )
    assert excerpt(document, [4]) == document.text.removeprefix("It rained. ")


def test_a_long_chain_of_pronouns_is_cut() -> None:
    document = small("[PERSON_1] left. " + "She slept. " * 20 + "He met [PERSON_2].")
    assert excerpt(document, [21]) == "She slept. " * 8 + "He met [PERSON_2]."


@pytest.mark.parametrize(
    ("sentence", "leans"),
    [
        ("He left.", True),
        ("And then she left.", True),
        ("This was late.", True),
        ("她离开了。", True),
        ("2018年，她离开了。", True),
        ("[PERSON_1]说她离开了。", False),
        ("Before that, she worked in [LOCATION_1].", True),
        ("In [DATE_TIME_1] he moved.", True),
        ("After this, a test was made.", True),
        ("When [PERSON_1] came, he slept.", False),
        ("In [DATE_TIME_1] [PERSON_1] said that he slept.", False),
        ("On Monday the shop was shut. He left.", False),
        ("In winter the road is closed.", False),
        ("Dr. [PERSON_1]", True),
        ("[PERSON_1], [LOCATION_1]", True),
        ("Dr. [PERSON_1] slept.", False),
        ("Theo left.", False),
        ("[PERSON_1] saw her.", False),
        ("Itemised bills were sent.", False),
    ],
)
def test_sentences_that_lean_on_the_one_before(sentence: str, leans: bool) -> None:
    assert leans_on_previous(sentence) is leans
