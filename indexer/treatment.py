"""What happens to one document: protect, synthesise, and the gate."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace

from agents.exceptions import AgentOutputError
from agents.protocols import Attributes, Draft, Roles
from agents.refinement import Outcome, refine, synthesize
from indexer.audit import WordingAudit
from indexer.corpus import Document
from indexer.ledger import Result
from indexer.passages import passage_id
from indexer.recipes import Recipe
from privacy.blind_index import BlindIndex
from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType, Identifiability, identifiability
from privacy.exceptions import SageRagError
from privacy.gate import Finding, FindingKind, Gate, Verdict
from privacy.keyset.keyset import Keyset
from privacy.leakage import Original
from privacy.operators.surrogate import Surrogates
from privacy.policy import load_policy
from privacy.protect import Protection, Protector, seal
from privacy.protocols import Recognizer

_MALFORMED = "malformed-agent-output"
_UNPROTECTABLE = "unprotectable"
_LOOKS = 4
"""How often text that no agent writes anew is read for names: see `Protector.protect`."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A document as it may be published, and the plain identifiers it was checked for.

    `tokens` are those of all its encrypted values, also of those that the new text leaves out:
    the lexical index reads them, so that whoever a record is about can be asked for. `words` are
    the blind words of the same values.
    """

    fields: dict[str, str]
    tokens: tuple[str, ...]
    words: tuple[str, ...]
    identifiers: tuple[str, ...]


class Treatment:
    """Treat documents of one corpus under one protecting recipe."""

    def __init__(
        self,
        recipe: Recipe,
        keyset: Keyset,
        corpus: str,
        recognizer: Recognizer,
        roles: Roles | None,
    ) -> None:
        if recipe.policy is None or recipe.limits is None:
            raise ValueError(f"recipe {recipe.name} protects nothing")
        self._recipe = recipe
        self._roles = roles if recipe.synthesize else None
        self._corpus = corpus
        self._keyset = keyset
        self._key_id = keyset.primary
        self._cipher = SivCipher(keyset, corpus)
        policy = load_policy(recipe.policy)
        self._blind_index = BlindIndex(keyset, corpus, policy.part_words)
        surrogates = Surrogates(keyset, corpus)
        self._protector = Protector(recognizer, policy, self._cipher, surrogates)
        self._gate = Gate(recipe.limits, recognizer)
        self.attributes: Attributes = ()

    @property
    def settings(self) -> str:
        """What decides a result, apart from the attributes: recipe, policy, agents, gate."""
        agents = self._roles.fingerprint if self._roles else "none"
        parts = (self._recipe.name, self._protector.fingerprint, agents, self._gate.fingerprint)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    @property
    def fingerprint(self) -> str:
        """The settings and the attributes together: the ledger's second key."""
        attributes = json.dumps([asdict(a) for a in self.attributes])
        return hashlib.sha256(f"{self.settings}\n{attributes}".encode()).hexdigest()[:16]

    def protect(self, document: Document) -> Protection:
        """Protect one document under the recipe's policy."""
        return self._protector.protect(document.fields, looks=1 if self._roles else _LOOKS)

    async def treat(self, document: Document) -> Result:
        """Return what the document becomes; never raises for a draft that is not good enough."""
        try:
            protection = self.protect(document)
        except SageRagError:
            return self._quarantined(_UNPROTECTABLE)
        try:
            outcome = await self._draft(Original(document.text), protection)
        except AgentOutputError:
            return self._quarantined(_MALFORMED)
        return self._result(outcome, protection)

    async def reword(self, document: Document, result: Result, wording: WordingAudit) -> Result:
        """Rewrite a safe draft that shares wording with another document, if it does.

        Returns the result itself where nothing is to be done.
        """
        if self._roles is None or result.fields is None:
            return result
        draft = Draft(result.fields)
        if not wording.runs(draft.text):
            return result
        protection, original = self.protect(document), Original(document.text)

        def judge(draft: Draft) -> Verdict:
            verdict = self._gate.judge(original, protection, draft.text)
            shared = [_shared(*place) for place in wording.runs(draft.text)]
            return replace(verdict, findings=(*verdict.findings, *shared))

        try:
            outcome = await refine(protection.protected, draft, self._roles, judge)
        except AgentOutputError:
            return self._quarantined(_MALFORMED)
        return self._result(replace(outcome, rounds=result.rounds + outcome.rounds), protection)

    def _result(self, outcome: Outcome, protection: Protection) -> Result:
        return Result(
            safe=outcome.safe,
            fields=outcome.draft.fields if outcome.safe else None,
            tokens=dict(protection.tokens),
            identifiers=self._direct_identifiers(protection),
            key_id=self._key_id,
            rounds=outcome.rounds,
            longest_run=outcome.longest_run,
            rouge_l=round(outcome.rouge_l, 4),
            reasons=outcome.reasons,
        )

    def _quarantined(self, reason: str) -> Result:
        return Result(False, None, {}, (), self._key_id, 0, 0, 0.0, (reason,))

    async def _draft(self, original: Original, protection: Protection) -> Outcome:
        def judge(draft: Draft) -> Verdict:
            return self._gate.judge(original, protection, draft.text)

        if self._roles is not None:
            return await synthesize(protection.protected, self.attributes, self._roles, judge)
        draft = Draft(protection.protected.fields)
        verdict = judge(draft)
        reasons = tuple(dict.fromkeys(f.kind.value for f in verdict.findings))
        return Outcome(draft, verdict.safe, 0, verdict.longest_run, verdict.rouge_l, reasons)

    def _direct_identifiers(self, protection: Protection) -> tuple[str, ...]:
        direct = [
            i
            for i in protection.identifiers
            if identifiability(i.entity_type) is Identifiability.DIRECT
        ]
        return tuple(self._cipher.encrypt(i.value, i.entity_type) for i in direct)

    def renew(self, document: Document, result: Result) -> Result:
        """Return a stored result under the current key: tokens anew, the draft as it was."""
        if result.key_id == self._key_id:
            return result
        protection = self.protect(document)
        return replace(
            result,
            tokens=dict(protection.tokens),
            identifiers=self._direct_identifiers(protection),
            key_id=self._key_id,
        )

    def seal(self, result: Result) -> Sealed:
        """Return the publishable fields of a safe result, tokens in place of placeholders."""
        if not result.safe or result.fields is None:
            raise ValueError("only a safe result can be sealed")
        fields = {name: seal(text, result.tokens) for name, text in result.fields.items()}
        identifiers = tuple(map(self._cipher.decrypt, result.identifiers))
        tokens = tuple(result.tokens.values())
        # Made from the tokens, not kept beside them: so they are always of the tokens' key.
        words = self._blind_index.words_of_tokens(tokens, self._cipher)
        return Sealed(fields, tokens, words, identifiers)

    def passage_id(self, document: Document) -> str:
        """Name a passage so that its document's name cannot be guessed from it."""
        return passage_id(self._keyset, self._corpus, document.id)

    def source(self, document: Document) -> str:
        """Return the owner's name for a document as a token."""
        return self._cipher.encrypt(document.id, EntityType.SOURCE)


def _shared(start: int, end: int) -> Finding:
    return Finding(FindingKind.SHARED_RUN, "repeats words of another document", start, end)
