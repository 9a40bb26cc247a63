"""Treat one document: protect, draft (stage 1), refine (stage 2), judge with the gate."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from sage_rag.agents.attributes import format_attributes
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.protocols import NO_ATTRIBUTES, CorpusAttributes, Draft, Roles
from sage_rag.agents.refinement import DEFAULT_OPTIONS, RefinementOptions, RefinementOutcome, refine
from sage_rag.agents.transcript import (
    Judge,
    Speaker,
    TranscriptTurn,
    hide_values,
    judged_alone,
    transcript_to_json,
)
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer.audit import CorpusAudit
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.coverage import Coverage
from sage_rag.indexer.ledger import Decision, Result
from sage_rag.indexer.recipes import Recipe
from sage_rag.indexer.sealing import Sealer
from sage_rag.indexer.timing import Timer, timed
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import Identifiability, identifiability
from sage_rag.privacy.gate.findings import Verdict
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.kept import Kept, kept
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.likeness import Likeness
from sage_rag.privacy.gate.limits import Limit
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.protect import Protection, Protector
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.catalog import DEFAULT_LANGUAGES

MALFORMED = "malformed-agent-output"
UNPROTECTABLE = "unprotectable"
DROPPED = "dropped-in-review"

_T = TypeVar("_T")
DraftSink = Callable[[Draft], None]
"""Stores the draft of stage 1, so that stage 2 can be repeated alone."""
Executor = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs blocking work outside the event loop and returns its result."""
_PASSES = 4
"""Passes of the recognizer over text that is published as it is: see `Protector.protect`."""


