"""Count the rule-made drafts and the junk that the gate rejects, and time a judgement.

    python benchmarks/gate.py DIALOGUES [--limit 600]

DIALOGUES: jsonl with `question` and `answer`. Rule agents draft each record under recipe `sage`,
judged without the likeness. Then every draft, and junk made from it, is judged with the likeness.
Records at even positions chose the limits in `privacy.gate.limits`; those at odd positions report.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timing import best_s

from sage_rag.agents.protocols import Draft
from sage_rag.agents.refinement import refine
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.samples import choose_samples
from sage_rag.indexer.corpus import Document, read_corpus
from sage_rag.indexer.embedding import embedder_called
from sage_rag.indexer.likeness import EmbeddingLikeness
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.gate.findings import Verdict
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protection, Protector
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.privacy.tokens import PLACEHOLDER

Fields = Mapping[str, str]
_GENERIC = {
    "question": "Somebody has a health problem for some time and asks what can be done about it.",
    "answer": "Thank you for your question. Please see a doctor, who will examine you and help.",
}
_GERMAN = {
    "question": "Der Patient hat seit einigen Tagen Beschwerden und fragt, ob das für ihn gut ist.",
    "answer": "Das ist meist nicht schlimm, Sie können warten und dann zu einem Arzt gehen.",
}


@dataclass(frozen=True)
class Case:
    """A record, its protection, and its draft."""

    original: Original
    protection: Protection
    draft: Fields
    safe: bool


async def draft_all(documents: Sequence[Document], gate: Gate) -> list[Case]:
    """Draft every record with rules, as an index run does."""
    protector = Protector(
        default_recognizer(), preset("sage"), default_cipher(Keyset.generate(), "benchmark")
    )
    roles = rules_roles()
    samples = choose_samples(documents, lambda document: document.text)
    attributes = await roles.identifier.identify(
        [protector.protect(d.fields).protected for d in samples]
    )
    cases = []
    for document in documents:
        protection, original = protector.protect(document.fields), Original(document.text)

        async def judge(
            draft: Draft, original: Original = original, protection: Protection = protection
        ) -> Verdict:
            return gate.judge(original, protection, draft.text)

        record = protection.protected
        extraction = await roles.extractor.extract(record, attributes)
        draft = await roles.generator.generate(extraction, attributes)
        outcome = await refine(record, draft, roles, judge)
        cases.append(Case(original, protection, outcome.draft.fields, outcome.safe))
    return cases


def _unnamed(draft: Fields) -> dict[str, str]:
    return {name: PLACEHOLDER.sub("somebody", text) for name, text in draft.items()}


def junk_of(case: Case, other: Case) -> dict[str, Fields]:
    """Return drafts by kind: the record's own, and junk that must not pass."""
    foreign = _unnamed(other.draft)
    return {
        "own draft": case.draft,
        "draft of another record": foreign,
        "generic advice": _GENERIC,
        "empty": dict.fromkeys(case.draft, ""),
        "copied": case.protection.protected.fields,
        "another language": _GERMAN,
        "speakers in one field": {
            **case.draft,
            "question": "Patient: {question}\nDoctor: {answer}".format(**case.draft),
        },
        "answer left out": {**case.draft, "answer": ""},
        "four records in one": {
            name: " ".join([text, foreign[name], foreign[name], foreign[name]])
            for name, text in case.draft.items()
        },
    }  # fmt: skip


def rejections(gate: Gate, cases: Sequence[Case], positions: Iterable[int]) -> dict[str, Any]:
    """Return, by kind of draft, how many were judged and rejected, and the findings."""
    table: dict[str, Counter[str]] = {}
    for position in positions:
        case, other = cases[position], cases[(position + 2) % len(cases)]
        if not case.safe:
            continue
        for kind, draft in junk_of(case, other).items():
            verdict = gate.judge(case.original, case.protection, draft)
            found = {finding.kind.value for finding in verdict.findings}
            table.setdefault(kind, Counter()).update([*found, "judged"])
            table[kind]["rejected"] += not verdict.safe
    return {kind: dict(counts) for kind, counts in table.items()}


def main() -> None:
    """Draft, judge, time, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--limit", type=int, default=600)
    given = parser.parse_args()
    documents = list(read_corpus(given.corpus, ("question", "answer")))[: given.limit]
    cases = asyncio.run(draft_all(documents, Gate(GateLimits(), default_recognizer())))
    likeness = EmbeddingLikeness(embedder_called())
    # The drafts' gate already checked names; here each other measure shows what it finds alone.
    gate = Gate(GateLimits(), TableRecognizer({}), likeness)
    bare = Gate(GateLimits(), TableRecognizer({}))
    spent = best_s(lambda: [bare.judge(c.original, c.protection, c.draft) for c in cases])
    result = {
        "chosen on": rejections(gate, cases, range(0, len(cases), 2)),
        "reported": rejections(gate, cases, range(1, len(cases), 2)),
        "seconds_per_judgement": spent / len(cases),
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
