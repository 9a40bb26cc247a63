"""Estimate the work and the cost of a run without writing anything or asking a model.

Documents to treat are counted exactly, from the ledger. A sample of them is treated to measure time
and length; the other figures are assumptions, which the estimate states.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sage_rag.agents.attributes import parse_attributes
from sage_rag.agents.chat.protocols import TokenUsage
from sage_rag.agents.prompts import prompt
from sage_rag.agents.samples import SamplePool
from sage_rag.common.counting import counted
from sage_rag.common.proportions import Proportion
from sage_rag.indexer.changes import key_of
from sage_rag.indexer.consensus.protection import protection_fingerprint
from sage_rag.indexer.consensus.survival import Survival, survival, survival_line
from sage_rag.indexer.corpus import Document, read_corpus
from sage_rag.indexer.coverage import refused_languages, uncovered_line
from sage_rag.indexer.job import IndexJob, treatment_of
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.reporting import blank_line
from sage_rag.indexer.sample_work import (
    BYTES_PER_TOKEN,
    SAMPLE,
    SampleWork,
    sample_of,
    sample_work,
)
from sage_rag.indexer.short_records import is_short, short_records_line
from sage_rag.indexer.treatment import is_final
from sage_rag.indexer.versions import corpus_folder

ROUNDS = 1.0
"""Rewrites per record, where the ledger holds no result. The paper's agents needed 2.7 on dialogues
(arXiv 2406.14773, Table 7); ours receive the gate's findings from the first round on."""
_ATTRIBUTES_TOKENS = 200
_VERDICT_TOKENS = 60
_CHEAP = 0.1
"""Share of the run's time up to which an estimate is cheap."""
_CALL_S, _TOKENS_PER_S = 0.5, 50.0
"""Seconds before an answer, and tokens of the answer a second: a mid-size hosted model."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected work of a run. `money` is `None` without a price; `seconds` is wall time,
    with the start of the process and loading the models; `spent_s` is that of the estimate.
    `blank` records have no text and are left out.

    `to_treat` documents need both stages, `to_refine` ones have a stored draft, `finished` ones a
    stored result. `assumed` states the assumptions about the model. `short` documents are hard to
    reword by rules. `languages_refused` counts, by language, those that will be refused for it.
    `survives`: see `consensus.survival`. `safe`: sampled documents whose draft the gate passes, so
    that a run publishes about their share; `None` where a model writes the drafts.
    """

    documents: int
    blank: int
    finished: int
    to_refine: int
    to_treat: int
    sampled: int
    safe: int | None
    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None
    seconds: float
    spent_s: float
    assumed: str
    short: int
    languages_refused: dict[str, int]
    survives: dict[int, Survival]


@dataclass(frozen=True, slots=True)
class _Call:
    """One kind of call.

    Its input beyond the prompt and its answer are in lengths of the record; `extra` tokens are
    added to the answer.
    """

    prompt: str
    input_lengths: float
    answer_lengths: float
    extra: int = 0


_DRAFTING = {
    "sage": _Call("synthesize", 1.0, 1.5),
    "paraphrase": _Call("paraphrase", 1.0, 0.7),
    "checklist": _Call("checklist", 1.0, 1.0),
    "zerogen": _Call("zerogen", 1.0, 0.0, 350),
    "attrprompt": _Call("attrprompt", 0.2, 1.0),
}
_IDENTIFYING = ("sage", "attrprompt")
"""Methods that ask for attributes, once per corpus."""
_REVIEW = _Call("review", 2.0, 0.0, _VERDICT_TOKENS)
_REWRITE = _Call("rewrite", 1.2, 1.0)


