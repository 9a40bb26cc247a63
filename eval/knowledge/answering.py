"""Answers of a model to multiple-choice questions, by likelihood and by generation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sage_rag.eval.knowledge.questions import Question


class LanguageModel(Protocol):
    """A model that scores and writes continuations."""

    def log_likelihoods(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return log p(continuation | prompt) of each pair, in nats, summed over tokens: (n,)."""
        ...

    def token_count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        ...

    def generate(
        self, prompts: Sequence[str], samples: int, max_tokens: int, seed: int
    ) -> list[list[str]]:
        """Return `samples` continuations of each prompt, drawn at temperature 1."""
        ...


_FEWEST_TOKENS = 48
_TOKENS_AROUND = 16
"""Tokens of an output beyond those of the option that it names."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The chosen option of each question, `None` where it is not answered, and what was written.

    `outputs`: the generated texts of each question; empty by likelihood.
    """

    chosen: list[int | None]
    outputs: list[list[str]]

    def right(self, questions: Sequence[Question]) -> list[bool]:
        """Return whether each question is answered correctly; no answer is a wrong one."""
        return [found == q.right for found, q in zip(self.chosen, questions, strict=True)]


def by_likelihood(model: LanguageModel, questions: Sequence[Question]) -> Answers:
    """Choose the option with the highest likelihood, multiplied over the forms of the question.

    The likelihood is that of the whole answer with its final full stop, so that a short option has
    no advantage over a longer one that begins alike. An exact tie is not an answer.
    """
    pairs = [(p, f" {option}.") for q in questions for p in q.prompts for option in q.options]
    scores = iter(model.log_likelihoods(pairs))
    chosen: list[int | None] = []
    for question in questions:
        grid = np.array([[next(scores) for _ in question.options] for _ in question.prompts])
        totals = grid.sum(axis=0)
        best = np.flatnonzero(totals == totals.max())
        chosen.append(int(best[0]) if len(best) == 1 else None)
    return Answers(chosen, [[] for _ in questions])


def by_generation(
    model: LanguageModel,
    questions: Sequence[Question],
    *,
    samples: int = 3,
    max_tokens: int | None = None,
    seed: int = 0,
) -> Answers:
    """Let the model write, and choose the option that most of its outputs name.

    `max_tokens`: length of an output; default: the longest option and 16 tokens, at least 48.

    Each form of a question is answered `samples` times. An output that names no option, or several,
    has no vote; where no option has the most votes, the question is not answered.
    """
    prompts = [prompt for question in questions for prompt in question.prompts]
    length = max_tokens or _answer_tokens(model, questions)
    written = iter(model.generate(prompts, samples, length, seed))
    outputs = [[text for _ in q.prompts for text in next(written)] for q in questions]
    votes = [
        majority([named_option(text, question.options) for text in texts])
        for question, texts in zip(questions, outputs, strict=True)
    ]
    return Answers(votes, outputs)


def _answer_tokens(model: LanguageModel, questions: Sequence[Question]) -> int:
    """Return a length in which every option fits; a ciphertext takes 60 tokens or more."""
    options = {option for question in questions for option in question.options}
    longest = max(model.token_count(f" {option}.") for option in options)
    return max(_FEWEST_TOKENS, longest + _TOKENS_AROUND)


def named_option(text: str, options: Sequence[str]) -> int | None:
    """Return the index of the only option that the first line of a text names."""
    line = text.strip().partition("\n")[0].partition("Question:")[0]
    found = [i for i, option in enumerate(options) if _names(line, option)]
    return found[0] if len(found) == 1 else None


def _names(line: str, option: str) -> bool:
    """Return whether the option occurs in the line and no word continues it."""
    return re.search(rf"(?<!\w){re.escape(option)}(?!\w)", line) is not None


def majority(votes: Sequence[int | None]) -> int | None:
    """Return the option with the most votes; `None` for a tie, or where there is no vote."""
    counts = Counter(vote for vote in votes if vote is not None).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]
