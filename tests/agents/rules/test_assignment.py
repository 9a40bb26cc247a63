import asyncio
from pathlib import Path

import numpy as np
import pytest

from sage_rag.agents.protocols import Attribute
from sage_rag.agents.rules.assignment import Assignment
from sage_rag.agents.rules.presets import bound

LABELLED = Path(__file__).with_name("labelled_sentences.tsv")
"""Sentences of invented dialogues, each after the attribute that a person assigned it to."""
PETS = (
    Attribute("food", "text", "What the animal eats"),
    Attribute("home", "text", "Where the animal may live"),
)


class ByLastLetter:
    """Sentences that end alike have one vector."""

    name = "last letters"

    def __init__(self):
        self.calls = 0

    def embed(self, texts):
        self.calls += 1
        vectors = np.zeros((len(texts), 256), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row, ord(text[-1]) % 256] = 1.0
        return vectors


def assigned(embedder, sentences, attributes=PETS):
    return asyncio.run(Assignment(embedder).of(sentences, attributes))


def test_a_sentence_goes_to_the_nearest_description():
    found = assigned(ByLastLetter(), ("Hay and oats", "A green stable"))
    assert found == {PETS[0]: ["Hay and oats"], PETS[1]: ["A green stable"]}


def test_without_an_embedder_what_gives_no_hint_goes_with_the_sentence_before():
    found = assigned(None, ("It eats hay.", "Twice a day.", "It lives in a stable."))
    assert found == {PETS[0]: ["It eats hay.", "Twice a day."], PETS[1]: ["It lives in a stable."]}


def test_a_question_is_what_somebody_wants_to_know():
    medical = bound("medical_dialogue", ("question", "answer"))
    own = [attribute for attribute in medical if attribute.field == "question"]
    (attribute,) = assigned(None, ("Will the tablet help with the pain?",), own)
    assert attribute.name == "concern"


def test_all_sentences_are_embedded_at_once_and_descriptions_once():
    embedder = ByLastLetter()
    assignment = Assignment(embedder)
    for _ in range(3):
        asyncio.run(assignment.of(("One.", "Two.", "Three."), PETS))
    assert embedder.calls == 4
    asyncio.run(assignment.of((), PETS))
    assert embedder.calls == 4


def right(embedder):
    attributes = bound("medical_dialogue", ("question", "answer"))
    field = {attribute.name: attribute.field for attribute in attributes}
    count = 0
    lines = LABELLED.read_text("utf-8").splitlines()
    assignment = Assignment(embedder)
    for line in lines:
        name, sentence = line.split("\t")
        own = [attribute for attribute in attributes if attribute.field == field[name]]
        (found,) = asyncio.run(assignment.of((sentence,), own))
        count += found.name == name
    return count / len(lines)


def test_cue_words_alone_are_right_half_of_the_time():
    assert right(None) > 0.5


@pytest.mark.slow
def test_embeddings_and_cue_words_together_are_right_more_often():
    from sage_rag.indexer.embedding import SentenceTransformerEmbedder

    assert right(SentenceTransformerEmbedder()) > 0.65
