"""Let a model write the passages of a consensus again, held to the same support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.model.consensus import ConsensusWriter, SharedStatement
from sage_rag.indexer.concurrency import each
from sage_rag.indexer.consensus.compose import Consensus, ConsensusPassage, ConsensusRecord
from sage_rag.privacy.gate.labels import labelled_statements
from sage_rag.privacy.gate.support import SupportGate, content_stems


async def written_by_model(
    consensus: Consensus,
    records: Sequence[ConsensusRecord],
    gate: SupportGate,
    writer: ConsensusWriter,
    *,
    at_once: int,
) -> Consensus:
    """Return the same passages in the model's words, `at_once` calls at a time.

    `records`: those of the consensus, in the same order; `gate`: counts their subjects. A field of
    which the model's text has no supported sentence keeps the text of the rules; so does a passage
    that the gate refuses.

    Raises:
        UpstreamError: when the model cannot be reached.
    """
    passages = list(consensus.passages)

    async def work(row: int) -> None:
        members = passages[row].members
        subjects = frozenset(records[member].subject for member in members)
        passages[row] = await _written(passages[row], gate, subjects, writer)

    await each(range(len(passages)), work, at_once)
    return replace(consensus, passages=tuple(passages))


async def _written(
    passage: ConsensusPassage, gate: SupportGate, subjects: frozenset[str], writer: ConsensusWriter
) -> ConsensusPassage:
    topic = {name: _shared(text, gate, subjects) for name, text in passage.fields.items()}
    try:
        fields = {**passage.fields, **await writer.write(topic, gate, subjects)}
    except AgentOutputError:
        return passage
    return passage if gate.judge(fields, subjects) else replace(passage, fields=fields)


def _shared(text: str, gate: SupportGate, subjects: frozenset[str]) -> list[SharedStatement]:
    """Return the statements of a field with the number of their subjects."""
    found = [statement.text for statement in labelled_statements(text)]
    return [SharedStatement(s, gate.support(content_stems(s), subjects)) for s in found]
