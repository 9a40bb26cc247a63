"""A model writes the passages of a consensus; what it may say does not change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.consensus import ConsensusWriter
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.agents.testing.model import answer_to
from sage_rag.indexer.consensus.compose import Consensus, ConsensusPassage, ConsensusRecord
from sage_rag.indexer.consensus.model_writing import written_by_model
from sage_rag.privacy.gate.labels import OFTEN
from sage_rag.privacy.gate.support import SupportCounts, SupportGate

K = 3
COUGH, WATER = "I have had a dry cough at night", "Drink plenty of warm water"
RECORDS = [
    ConsensusRecord(f"s{n}", {"question": f"{COUGH}, and a parrot {n}.", "answer": f"{WATER}."})
    for n in range(6)
]
FIELDS = {"question": f"{OFTEN}: {COUGH}.", "answer": f"{OFTEN}: {WATER}."}
GATE = SupportGate(SupportCounts((r.subject, r.fields.values()) for r in RECORDS), K)
CONSENSUS = Consensus((ConsensusPassage(FIELDS, tuple(range(6)), 6),), {"empty": 1}, 6, 6)


def written(answer: Callable[[list[ChatMessage]], str]) -> Consensus:
    writer = ConsensusWriter(ScriptedChatModel(answer))
    return asyncio.run(written_by_model(CONSENSUS, RECORDS, GATE, writer, at_once=2))


def faithful(messages: Sequence[ChatMessage]) -> str:
    return json.dumps(answer_to(messages[0].content, messages[1].content))


def test_a_passage_in_the_models_words_passes_the_gate() -> None:
    found = written(faithful)
    assert [p.fields.keys() for p in found.passages] == [FIELDS.keys()]
    assert GATE.judge(found.passages[0].fields, frozenset(r.subject for r in RECORDS)) == []
    assert found.passages[0].members == tuple(range(6))
    assert (found.refused, found.represented) == ({"empty": 1}, 6)


def test_the_model_reads_statements_without_labels_and_with_their_subjects() -> None:
    asked: list[str] = []

    def answer(messages: Sequence[ChatMessage]) -> str:
        asked.append(messages[1].content)
        return faithful(messages)

    written(answer)
    assert json.loads(asked[0])["answer"] == [{"statement": WATER, "subjects": 6}]


def test_a_field_keeps_the_text_of_the_rules_where_the_model_invents() -> None:
    reply = json.dumps({"question": "My parrot 2 sings.", "answer": f"{WATER}, {COUGH.lower()}."})
    fields = written(lambda _: reply).passages[0].fields
    assert fields["question"] == FIELDS["question"]
    assert "parrot" not in "\n".join(fields.values())


@pytest.mark.parametrize("reply", ["no JSON", "{}", '{"question": "a"}'])
def test_an_answer_that_does_not_fit_changes_no_passage(reply: str) -> None:
    assert written(lambda _: reply) == CONSENSUS