def estimate(job: IndexJob, start_s: float = 0.0) -> Estimate:
    """Estimate a run of the job; `start_s`: seconds that the process took to start.

    Raises:
        InputError: for a corpus, a name or a ledger that the run could not use either.
    """
    started = time.monotonic() - start_s
    corpus_folder(job.home, job.name)
    count = _Count(job)
    sample = sample_of(count.sample.items, count.chars, count.unfinished)
    local = sample_work(job, count.treatment, sample) if count.treatment else SampleWork()
    length = sum(local.tokens) / len(local.tokens) if local.tokens else 0.0
    usage, calls = TokenUsage(), 0
    if job.costs is not None and job.recipe.synthesize:
        calls, usage = _model_usage(job, count, length)
    price = job.costs.price if job.costs else None
    waiting = (calls * _CALL_S + usage.completion_tokens / _TOKENS_PER_S) / job.concurrency
    survives = survival(lambda: read_corpus(job.source, job.fields, job.subject))
    working = start_s + local.load_s + local.seconds_per_char * count.chars
    return Estimate(
        documents=count.documents,
        blank=count.blank,
        finished=count.finished,
        to_refine=count.to_refine,
        to_treat=count.to_treat,
        sampled=local.documents,
        safe=local.safe,
        calls=calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        money=round(price.of(usage), 4) if price else None,
        seconds=round(working + waiting, 1),
        spent_s=round(time.monotonic() - started, 1),
        assumed=_assumed(count) if calls else "no model is asked",
        short=count.short,
        languages_refused=refused_languages(count.refusals),
        survives=survives,
    )


def estimate_lines(job: IndexJob, estimated: Estimate) -> Iterator[str]:
    """Yield the estimate as a table for a terminal, and what the owner may want to know before."""
    rows = [
        ("documents", f"{estimated.documents:,}"),
        ("finished before", f"{estimated.finished:,}"),
        ("to refine again", f"{estimated.to_refine:,}"),
        ("to treat", f"{estimated.to_treat:,}"),
        ("model calls", f"{estimated.calls:,}"),
        ("prompt tokens", f"{estimated.prompt_tokens:,}"),
        ("answer tokens", f"{estimated.completion_tokens:,}"),
        ("cost", _cost(estimated)),
        ("time", f"{estimated.seconds:,.0f} s"),
    ]
    yield f"estimated from {counted(estimated.sampled, 'document')}; nothing was written or sent"
    for name, value in rows:
        yield f"  {name:<16}{value:>14}"
    if estimated.blank:
        yield blank_line(estimated.blank)
    yield f"assumed: {estimated.assumed}"
    if estimated.safe is not None:
        yield f"of the sample, the gate passes {Proportion.of(estimated.safe, estimated.sampled)}"
    if estimated.sampled and estimated.spent_s > _CHEAP * estimated.seconds:
        yield (
            f"note: this estimate took {estimated.spent_s:,.0f} s, over a tenth of the run: "
            "a corpus of this size is too small to predict cheaply"
        )
    if estimated.languages_refused:
        yield f"will be refused: {uncovered_line(estimated.languages_refused)}"
    if line := short_records_line(job, estimated.short, estimated.documents):
        yield line
    yield survival_line(estimated.survives)


def _cost(estimated: Estimate) -> str:
    if not estimated.calls:
        return "none"
    return "no price given" if estimated.money is None else f"{estimated.money:,.2f}"


