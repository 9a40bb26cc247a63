"""What each saving of model calls saves and costs, with a scripted model in the place of one.

The model of `agents.testing.model` does every role from the prompt alone and is made to fail
now and then, so that reviewer and rewriter have something to do. It is no language model: calls and
tokens are those of our prompts, and how often a draft fails is what `CARELESS` says.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sage_rag.agents.chat.accounting import Accounts, Price
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.adversary import ModelAdversary
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.refinement import ALL_SAVINGS, CallSavings, RefinementOptions
from sage_rag.agents.testing.fakes import ScriptedChatModel
from sage_rag.agents.testing.faults import REPLIES, Call
from sage_rag.agents.testing.model import answer_to, role_of
from sage_rag.eval.studies.bench import StudyHome, Variant
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.measuring import Measurer
from sage_rag.eval.studies.results import Calls
from sage_rag.indexer.recipes import RECIPES

PRICE = Price(0.15, 0.60)
"""Dollars for a million tokens, prompt and answer: the order of a small hosted model's."""
CARELESS: Mapping[str, tuple[str, int]] = {
    "synthesize": ("copies", 4),
    "generate": ("copies", 4),
    "review": ("never-safe", 4),
    "rewrite": ("copies", 8),
}
"""What goes wrong at a role, once in so many different questions: drafts that copy the record,
reviews that object without reason, rewriters that change nothing."""


@dataclass(frozen=True)
class Saving:
    """One choice of savings. `joined`: one call extracts and writes."""

    name: str
    savings: CallSavings = ALL_SAVINGS
    joined: bool = True
    adversary: bool = False


SAVINGS = (
    Saving("all savings"),
    Saving("extract and write in two calls", joined=False),
    Saving("reviewer before the gate", CallSavings(gate_first=False)),
    Saving("go on without progress", CallSavings(stop_without_progress=False)),
    Saving("none of these three", CallSavings(False, True, False), joined=False),
    Saving("all savings, with an adversary", adversary=True),
    Saving("adversary reads every draft", CallSavings(infer_last=False), adversary=True),
)


def measure_calls(
    bench: StudyHome, corpus: Corpus, savings: Sequence[Saving] = SAVINGS
) -> list[Calls]:
    """Index the corpus once for each choice of savings."""
    measurer = Measurer(bench, corpus)
    return [_measure(bench, measurer, saving) for saving in savings]


def _measure(bench: StudyHome, measurer: Measurer, saving: Saving) -> Calls:
    """Run from nothing: a record that a ledger holds would cost no call."""
    model = ModelCalls(ScriptedChatModel(careless), accounts=Accounts(PRICE))
    adversary = ModelAdversary(model) if saving.adversary else None
    corpus = measurer.corpus
    job = replace(
        bench.job(corpus, Variant(RECIPES["sage"])),
        name=f"{corpus.name}-calls",
        roles=model_roles(model, joined=saving.joined),
        refinement=RefinementOptions(savings=saving.savings, adversary=adversary),
        accounts=model.accounts,
    )
    with TemporaryDirectory(dir=bench.home) as home:
        indexed = bench.run(replace(job, home=Path(home)), saving.name)
        repeated, _ = measurer.shown(indexed.texts)
    kept = model.accounts.snapshot()
    documents = indexed.summary.documents
    stages = {name: stage for name, stage in kept["stages"].items() if name != "identify"}

    def mean(figure: str, digits: int) -> float:
        total: float = sum(stage[figure] for stage in stages.values())
        return round(total / documents, digits)

    return Calls(
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


def careless(messages: Sequence[ChatMessage]) -> str:
    """Answer as the role demands, or wrongly where the question's digest says so."""
    system, user = messages[0].content, messages[1].content
    role, answer = role_of(system), answer_to(system, user)
    wrong, once_in = CARELESS.get(role, ("", 0))
    if not wrong or zlib.crc32(user.encode()) % once_in:
        return json.dumps(answer, ensure_ascii=False)
    return REPLIES[wrong](Call(role, system, user, answer))
