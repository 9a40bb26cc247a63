"""What the team's runtime costs: processor time of one refined record, with a scripted model.

    python benchmarks/team.py --records 300

Compares the plain loop, a team on `DirectRuntime` and a team on autogen's own runtime, at one and at
five rewrites, in one process and in turn. The reviewer objects to every draft but the last, so that
every record convenes a team.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable

from autogen_core import SingleThreadedAgentRuntime

from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.protocols import Draft
from sage_rag.agents.refinement import Discussion, RefinementOptions, loop, refine
from sage_rag.agents.team import conversation
from sage_rag.agents.team.conversation import team
from sage_rag.agents.testing.fakes import ScriptedChatModel
from sage_rag.indexer.embedding import SentenceTransformerEmbedder
from sage_rag.indexer.likeness import EmbeddingLikeness
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.gate.gate import Gate, GateLimits
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector, join_fields
from sage_rag.privacy.recognizers.default import default_recognizer

FIELDS = {
    "question": "My knee hurts when I climb the stairs to my flat every evening after work, and it "
    "has been swollen for two weeks. Could it be the meniscus, or should I wait?",
    "answer": "Rest the knee for two weeks, cool it, and see somebody if it stays swollen. A doctor "
    "can test the meniscus by turning the leg.",
}
REWRITTEN = {
    "question": "Climbing to a flat after work troubles a knee that swelled a fortnight ago; is the "
    "meniscus torn?",
    "answer": "Cooling and a fortnight of rest come first; turning the leg shows a torn meniscus.",
}
RECOGNIZER = default_recognizer()
EMBEDDER = SentenceTransformerEmbedder()
ASPECTS = ("direct_identifiers", "sensitive_attributes", "context", "linkage", "consistency")
OBJECTION = {"suggestion": "say it more generally"}


class AutogenRuntime(SingleThreadedAgentRuntime):
    """autogen's own runtime, with the method by which the team waits for the end."""

    def __init__(self) -> None:
        super().__init__(ignore_unhandled_exceptions=True)
        self.start()

    async def settle(self) -> None:
        await self.stop_when_idle()


def answers(rounds: int) -> list[str]:
    """Return the model's answers to one record: objections, rewrites, and agreement."""
    agreed = dict.fromkeys((*ASPECTS, "recovery"), "ok")
    script: list[object] = []
    for number in range(rounds):
        text = f"{REWRITTEN['answer']} Visit {number + 2} is enough."
        script += [{**agreed, "recovery": OBJECTION}, {**REWRITTEN, "answer": text}]
    return [json.dumps(answer) for answer in [*script, agreed]]


async def one_record(rounds: int, discussion: Discussion) -> None:
    protector = Protector(
        RECOGNIZER, preset("sage"), SivCipher(Keyset.generate(), "benchmark")
    )
    protection = protector.protect(FIELDS)
    # A new likeness each time: every original is embedded once.
    gate = Gate(GateLimits(), RECOGNIZER, EmbeddingLikeness(EMBEDDER))
    original = Original(join_fields(FIELDS))

    async def judge(draft: Draft):  # type: ignore[no-untyped-def]
        return gate.judge(original, protection, draft.fields)

    roles = model_roles(ScriptedChatModel(answers(rounds)))
    options = RefinementOptions(conversation=discussion)
    outcome = await refine(
        protection.protected, Draft(REWRITTEN), roles, judge, options=options
    )
    if not outcome.safe or outcome.rounds != rounds:
        raise RuntimeError(f"{outcome.rounds} rounds: {outcome.reasons}")


def milliseconds(records: int, call: Callable[[], Awaitable[None]]) -> float:
    """Return the processor time of one record."""

    async def run() -> float:
        start = time.process_time()
        for _ in range(records):
            await call()
        return (time.process_time() - start) * 1000 / records

    return asyncio.run(run())


def on(runtime: type) -> Discussion:
    """Return the team on a runtime."""

    async def discuss(members, state, opening) -> None:  # type: ignore[no-untyped-def]
        conversation.DirectRuntime = runtime  # type: ignore[misc]
        await team(members, state, opening)

    return discuss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    ways = {
        "loop": loop,
        "direct": on(conversation.DirectRuntime),
        "autogen": on(AutogenRuntime),
    }
    share = max(arguments.records // arguments.repeats, 1)
    for rounds in (1, 5):
        times: dict[str, list[float]] = {name: [] for name in ways}
        for repeat in range(arguments.repeats + 1):
            for name, way in ways.items():
                taken = milliseconds(share, lambda way=way, n=rounds: one_record(n, way))
                if repeat:  # the first one warms up
                    times[name].append(taken)
        medians = {name: statistics.median(all_times) for name, all_times in times.items()}
        ratio = medians["direct"] / medians["autogen"]
        shown = ", ".join(f"{name} {value:.2f} ms" for name, value in medians.items())
        print(f"{rounds} rounds: {shown}; direct / autogen {ratio:.2f}")


if __name__ == "__main__":
    main()
