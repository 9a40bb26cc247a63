"""The writer of a consensus over a model: a passage per topic from statements of several subjects.

The model is not trusted. Of its text only sentences are kept that the gate of support accepts, that
follow the ones before without a run of words of few subjects, and that say what a statement says.

Source: none; SAGE (arXiv 2406.14773) rewrites single records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sage_rag.agents.chat.protocols import ChatModel
from sage_rag.agents.chat.structured import (
    StructuredAnswer,
    as_json,
    ask,
    record_model,
    shape_of,
    values_of,
)
from sage_rag.agents.prompts import prompt, prompts_fingerprint
from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.labels import LABELS, OFTEN, OFTEN_SHARE
from sage_rag.privacy.gate.meaning import meaning_changes
from sage_rag.privacy.gate.support import (
    SupportGate,
    content_stems,
    split_parts,
    split_statements,
)
from sage_rag.privacy.tokens import LOOK_ALIKE

VERSION = 1
"""Raised with every change of how passages are asked for, read or checked."""

STAGE = "consensus"


@dataclass(frozen=True, slots=True)
class SharedStatement:
    """A statement of a topic. `subjects`: how many of the topic's subjects support it."""

    text: str
    subjects: int


Topic = Mapping[str, Sequence[SharedStatement]]
"""The statements of a topic, by field."""


class ConsensusWriter:
    """Write passages of a consensus by one `ChatModel`; calls are independent of each other.

    Guarantees: every sentence of a result passes the gate of support for the topic's subjects, and
    so does the whole; the model reads supported statements alone, never a record.
    Does not guarantee: a whole field. Where the model's sentences are dropped, the field is shorter
    or absent.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def fingerprint(self) -> str:
        """Changes with everything that a passage depends on, except the statements."""
        return f"model/{self._model.name}/{prompts_fingerprint(STAGE)}/{VERSION}"

    async def write(
        self, topic: Topic, gate: SupportGate, subjects: frozenset[str]
    ) -> dict[str, str]:
        """Return the text of each field, one sentence a line; no field without a sentence.

        `subjects`: those of the topic.

        Raises:
            AgentOutputError: when no answer of the model fits.
            UpstreamError: when the model cannot be reached.
        """
        fields = tuple(topic)

        def check(answer: StructuredAnswer) -> str | None:
            lacking = set(fields) - set(supported_fields(values_of(answer), topic, gate, subjects))
            if not lacking:
                return None
            return f"no sentence of {min(lacking)} keeps to the words of its statements"

        answer = await ask(
            self._model,
            prompt(STAGE).substitute(fields=", ".join(fields), shape=shape_of(fields)),
            as_json({name: [_shown(s) for s in topic[name]] for name in fields}),
            record_model(fields),
            stage=STAGE,
            check=check,
        )
        return supported_fields(values_of(answer), topic, gate, subjects)


def supported_fields(
    written: Mapping[str, str], topic: Topic, gate: SupportGate, subjects: frozenset[str]
) -> dict[str, str]:
    """Return the sentences of a text that may be published, one a line, by field.

    A sentence stays if every statement in it has the support of k of the topic's subjects, if each
    may follow the words before it, and if it changes the meaning of no statement of its field. What
    half of the subjects support gets the label `Often`, whatever the text says.
    """
    before: list[str] = []
    fields: dict[str, str] = {}
    for name, text in written.items():
        source = {name: "\n".join(f"{s.text.rstrip('.')}." for s in topic[name])}
        lines = []
        for start, end in sentence_spans(text):
            sentence = text[start:end].strip().removeprefix(f"{OFTEN}:").strip()
            if not _is_supported(sentence, gate, subjects):
                continue
            if _changes_meaning(sentence, name, source):
                continue
            for line in _labelled(sentence, gate, subjects):
                following = _following(line, before, gate)
                if following is not None:
                    before = following
                    lines.append(line)
                    break
        if lines:
            fields[name] = "\n".join(lines)
    return fields


def _is_supported(sentence: str, gate: SupportGate, subjects: frozenset[str]) -> bool:
    statements = split_statements(sentence)
    if not statements or LOOK_ALIKE.search(sentence) or sentence.startswith(tuple(LABELS)):
        return False
    return all(gate.supports(statement, subjects) for statement in statements)


def _following(line: str, before: Sequence[str], gate: SupportGate) -> list[str] | None:
    """Return the words up to the end of a line; `None` if it may not follow those before."""
    words = [*before]
    for part in split_parts(line):
        if not gate.joins(words, part):
            return None
        words += draft_tokens(part)
    return words


def _changes_meaning(sentence: str, name: str, source: Mapping[str, str]) -> bool:
    found = meaning_changes(source, {name: sentence})
    return any(finding.kind is FindingKind.MEANING_CHANGED for finding in found)


def _labelled(sentence: str, gate: SupportGate, subjects: frozenset[str]) -> list[str]:
    """Return the sentence with a label, if half of the subjects support it, and without one."""
    share = gate.support(content_stems(sentence), subjects) / len(subjects)
    ended = sentence if sentence[-1] in ".!?" else f"{sentence}."
    return [f"{OFTEN}: {ended}", ended] if share >= OFTEN_SHARE else [ended]


def _shown(statement: SharedStatement) -> dict[str, object]:
    return {"statement": statement.text, "subjects": statement.subjects}
