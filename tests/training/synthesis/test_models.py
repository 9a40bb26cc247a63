"""Scores and samples by a chat model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.training.synthesis.asking import Asking
from sage_rag.training.synthesis.entities import EntityReader
from sage_rag.training.synthesis.model_association import ModelAssociation, parse_score
from sage_rag.training.synthesis.model_writing import ModelWriter
from sage_rag.training.synthesis.samples import Kind, SynthesisError
from sage_rag.training.synthesis.synthesis import NO_DRAFT, Choices, DocumentSynthesis, Synthesizer
from tests.training.synthesis.texts import VALUES, documents, recognizer

READER = EntityReader(recognizer(), preset("soe-all"))
DOCUMENT = READER.read(documents()[0])
PAIRS = list(combinations(DOCUMENT.mentions, 2))


@pytest.mark.parametrize(
    ("written", "score"),
    [
        ("1.0", 1.0),
        ("1", 1.0),
        ("0.85", 0.85),
        (" 0.85 ", 0.85),
        (".5", 0.5),
        ("0", 0.0),
        ("1.000", 1.0),
        (1, 1.0),
        (0, 0.0),
        (0.85, 0.85),
    ],
)
def test_a_score_is_read_as_models_write_it(written: object, score: float) -> None:
    assert parse_score(written) == score


@pytest.mark.parametrize(
    "written",
    [
        *("", "high", "85%", "0,85", "1.5", "2", "-0.1", "-0", "0.85.", "0.8 (strong)", "1/1"),
        *("nan", "１", "1e-1", "Score: 0.8", None, True, 1.01, -0.1, float("nan"), 10**400, [0.5]),
    ],
)
def test_anything_else_is_no_score(written: object) -> None:
    with pytest.raises(ValueError, match="no number between 0 and 1"):
        parse_score(written)


@pytest.fixture
def asking() -> Iterator[Callable[[Callable[[dict], object]], Asking]]:
    """Return what asks a model that answers by a function of the user's JSON."""
    made: list[Asking] = []

    def make(answer: Callable[[dict], object]) -> Asking:
        def reply(messages: list[ChatMessage]) -> str:
            return json.dumps(answer(json.loads(messages[1].content)))

        made.append(Asking(ScriptedChatModel(reply)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def scored(question: dict, score: object = "1.0") -> dict:
    return {"scores": [{"first": a, "second": b, "score": score} for a, b in question["pairs"]]}


def test_every_pair_gets_its_score(asking) -> None:  # type: ignore[no-untyped-def]
    written = iter(["1.0", "1", 0.85] * 5)

    def answer(question: dict) -> dict:
        return {
            "scores": [
                {"first": a, "second": b, "score": next(written)} for a, b in question["pairs"]
            ]
        }

    scores = ModelAssociation(asking(answer)).scores(DOCUMENT)
    assert list(scores) == PAIRS
    assert list(scores.values()) == [1.0, 1.0, 0.85] * 5


@pytest.mark.parametrize(
    "answer",
    [
        lambda question: scored(question, "strong"),
        lambda question: scored(question, 1.5),
        lambda question: {"scores": scored(question)["scores"][1:]},
        lambda question: {"scores": scored(question)["scores"][::-1]},
        lambda question: {"scores": [*scored(question)["scores"], *scored(question)["scores"]]},
        lambda question: {},
    ],
)
def test_a_score_that_is_missing_or_unreadable_is_an_error_with_the_id(asking, answer) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SynthesisError, match="document `doc-0`: an association has no readable"):
        ModelAssociation(asking(answer)).scores(DOCUMENT)


def test_a_bad_score_is_asked_for_once_more(asking) -> None:  # type: ignore[no-untyped-def]
    seen: set[str] = set()

    def answer(question: dict) -> dict:
        first_time = str(question["pairs"]) not in seen
        seen.add(str(question["pairs"]))
        return scored(question, "strong" if first_time else "1")

    assert set(ModelAssociation(asking(answer)).scores(DOCUMENT).values()) == {1.0}


def written(asking: Asking, tokens: int = 400) -> DocumentSynthesis:
    cipher = SivCipher(Keyset.generate(), "invented")
    synthesizer = Synthesizer(READER, cipher, Choices(tokens=tokens), writer=ModelWriter(asking))
    return synthesizer.synthesize(documents()[0])


def competent(question: dict) -> dict:
    first, *others = question["entities"]
    text = f"On {question['aspect']}: {first} belongs with {', '.join(others)}."
    return {"text": text, "question": f"Who is {first}?", "answer": text}


def test_a_model_writes_samples_and_reads_no_value(asking) -> None:  # type: ignore[no-untyped-def]
    made = asking(competent)
    samples = written(made).samples
    assert {sample.kind for sample in samples} == set(Kind)
    assert {sample.writer for sample in samples} == {"model:scripted"}
    read = " ".join(m.content for messages in made.model.asked for m in messages)
    assert not any(value in read for value in VALUES)
    assert "[PERSON_1]" in read


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda q: {"text": " "}, NO_DRAFT),
        (lambda q: {"text": "I'm sorry, I cannot help with [PERSON_1]."}, "declines the task"),
        (lambda q: {"text": "Someone was born somewhere else."}, "does not name the entities"),
        (lambda q: {"text": f"{q['entities']} own 17 mills."}, "a number that the document"),
        (lambda q: {"text": f"{q['entities']} met [PERSON_9]."}, "an entity that the document"),
    ],
)
def test_bad_drafts_are_refused_and_counted(asking, answer, reason: str) -> None:  # type: ignore[no-untyped-def]
    result = written(asking(lambda q: {"question": "What?", **answer(q), "answer": "No."}))
    assert result.samples == []
    assert any(reason in refusal for refusal in result.refusals)


def test_the_prompts_are_packaged() -> None:
    folder = Path(__file__).parents[3] / "training" / "synthesis" / "prompts"
    assert {path.stem for path in folder.glob("*.md")} == {*Kind, "association"}
