"""Measure what each saving of model calls saves and costs, with a scripted model.

The model fills every role from the prompt alone and fails at fixed rates (`FAULTS`), so that
reviewer and rewriter have work. It is not a language model: calls and tokens are those of our
prompts, and `FAULTS` decides how often a draft fails.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.costs import CallCosts, Price
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.adversary import ModelAdversary
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.refinement import ALL_SAVINGS, CallSavings, RefinementOptions
from sage_rag.agents.testing.fakes import ScriptedChatModel
from sage_rag.agents.testing.faults import REPLIES, Call
from sage_rag.agents.testing.model import answer_to, role_of
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.sage.measurer import Measurer
from sage_rag.eval.studies.sage.results import CallCost
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.indexer.recipes import recipe_called

PRICE = Price(0.15, 0.60)
"""Dollars for a million tokens of prompt and answer: the order of a small hosted model."""
FAULTS: Mapping[str, tuple[str, int]] = {
    "synthesize": ("copies", 4),
    "generate": ("copies", 4),
    "review": ("never-safe", 4),
    "rewrite": ("copies", 8),
}
"""The fault of each role, once in `n` different questions: drafts that copy the record, reviews
that object without reason, rewriters that change nothing."""
SCRIPTED_SAGE = recipe_called("sage", limits={"unverified_words": None})
"""Recipe `sage` for scripted drafts, which mix the words of several sentences."""


@dataclass(frozen=True)
class SavingsChoice:
    """One choice of savings. `joined`: one call extracts and writes."""

    name: str
    savings: CallSavings = ALL_SAVINGS
    joined: bool = True
    adversary: bool = False


SAVINGS = (
    SavingsChoice("all savings"),
    SavingsChoice("extract and write in two calls", joined=False),
    SavingsChoice("reviewer before the gate", CallSavings(gate_first=False)),
    SavingsChoice("go on without progress", CallSavings(stop_without_progress=False)),
    SavingsChoice("none of these three", CallSavings(False, True, False), joined=False),
    SavingsChoice("all savings, with an adversary", adversary=True),
    SavingsChoice("adversary reads every draft", CallSavings(infer_last=False), adversary=True),
)


def measure_calls(
    home: StudyHome, corpus: Corpus, savings: Sequence[SavingsChoice] = SAVINGS
) -> list[CallCost]:
    """Index the corpus once for each choice of savings."""
    measurer = Measurer(home, corpus)
    return [_measure(home, measurer, saving) for saving in savings]


def _measure(home: StudyHome, measurer: Measurer, saving: SavingsChoice) -> CallCost:
    """Run with an empty ledger: a stored record would cost no call."""
    model = ModelCalls(ScriptedChatModel(faulty_reply), costs=CallCosts(PRICE))
    adversary = ModelAdversary(model) if saving.adversary else None
    corpus = measurer.corpus
    job = replace(
        home.job(corpus, Variant(SCRIPTED_SAGE)),
        name=f"{corpus.name}-calls",
        roles=model_roles(model, joined=saving.joined),
        refinement=RefinementOptions(savings=saving.savings, adversary=adversary),
        costs=model.costs,
    )
    with TemporaryDirectory(dir=home.home) as folder:
        indexed = home.run(replace(job, home=Path(folder)), saving.name)
        repeated, _ = measurer.leaked_originals(indexed.texts)
    kept = model.costs.snapshot()
    documents = indexed.summary.documents
    stages = {name: stage for name, stage in kept["stages"].items() if name != "identify"}

    def mean(figure: str, digits: int) -> float:
        total: float = sum(stage[figure] for stage in stages.values())
        return round(total / documents, digits)

    return CallCost(
        name=saving.name,
        documents=documents,
        published=indexed.summary.published,
        calls_mean=mean("calls", 2),
        calls_median=kept["per_record"]["calls"],
        tokens_mean=mean("prompt_tokens", 0) + mean("completion_tokens", 0),
        money_mean=mean("money", 6),
        stages={name: round(stage["calls"] / documents, 2) for name, stage in stages.items()},
        repeated=repeated,
    )


def faulty_reply(messages: Sequence[ChatMessage]) -> str:
    """Answer correctly for the role, or with its fault, by the digest of the question."""
    system, user = messages[0].content, messages[1].content
    role, answer = role_of(system), answer_to(system, user)
    wrong, once_in = FAULTS.get(role, ("", 0))
    if not wrong or zlib.crc32(user.encode()) % once_in:
        return json.dumps(answer, ensure_ascii=False)
    return REPLIES[wrong](Call(role, system, user, answer))
