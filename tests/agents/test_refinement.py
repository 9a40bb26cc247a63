"""The loop of reviewer, gate and rewriter."""

from __future__ import annotations

import asyncio

import pytest

from agents.protocols import Draft
from agents.refinement import MAX_ROUNDS, Outcome, synthesize
from agents.testing import reversing_roles
from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType
from privacy.gate import Finding, FindingKind, Verdict
from privacy.keyset.keyset import Keyset
from privacy.policy import preset
from privacy.protect import Protector
from privacy.testing import TableRecognizer

PROTECTOR = Protector(
    TableRecognizer({"Ada": EntityType.PERSON}),
    preset("sage"),
    SivCipher(Keyset.generate(), "clinic"),
)
UNSAFE = Verdict((Finding(FindingKind.SHARED_RUN, "repeats 12 words"),), 12, 0.9)
SAFE = Verdict((), 3, 0.1)


def run(verdicts: list[Verdict], *, never_safe: bool = False) -> tuple[Outcome, list[Draft]]:
    roles, judged = reversing_roles(never_safe=never_safe), []

    def judge(draft: Draft) -> Verdict:
        judged.append(draft)
        return verdicts[min(len(judged), len(verdicts)) - 1]

    async def both() -> Outcome:
        record = PROTECTOR.protect({"text": "one two Ada three four five six"}).protected
        attributes = await roles.identifier.identify([record])
        return await synthesize(record, attributes, roles, judge)

    return asyncio.run(both()), judged


def test_a_safe_draft_needs_no_rewrite() -> None:
    outcome, judged = run([SAFE])
    assert outcome.safe
    assert outcome.rounds == 0
    assert judged[0].text == "six five four three [PERSON_1] two one"


def test_it_is_rewritten_until_the_gate_agrees() -> None:
    outcome, judged = run([UNSAFE, UNSAFE, SAFE])
    assert outcome.safe
    assert outcome.rounds == 2
    assert outcome.draft == judged[-1]


@pytest.mark.parametrize("never_safe", [True, False])
def test_what_is_unsafe_after_the_last_round_is_not_safe(never_safe: bool) -> None:
    outcome, judged = run([SAFE if never_safe else UNSAFE], never_safe=never_safe)
    assert not outcome.safe
    assert outcome.rounds == MAX_ROUNDS
    assert len(judged) == MAX_ROUNDS + 1
    assert outcome.reasons == (("reviewer",) if never_safe else ("shared-run",))
