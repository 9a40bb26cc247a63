"""Options of the recipe `consensus`."""

from __future__ import annotations

from dataclasses import dataclass

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.gate import support

VERSION = 15
LEAST_K, MOST_K = 2, 1000
MOST_SIMILAR = 0.5
"""ROUGE-L F of a passage with any original. Source: the limit for drafts, `GateLimits.rouge_l`."""


@dataclass(frozen=True, slots=True)
class ConsensusOptions:
    """How records become passages.

    `k`: subjects that support a statement. `topic_records`: records of a topic, on average, before
    each record is in `topics_per_record` topics. `words`: the most words of a field.

    The defaults are chosen on splits of the indexed records of healthcaremagic and chatdoctor
    (docs/results/consensus.md): larger topics hide a record better, and say less of its matter.
    """

    k: int = 3
    topic_records: int = 8
    topics_per_record: int = 4
    words: int = 60

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            InputError: for a value out of its range.
        """
        if not LEAST_K <= self.k <= MOST_K:
            raise InputError(f"k is {self.k}", hint=f"from {LEAST_K} to {MOST_K} subjects")
        if min(self.topic_records, self.topics_per_record, self.words) < 1:
            raise InputError("topic_records, topics_per_record and words are at least 1")

    @property
    def fingerprint(self) -> str:
        """Changes with anything that decides the passages of given records."""
        sizes = (self.k, self.topic_records, self.topics_per_record, self.words)
        return "-".join(map(str, (VERSION, support.VERSION, *sizes)))
