"""The association of two entities in a document, by a chat model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated

from pydantic import BeforeValidator

from sage_rag.agents.chat.structured import StructuredAnswer, as_json, ask
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.training.synthesis.asking import Asking, prompt, prompts_fingerprint
from sage_rag.training.synthesis.entities import EntityDocument
from sage_rag.training.synthesis.graph import Pair, Scores
from sage_rag.training.synthesis.samples import SynthesisError

VERSION = 1
"""Raised with every change of the question or of how answers are read."""

PAIRS_PER_QUESTION = 10
"""Pairs whose criteria and scores fit in an answer of about 1,000 tokens."""

_SCORE = re.compile(r"(?:0?\.[0-9]+|0(?:\.0+)?|1(?:\.0+)?|1\.|0\.)")


def parse_score(written: object) -> float:
    """Return a score as a model writes it: `0.85`, `1`, `"1.0"`, `"1"`, `".85"`.

    Strict: it is a number in [0, 1] and nothing else, so `"85 %"`, `"0,85"`, `"high"`, `"-0"` and
    `"0.85 (strong)"` are refused.

    Raises:
        ValueError: for anything else; the message quotes nothing.
    """
    if isinstance(written, str):
        text = written.strip()
        if _SCORE.fullmatch(text) is None:
            raise ValueError("no number between 0 and 1")
        return float(text)
    if isinstance(written, bool) or not isinstance(written, int | float):
        raise ValueError("no number between 0 and 1")
    if not 0 <= written <= 1:
        raise ValueError("no number between 0 and 1")
    return float(written)


class _PairScore(StructuredAnswer):
    first: str
    second: str
    causality: str = ""
    dependence: str = ""
    indirect: str = ""
    score: Annotated[float, BeforeValidator(parse_score)]


class _Scores(StructuredAnswer):
    scores: tuple[_PairScore, ...]


class ModelAssociation:
    """Ask a model for the association of every pair of entities.

    Guarantees: the model reads placeholders, never a value. Every pair has a score; a score that
    cannot be read, or is missing, is asked for once more and is then an error.
    Does not guarantee: that two models agree. The number of questions grows with the square of the
    number of entities.

    Source: Liu et al. (2025), SoE, §3.3, Appendix C. Differs: the score is a field of JSON, and
    several pairs share a question.
    """

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    @property
    def fingerprint(self) -> str:
        """Changes with the model's name, the prompt and `VERSION`."""
        return f"model-{VERSION}-{self._asking.model.name}-{prompts_fingerprint('association')}"

    def scores(self, document: EntityDocument) -> Scores:
        """Return the score of every pair, in the order of the entities.

        Raises:
            SynthesisError: when a score cannot be read, twice; it names the document's id.
            UpstreamError: when the model cannot be reached.
        """
        pairs = list(combinations(document.mentions, 2))
        parts = [
            pairs[start : start + PAIRS_PER_QUESTION]
            for start in range(0, len(pairs), PAIRS_PER_QUESTION)
        ]
        try:
            found = self._asking.all([self._asked(document, part) for part in parts])
        except AgentOutputError as error:
            raise SynthesisError(
                f"document `{document.id}`: an association has no readable score: {error.message}"
            ) from None
        return {pair: score for scores in found for pair, score in scores.items()}

    async def _asked(self, document: EntityDocument, pairs: Sequence[Pair]) -> dict[Pair, float]:
        def check(answer: _Scores) -> str | None:
            named = [(pair.first, pair.second) for pair in answer.scores]
            return None if named == list(pairs) else "it does not score each pair once, in order"

        answer = await ask(
            self._asking.model,
            prompt("association"),
            as_json({"document": document.text, "pairs": [list(pair) for pair in pairs]}),
            _Scores,
            stage="associate",
            check=check,
            strict=True,
        )
        return {(pair.first, pair.second): pair.score for pair in answer.scores}
