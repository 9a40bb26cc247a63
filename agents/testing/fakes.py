"""Fakes of agents and of chat models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sage_rag.agents.chat.protocols import ChatMessage, Reply
from sage_rag.agents.forms import form_of_fields
from sage_rag.agents.protocols import Attribute, CorpusAttributes, Draft, Extraction, Review, Roles
from sage_rag.privacy.gate.findings import Verdict
from sage_rag.privacy.protect import ProtectedText


class ScriptedChatModel:
    """Answer from a list, or by a function of the messages; remember what was asked."""

    name = "scripted"

    def __init__(self, answers: Sequence[str] | Callable[[list[ChatMessage]], str]) -> None:
        self._answers = answers if callable(answers) else list(answers)
        self.asked: list[list[ChatMessage]] = []

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the next answer."""
        self.asked.append(list(messages))
        answers = self._answers
        return Reply(answers(list(messages)) if callable(answers) else answers.pop(0))


class ReversingAgent:
    """Do every role by reversing the words of each field: no long run survives, placeholders do.

    Each rewrite drops the last word. With `never_safe` the reviewer objects to every draft.
    """

    def __init__(self, *, never_safe: bool = False) -> None:
        self._never_safe = never_safe
        self.extracted = 0
        """The number of records extracted so far."""

    async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
        """Name one attribute per field."""
        names = tuple(samples[0].fields)
        entries = tuple(Attribute(name, name, "all of it") for name in names)
        return CorpusAttributes(entries, form_of_fields(names))

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        """Return each field's words, last first."""
        self.extracted += 1
        return Extraction(
            {a.name: record.fields[a.field].split()[::-1] for a in attributes.entries}
        )

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        """Return the extraction unchanged."""
        return Draft({a.field: " ".join(extraction.phrases[a.name]) for a in attributes.entries})

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Agree, unless `never_safe` is set."""
        return Review(not self._never_safe, ("reword it",) if self._never_safe else ())

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Drop the last word of every field."""
        return Draft({name: text.rpartition(" ")[0] for name, text in draft.fields.items()})


def reversing_roles(*, never_safe: bool = False) -> Roles:
    """Return roles that reverse words."""
    agent = ReversingAgent(never_safe=never_safe)
    return Roles(agent, agent, agent, agent, agent, f"reversing/{never_safe}")
