"""The writer of a consensus: what the model is shown, and which of its sentences are kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.model.consensus import ConsensusWriter, SharedStatement, supported_fields
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.agents.testing.model import answer_to
from sage_rag.privacy.gate.labels import OFTEN
from sage_rag.privacy.gate.support import SupportCounts, SupportGate

K = 3  # four words in a row need twice as many subjects
COMMON = (
    "I have had a dry cough at night",
    "You should not take aspirin with blood thinners",
    "Drink plenty of warm water",
)
RARE = "My parrot Bismarck sings at dawn"
RECORDS = [
    (f"subject {number}", [f"{COMMON[0]}.", f"{COMMON[1]}. {COMMON[2]}. Detail {number} follows."])
    for number in range(6)
] + [("subject 6", [f"{COMMON[0]}. {RARE}.", f"{COMMON[2]}."])]
GATE = SupportGate(SupportCounts(RECORDS), K)
SUBJECTS = frozenset(subject for subject, _ in RECORDS)
TOPIC = {
    "question": [SharedStatement(COMMON[0], 7)],
    "answer": [SharedStatement(COMMON[1], 6), SharedStatement(COMMON[2], 7)],
}
GOOD = {"question": f"{COMMON[0]}.", "answer": f"{COMMON[1]}. {COMMON[2]}."}


def faithful(messages: Sequence[ChatMessage]) -> str:
    return json.dumps(answer_to(messages[0].content, messages[1].content))


def written(*replies: dict[str, str]) -> tuple[dict[str, str], ScriptedChatModel]:
    model = ScriptedChatModel([json.dumps(reply) for reply in replies])
    return asyncio.run(ConsensusWriter(model).write(TOPIC, GATE, SUBJECTS)), model


def kept(answer: str) -> list[str]:
    fields = supported_fields({**GOOD, "answer": answer}, TOPIC, GATE, SUBJECTS)
    return [line.removeprefix(f"{OFTEN}: ") for line in fields.get("answer", "").splitlines()]


def test_a_passage_of_the_statements_is_published_a_sentence_a_line() -> None:
    fields, model = written(GOOD)
    assert fields == {
        "question": f"{OFTEN}: {COMMON[0]}.",
        "answer": f"{OFTEN}: {COMMON[1]}.\n{OFTEN}: {COMMON[2]}.",
    }
    assert len(model.asked) == 1
    assert GATE.judge(fields, SUBJECTS) == []


def test_the_model_reads_the_statements_with_their_counts_and_no_record() -> None:
    _, model = written(GOOD)
    system, user = model.asked[0]
    assert "question, answer" in system.content
    assert json.loads(user.content) == {
        name: [{"statement": s.text, "subjects": s.subjects} for s in found]
        for name, found in TOPIC.items()
    }
    assert "Detail" not in user.content


def test_the_fake_model_of_all_roles_writes_what_the_gate_accepts() -> None:
    model = ScriptedChatModel(faithful)
    fields = asyncio.run(ConsensusWriter(model).write(TOPIC, GATE, SUBJECTS))
    assert set(fields) == set(TOPIC)
    assert GATE.judge(fields, SUBJECTS) == []


@pytest.mark.parametrize(
    "sentence",
    [
        f"{RARE}.",
        "Drink plenty of cold beer.",
        "Drink 17 litres of warm water.",
        "Maria Keller should drink warm water.",
        "Drink plenty of warm water with [PERSON_1].",
        "Detail 2 follows.",
        "...",
    ],
    ids=["one subject", "invented", "number", "name", "placeholder", "one record", "no word"],
)
def test_an_unsupported_sentence_is_dropped_and_the_others_stay(sentence: str) -> None:
    assert kept(f"{COMMON[1]}. {sentence} {COMMON[2]}.") == [f"{COMMON[1]}.", f"{COMMON[2]}."]


def test_a_sentence_that_loses_a_negation_is_dropped_though_it_is_supported() -> None:
    sentence = "Take aspirin with blood thinners."
    records = [*RECORDS, *((subject, [sentence]) for subject in SUBJECTS)]
    gate = SupportGate(SupportCounts(records), K)
    assert gate.supports(sentence, SUBJECTS)
    assert supported_fields({"answer": sentence}, TOPIC, gate, SUBJECTS) == {}


def test_the_label_of_frequency_is_counted_and_never_the_models() -> None:
    subjects = frozenset([*SUBJECTS, *(f"other {n}" for n in range(6))])
    counts = SupportCounts([*RECORDS, *((s, ["A swollen knee."]) for s in subjects - SUBJECTS)])
    topic = {"answer": TOPIC["answer"]}
    text = f"{OFTEN}: {COMMON[1]}. {COMMON[2]}."
    fields = supported_fields({"answer": text}, topic, SupportGate(counts, K), subjects)
    assert fields == {"answer": f"{COMMON[1]}.\n{OFTEN}: {COMMON[2]}."}  # 6 and 7 of 13


def test_a_field_without_a_supported_sentence_is_asked_for_once_more() -> None:
    bad = {**GOOD, "answer": f"{RARE}."}
    fields, model = written(bad, GOOD)
    assert set(fields) == {"question", "answer"}
    complaint = model.asked[1][-1].content
    assert "answer" in complaint
    assert "Bismarck" not in complaint


def test_a_field_that_fails_twice_is_absent() -> None:
    bad = {**GOOD, "answer": f"{RARE}."}
    fields, model = written(bad, bad)
    assert set(fields) == {"question"}
    assert len(model.asked) == 2


@pytest.mark.parametrize("reply", ["no JSON", '{"question": "a"}', '{"question": 1, "answer": []}'])
def test_an_answer_of_another_shape_is_an_error(reply: str) -> None:
    model = ScriptedChatModel([reply, reply])
    with pytest.raises(AgentOutputError):
        asyncio.run(ConsensusWriter(model).write(TOPIC, GATE, SUBJECTS))


def test_fields_that_are_not_of_the_topic_are_ignored() -> None:
    fields, _ = written({**GOOD, "note": f"{RARE}."})
    assert set(fields) == {"question", "answer"}


def test_the_fingerprint_changes_with_the_model() -> None:
    one, two = ScriptedChatModel([]), ScriptedChatModel([])
    two.name = "other"
    assert ConsensusWriter(one).fingerprint != ConsensusWriter(two).fingerprint


PARTS = [*COMMON, RARE, "Detail 2 follows", "Drink", "plenty of warm", "[PERSON_1]", OFTEN, "not"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=6).flatmap(
    lambda parts: st.sampled_from([" ", ". ", ", ", "\n", ": "]).map(lambda gap: gap.join(parts))
)


@settings(deadline=None, max_examples=200)
@given(TEXTS, TEXTS)
def test_whatever_the_model_writes_the_result_passes_the_gate(question: str, answer: str) -> None:
    fields = supported_fields({"question": question, "answer": answer}, TOPIC, GATE, SUBJECTS)
    assert GATE.judge(fields, SUBJECTS) == []
    shown = "\n".join(fields.values())
    assert not any(part in shown for part in ("Bismarck", "Detail", "[PERSON_1]"))