class _Count:
    """Counts documents by their state in the ledger, and samples unfinished ones with a seed."""

    def __init__(self, job: IndexJob) -> None:
        self.documents = self.finished = self.to_refine = self.to_treat = self.short = 0
        self.blank = 0
        self.chars = 0
        """Length of the documents that are not finished."""
        self.refusals: Counter[str] = Counter()
        self.identified = job.attributes is not None or job.recipe.method not in _IDENTIFYING
        self.rounds: float | None = None
        self.sample = SamplePool[Document](most=SAMPLE)
        self.treatment = treatment_of(job)
        self._protected = ""
        """The fingerprint of protected records, for a recipe that reads no other result."""
        if self.treatment and job.keyset and job.recipe.of_subjects:
            self._protected = protection_fingerprint(self.treatment, job.keyset.primary)
        path = job.owner_folder / "ledger.sqlite"
        ledger = Ledger(path, read_only=True) if path.exists() else None
        try:
            self._count(job, ledger)
        finally:
            if ledger:
                ledger.close()

    @property
    def unfinished(self) -> int:
        """Documents for which something remains to do."""
        return self.to_refine + self.to_treat

    def _count(self, job: IndexJob, ledger: Ledger | None) -> None:
        rounds: list[int] = []
        documents = read_corpus(job.source, job.fields, job.subject, on_blank=self._count_blank)
        for document in documents:
            if not self.documents:
                self._take_attributes(job, ledger, list(document.fields))
            self.documents += 1
            self.short += is_short(document)
            if not self._is_done(document, ledger, rounds):
                self.chars += len(document.text)
                self.sample.add(document, document.content_hash)
        self.rounds = sum(rounds) / len(rounds) if rounds else None

    def _count_blank(self) -> None:
        self.blank += 1

    def _take_attributes(self, job: IndexJob, ledger: Ledger | None, fields: Sequence[str]) -> None:
        if self.treatment is None:
            return
        if job.attributes is not None:
            self.treatment = self.treatment.with_attributes(job.attributes)
        elif ledger and (stored := ledger.attributes(self.treatment.drafting)):
            self.treatment = self.treatment.with_attributes(parse_attributes(stored, fields))
            self.identified = True

    def _is_done(self, document: Document, ledger: Ledger | None, rounds: list[int]) -> bool:
        """Count one document; return whether nothing remains to do for it."""
        if self.treatment is None:
            self.finished += 1
            return True
        content = document.content_hash
        if ledger and self._protected and ledger.protection(content, self._protected):
            self.finished += 1
            return True
        decision = ledger.decision(key_of(document).names) if ledger else None
        decided = decision is not None and decision.applies(self.treatment.protection)
        if not decided and (reason := self.treatment.coverage.refusal(document)):
            self.refusals[reason] += 1
            return True
        result = ledger.result(content, self.treatment.fingerprint) if ledger else None
        if decided or (result is not None and is_final(result)):
            self.finished += 1
            rounds += [result.rounds] if result else []
            return True
        drafted = ledger is not None and ledger.draft(content, self.treatment.draft_fingerprint)
        self.to_refine += bool(drafted)
        self.to_treat += not drafted
        return False


def _model_usage(job: IndexJob, count: _Count, length: float) -> tuple[int, TokenUsage]:
    rounds = ROUNDS if count.rounds is None else count.rounds
    plan = [(_DRAFTING[job.recipe.method], float(count.to_treat))]
    if job.recipe.refine:
        refined = count.to_treat + count.to_refine
        plan += [(_REVIEW, refined * 1.0), (_REWRITE, refined * rounds)]
    calls = sum(round(times) for _, times in plan)
    read = sum(times * (_fixed(call) + call.input_lengths * length) for call, times in plan)
    answered = sum(times * (call.answer_lengths * length + call.extra) for call, times in plan)
    if not count.identified and (count.to_treat or count.to_refine):
        calls, read, answered = calls + 1, read + 5 * length, answered + _ATTRIBUTES_TOKENS
    return calls, TokenUsage(round(read), round(answered))


def _fixed(call: _Call) -> float:
    """Return the tokens of the call's prompt and of the attributes in it."""
    return len(prompt(call.prompt).template.encode()) / BYTES_PER_TOKEN + _ATTRIBUTES_TOKENS


def _assumed(count: _Count) -> str:
    known = f"{ROUNDS:g} assumed" if count.rounds is None else f"{count.rounds:.1f} so far"
    return (
        f"one call a draft, one review, rewrites a record: {known}; {BYTES_PER_TOKEN} bytes a "
        f"token; {_CALL_S:g} s a call and {_TOKENS_PER_S:g} tokens a second of its answer"
    )
