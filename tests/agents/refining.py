"""Scripted members for refinements: what they say is written down beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from sage_rag.agents.protocols import CorpusAttributes, Draft, Extraction, Review, Roles
from sage_rag.agents.refinement import Infer, RefinementOptions, RefinementOutcome, refine
from sage_rag.agents.transcript import Judge
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import ProtectedText, Protection, Protector, join_fields
from sage_rag.privacy.testing import TableRecognizer

NAMES = {
    "Ada Novak": EntityType.PERSON,
    "Novak": EntityType.PERSON,
    "Lindhagen": EntityType.LOCATION,
    "47 years old": EntityType.AGE,
}
FIELDS = {
    "question": "I am Ada Novak from Lindhagen, 47 years old, and my knee hurts when I climb the "
    "stairs to my flat every single evening after work.",
    "answer": "Rest the knee for two weeks, cool it, and see somebody if it stays swollen.",
}
REVIEWED = Draft(
    {
        "question": "A knee that aches on stairs troubles somebody named [PERSON_1] most evenings.",
        "answer": "Cooling, a fortnight of rest, and a visit in case the swelling stays.",
    }
)
"""A draft that the real gate lets pass."""
COPY = Draft({"question": FIELDS["question"].replace("Ada Novak", "[PERSON_1]"), "answer": "Rest."})

UNSAFE = Verdict((Finding(FindingKind.SHARED_RUN, "repeats 12 words"),), 12, 0.9)
SAFE = Verdict((), 3, 0.1)


def protect(fields: dict[str, str]) -> Protection:
    cipher = SivCipher(Keyset.generate(), "clinic")
    return Protector(TableRecognizer(NAMES), preset("sage"), cipher).protect(fields)


PROTECTION = protect(FIELDS)


async def gate(draft: Draft) -> Verdict:
    """Judge as the product does: the real gate with a table for a recognizer."""
    measured = Gate(GateLimits(), TableRecognizer(NAMES))
    return measured.judge(Original(join_fields(FIELDS)), PROTECTION, draft.text)


class Scripted:
    """Reviewer and rewriter that say what is written, the last of it for ever; they count calls.

    A word of the script that is an exception is raised.
    """

    def __init__(
        self,
        reviews: Sequence[bool | BaseException] = (True,),
        drafts: Sequence[Draft | BaseException] | None = None,
        wait: Callable[[], object] | None = None,
    ) -> None:
        self._reviews, self._drafts, self._wait = list(reviews), drafts, wait
        self.reviewed: list[Draft] = []
        self.rewritten: list[tuple[Draft, Review, Verdict]] = []

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        await self._pause()
        self.reviewed.append(draft)
        said = self._reviews[min(len(self.reviewed), len(self._reviews)) - 1]
        if isinstance(said, BaseException):
            raise said
        return Review(said, () if said else ("say it in another order",))

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        await self._pause()
        self.rewritten.append((draft, review, verdict))
        if self._drafts is None:
            return Draft({"question": f"{draft.fields['question']} more", "answer": "a"})
        said = self._drafts[min(len(self.rewritten), len(self._drafts)) - 1]
        if isinstance(said, BaseException):
            raise said
        return said

    async def _pause(self) -> None:
        await asyncio.sleep(0)
        if self._wait is not None:
            await self._wait()  # type: ignore[misc]

    async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
        raise AssertionError("stage 1 is not asked")

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        raise AssertionError("stage 1 is not asked")

    async def generate(self, extraction: Extraction, attributes: CorpusAttributes) -> Draft:
        raise AssertionError("stage 1 is not asked")

    @property
    def roles(self) -> Roles:
        return Roles(self, self, self, self, self, "scripted")


def verdicts(*said: Verdict) -> Judge:
    """Return a judge that gives these verdicts, the last for ever, each draft always the same."""
    known: dict[str, Verdict] = {}

    async def judge(draft: Draft) -> Verdict:
        return known.setdefault(draft.text, said[min(len(known), len(said) - 1)])

    return judge


def refined(
    agents: Scripted,
    judge: Judge = gate,
    *,
    draft: Draft = REVIEWED,
    infer: Infer | None = None,
    options: RefinementOptions,
) -> RefinementOutcome:
    call = refine(PROTECTION.protected, draft, agents.roles, judge, infer=infer, options=options)
    return asyncio.run(call)


def treated(
    fields: dict[str, str], protection: Protection, roles: Roles, gate: Gate
) -> RefinementOutcome:
    """Let the roles draft and refine one record, as the pipeline does."""
    original = Original(join_fields(fields))

    async def judge(draft: Draft) -> Verdict:
        return gate.judge(original, protection, draft.fields)

    async def whole() -> RefinementOutcome:
        record = protection.protected
        attributes = await roles.identifier.identify([record])
        draft = await roles.generator.generate(
            await roles.extractor.extract(record, attributes), attributes
        )
        return await refine(record, draft, roles, judge)

    return asyncio.run(whole())