class Treatment:
    """Treats the documents of one corpus under one recipe that protects them."""

    def __init__(
        self,
        recipe: Recipe,
        keyset: Keyset,
        corpus: str,
        recognizer: Recognizer,
        roles: Roles | None,
        *,
        languages: frozenset[str] = DEFAULT_LANGUAGES,
        refinement: RefinementOptions = DEFAULT_OPTIONS,
        likeness: Likeness | None = None,
        run_in_executor: Executor | None = None,
        timer: Timer | None = None,
    ) -> None:
        """`languages`: those that the recognizer covers.

        Protecting and judging block: `run_in_executor` runs them, or they run in the caller.
        """
        if recipe.policy is None or recipe.limits is None:
            raise ValueError(f"recipe {recipe.name} protects nothing")
        self._recipe = recipe
        self._roles = roles if recipe.synthesize else None
        self.coverage = Coverage(languages, self._roles.languages if self._roles else None)
        self._options = refinement
        self._run_in_executor = run_in_executor or _run_here
        self._corpus = corpus
        self._keyset = keyset
        self._key_id = keyset.primary
        self._cipher = default_cipher(keyset, corpus)
        policy = load_policy(recipe.policy)
        self.sealer = Sealer(keyset, corpus, self._cipher, policy)
        surrogates = Surrogates(keyset, corpus)
        protector = Protector(recognizer, policy, self._cipher, surrogates)
        self._protector = timed(protector, timer, "protect", "protect")
        own: Mapping[str, Any] = recipe.own_limits
        self.limits = replace(policy.limits(recipe.limits), **own)
        self._gate = timed(Gate(self.limits, recognizer, likeness), timer, "judge", "judge")
        self._recognizer = recognizer
        self._attributes = NO_ATTRIBUTES

    def with_attributes(self, attributes: CorpusAttributes) -> Treatment:
        """Return a copy with the attributes of the corpus."""
        changed = copy(self)
        changed._attributes = attributes
        return changed

    @property
    def attributes(self) -> CorpusAttributes:
        """The attributes of the corpus; empty until `with_attributes`."""
        return self._attributes

    @property
    def protection(self) -> str:
        """Changes with the protected text and the numbers of its placeholders."""
        return _digest(self._protector.fingerprint)

    @property
    def drafting(self) -> str:
        """Changes with protection, languages and agents of stage 1; names stored attributes."""
        agents = (self._roles.drafting or self._roles.fingerprint) if self._roles else "none"
        return _digest(self._protector.fingerprint, agents, self.coverage.fingerprint)

    @property
    def draft_fingerprint(self) -> str:
        """Changes with anything that decides the draft of stage 1."""
        return _digest(self.drafting, format_attributes(self.attributes))

    @property
    def fingerprint(self) -> str:
        """Changes with anything that decides a result; the ledger's second key."""
        agents = self._roles.fingerprint if self._roles else "none"
        parts = [self.draft_fingerprint, self._recipe.name, agents, self._gate.fingerprint]
        if self._recipe.refine and self._options.fingerprint:
            parts.append(self._options.fingerprint)
        return _digest(*parts)

    @property
    def gate_limits(self) -> dict[str, Limit]:
        """Every limit of the gate; `None` or `False` for one that is off."""
        return self._gate.active_limits

    def protect(self, document: Document) -> Protection:
        """Protect one document under the recipe's policy."""
        passes = _PASSES if self._recipe.method == "none" else 1
        return self._protector.protect(document.fields, passes=passes)

    async def protect_sample(self, document: Document) -> Protection | None:
        """Protect one document as `treat` does; return `None` where that fails."""
        if await self._uncovered(document):
            return None
        try:
            return (await self._protected(document))[0]
        except (ProtectionError, InputError, AgentOutputError):
            return None

    async def _uncovered(self, document: Document, *, by_person: bool = False) -> Result | None:
        work = partial(self.coverage.refusal, document, by_person=by_person)
        reason = await self._run_in_executor(work)
        return self._quarantined(reason) if reason else None

    async def _protected(self, document: Document) -> tuple[Protection, Original]:
        def work() -> tuple[Protection, Original]:
            return self.protect(document), Original(document.text)

        read: tuple[Protection, Original] = await self._run_in_executor(work)
        return read

    async def treat(
        self,
        document: Document,
        drafted: Draft | None = None,
        store_draft: DraftSink | None = None,
    ) -> Result:
        """Return the document's result; a draft that the gate refuses is a result, not an error.

        `drafted` replaces stage 1. `store_draft` receives the draft of stage 1, unless the gate
        finds a private value in it.
        """
        if refused := await self._uncovered(document):
            return refused
        try:
            protection, original = await self._protected(document)
        except (ProtectionError, InputError, AgentOutputError):
            return self._quarantined(UNPROTECTABLE)
        judge = self._judge(original, protection)
        try:
            draft = drafted or await self._draft(protection)
            new_draft = drafted is None and store_draft
            if new_draft and await _without_values(draft, judge) == draft:
                new_draft(draft)
            outcome = await self._refine(draft, protection, judge)
            return await self._result(outcome, protection, judge)
        except AgentOutputError:
            return self._quarantined(MALFORMED)
        except ProtectionError:
            return self._quarantined(UNPROTECTABLE)  # the recognizer failed on a draft

    async def follow(self, document: Document, decision: Decision) -> Result | None:
        """Return the result of a person's decision; the gate still judges the draft.

        `None` if the decision does not apply: its draft belongs to another protection.
        """
        if decision.verb == "drop":
            return self._quarantined(DROPPED)
        if decision.draft is None or not decision.applies(self.protection):
            return None
        if refused := await self._uncovered(document, by_person=True):
            return refused
        try:
            protection, original = await self._protected(document)
            judge = self._judge(original, protection)
            outcome = await _judged(Draft(decision.draft), judge)
            return replace(await self._result(outcome, protection, judge), reviewed=True)
        except (ProtectionError, InputError, AgentOutputError):
            return self._quarantined(UNPROTECTABLE)

    def check(self, document: Document, draft: Mapping[str, str]) -> Verdict:
        """Return the gate's verdict on a person's draft.

        Raises:
            ProtectionError: for a language that the recognizer does not cover, or when it fails.
        """
        self.coverage.check_for_person(document)
        return self._gate.judge(Original(document.text), self.protect(document), draft)

    async def reword(self, document: Document, result: Result, audit: CorpusAudit) -> Result:
        """Rewrite a safe draft that is too similar to another document.

        Without agents, or if a person wrote the draft, it is quarantined instead. Returns the same
        result if the draft is similar to none.
        """
        if result.fields is None:
            return result
        draft = Draft(result.fields)
        found: Verdict = await self._run_in_executor(partial(audit.judge, draft.text))
        if found.safe:
            return result
        if self._roles is None or result.reviewed:
            reasons = tuple(dict.fromkeys(f.kind.value for f in found.findings))
            return replace(result, safe=False, fields=None, draft=result.fields, reasons=reasons)

        async def judge(draft: Draft) -> Verdict:
            verdict = await own_judge(draft)
            others: Verdict = await self._run_in_executor(partial(audit.judge, draft.text))
            findings = (*verdict.findings, *others.findings)
            rouge_l = max(verdict.rouge_l, others.rouge_l)
            return replace(verdict, findings=findings, rouge_l=rouge_l)

        try:
            protection, original = await self._protected(document)
            own_judge = self._judge(original, protection)
            outcome = await self._refine(draft, protection, judge)
            rounds = result.rounds + outcome.rounds
            # Stock phrases occur in many documents; no agent can avoid them by rewording.
            fields = outcome.draft.fields
            shorter = Draft({name: audit.without_runs(text) for name, text in fields.items()})
            if not outcome.safe and shorter != outcome.draft:
                again = await self._refine(shorter, protection, judge)
                rounds += again.rounds
                outcome = again if again.safe else outcome
            return await self._result(replace(outcome, rounds=rounds), protection, judge)
        except AgentOutputError:
            return self._quarantined(MALFORMED)
        except ProtectionError:
            return self._quarantined(UNPROTECTABLE)

    async def _result(
        self, outcome: RefinementOutcome, protection: Protection, judge: Judge
    ) -> Result:
        draft = None if outcome.safe else await _without_values(outcome.draft, judge)
        transcript = None if outcome.safe else outcome.transcript
        return Result(
            safe=outcome.safe,
            fields=outcome.draft.fields if outcome.safe else None,
            tokens=self._tokens(protection),
            identifiers=self.direct_identifiers(protection),
            key_id=self._key_id,
            rounds=outcome.rounds,
            longest_run=outcome.verdict.longest_run,
            rouge_l=round(outcome.verdict.rouge_l, 4),
            reasons=outcome.reasons,
            draft=draft.fields if draft else None,
            transcript=transcript_to_json(transcript) if transcript else None,
            order_free=round(outcome.verdict.order_free, 4),
            kept=await self._kept(protection, outcome),
            quasi=outcome.verdict.quasi if outcome.safe else None,
        )

    async def _kept(self, protection: Protection, outcome: RefinementOutcome) -> Kept | None:
        """Count what a reworded record keeps; `None` for any other, and for a refused one."""
        if not outcome.safe or not self._recipe.rewords:
            return None
        work = partial(kept, protection.protected.fields, outcome.draft.fields)
        counts: Kept = await self._run_in_executor(work)
        return counts

    def _tokens(self, protection: Protection) -> dict[str, str]:
        """Return tokens by placeholder; none for an invented record, which is about no one."""
        return dict(protection.tokens) if self._recipe.reads_records else {}

    def _quarantined(self, reason: str) -> Result:
        return Result(False, None, {}, (), self._key_id, 0, 0, 0.0, (reason,))

    def _judge(self, original: Original, protection: Protection) -> Judge:
        """Return the gate for one record; it measures equal drafts once."""
        verdicts: dict[tuple[tuple[str, str], ...], Verdict] = {}

        async def judge(draft: Draft) -> Verdict:
            fields = tuple(draft.fields.items())
            if fields not in verdicts:
                work = partial(self._gate.judge, original, protection, draft.fields)
                verdicts[fields] = await self._run_in_executor(work)
            return verdicts[fields]

        return judge

    async def _draft(self, protection: Protection) -> Draft:
        if self._roles is None:
            if self._recipe.method != "none":
                raise ValueError(f"recipe {self._recipe.name} needs roles")
            return Draft(protection.protected.fields)
        extraction = await self._roles.extractor.extract(protection.protected, self.attributes)
        return await self._roles.generator.generate(extraction, self.attributes)

    async def _refine(
        self, draft: Draft, protection: Protection, judge: Judge
    ) -> RefinementOutcome:
        if self._roles is None or not self._recipe.refine:
            return await _judged(draft, judge)
        adversary = self._options.adversary
        infer = adversary.against(protection, self._recognizer) if adversary else None
        record = protection.protected
        return await refine(record, draft, self._roles, judge, infer=infer, options=self._options)

    def direct_identifiers(self, protection: Protection) -> tuple[str, ...]:
        """Return the tokens of a record's direct identifiers."""
        return tuple(
            self._cipher.encrypt(i.value, i.entity_type)
            for i in protection.identifiers
            if identifiability(i.entity_type) is Identifiability.DIRECT
        )

    async def renew(self, document: Document, result: Result) -> Result:
        """Return a stored result with tokens under the current key; the draft is unchanged."""
        if result.key_id == self._key_id or (result.fields is None and result.draft is None):
            return result  # without a draft, nothing is under a key
        protection, _ = await self._protected(document)
        return replace(
            result,
            tokens=self._tokens(protection),
            identifiers=self.direct_identifiers(protection),
            key_id=self._key_id,
        )


def is_final(result: Result) -> bool:
    """Return whether a stored result stands: a model without a usable answer is asked again."""
    return result.reasons != (MALFORMED,)


async def _run_here(work: Callable[[], _T]) -> _T:
    return work()


async def _judged(draft: Draft, judge: Judge) -> RefinementOutcome:
    """Return the outcome of the gate alone, without agents; its transcript has the findings."""
    verdict = await judge(draft)
    reasons = tuple(dict.fromkeys(f.kind.value for f in verdict.findings))
    hidden = () if verdict.safe else await judged_alone(draft, verdict, judge)
    return RefinementOutcome(draft, verdict.safe, 0, verdict, reasons, hidden)


async def _without_values(draft: Draft, judge: Judge) -> Draft:
    """Return a draft without the private values that the gate finds, fit for the ledger."""
    (turn,) = await hide_values(
        [TranscriptTurn(round=0, speaker=Speaker.GENERATOR, draft=draft)], judge
    )
    return turn.draft or draft


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
