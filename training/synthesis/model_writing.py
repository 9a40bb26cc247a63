"""Write samples by a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from sage_rag.agents.chat.structured import (
    NonBlankText,
    StructuredAnswer,
    as_json,
    ask,
    placeholder_complaint,
)
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.privacy.tokens import placeholders_in
from sage_rag.training.synthesis.asking import Asking, prompt, prompts_fingerprint
from sage_rag.training.synthesis.entities import EntityDocument
from sage_rag.training.synthesis.samples import Draft, Kind
from sage_rag.training.synthesis.writing import Request, language_of_templates

VERSION = 1
"""Raised with every change of the questions or of how answers are read."""

_ASPECTS = (
    *("what happens first", "what happens last", "causes and effects", "who does what"),
    *("who depends on whom", "times and their order", "places", "numbers and amounts"),
    *("reasons and purposes", "decisions", "conditions", "differences", "things in common"),
    *("what is certain and what is not", "duties and rights", "the most important point"),
    *("the smallest detail", "what someone else needs to know", "names and roles", "results"),
)
"""So that several passages about one tuple differ."""


class _Passage(StructuredAnswer):
    text: NonBlankText


class _QuestionAnswer(StructuredAnswer):
    question: NonBlankText
    answer: NonBlankText


class ModelWriter:
    """Ask a model for each sample; the questions of one batch are asked at once.

    Guarantees: the model reads placeholders, never a value. An answer without the required form,
    or with a mark that the document lacks, is asked for once more and is then no draft.
    Does not guarantee: true statements. `filtering` refuses the contradictions that rules find.
    """

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    @property
    def fingerprint(self) -> str:
        """Changes with the model's name, the prompts and `VERSION`."""
        return f"model-{VERSION}-{self._asking.model.name}-{prompts_fingerprint(*Kind)}"

    def write(self, document: EntityDocument, requests: Sequence[Request]) -> list[Draft | None]:
        """Return a draft for each request; `None` where the model's answers do not fit, twice.

        Raises:
            UpstreamError: when the model cannot be reached.
            BudgetExceededError: when the next question could exceed the budget.
        """
        return self._asking.all([self._draft(document, request) for request in requests])

    async def _draft(self, document: EntityDocument, request: Request) -> Draft | None:
        aspect = Random(request.seed).choice(_ASPECTS)  # noqa: S311 - not a secret
        asked = {"document": document.text, "entities": list(request.members), "aspect": aspect}
        try:
            text = await self._text(document, request, as_json(asked))
        except AgentOutputError:
            return None
        return Draft(request.members, request.kind, text, f"model:{self._asking.model.name}")

    async def _text(self, document: EntityDocument, request: Request, asked: str) -> str:
        model, system = self._asking.model, prompt(request.kind)
        if request.kind is not Kind.QUESTION:

            def complaint(answer: _Passage) -> str | None:
                return _complaint(document, answer.text)

            passage = await ask(model, system, asked, _Passage, stage=request.kind, check=complaint)
            return passage.text

        def pair_complaint(answer: _QuestionAnswer) -> str | None:
            return _complaint(document, f"{answer.question}\n{answer.answer}")

        pair = await ask(
            model, system, asked, _QuestionAnswer, stage=request.kind, check=pair_complaint
        )
        language = language_of_templates(document.text)
        return language.question_answer.format(question=pair.question, answer=pair.answer)


def _complaint(document: EntityDocument, text: str) -> str | None:
    """Return which marks of an answer the document does not contain."""
    known = placeholders_in(text) & set(document.entities)
    return placeholder_complaint(frozenset(known), text)
