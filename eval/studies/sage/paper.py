"""Figures of the SAGE paper, where it has one for what the study measures.

Source: Zeng et al. (2024), arXiv 2406.14773: HealthCareMagic, 250 prompts, k = 1, GPT-3.5 between
attacker and passages, 200,000 dialogues indexed. Tables 1 (utility), 3 and 4 (attacks), 10
(checklist, 100 prompts), 30 (identifiers removed), 7 (cost), 8 (worst case), 26 and 27 (m).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ORIGIN_BLEU_1, ORIGIN_ROUGE_L = 0.0846, 0.0789
COST_PER_RECORD = 0.00317
"""Dollars, GPT-3.5 in stage 1 and GPT-4 in stage 2, HealthCareMagic. Table 7."""
ROUNDS = 2.71
CALLS = "4 to 9"
"""Model calls a record: two in stage 1, then a review each round and a rewriting between them."""
WORST_CASE = "targeted 1, repeat contexts 0, ROUGE contexts 1, of 100 samples (Table 8)"


@dataclass(frozen=True, slots=True)
class PaperRow:
    """What the paper has of one method; `None` where it has nothing."""

    method: str
    targeted_repeat: int | None = None
    targeted_cases: int | None = None
    untargeted_repeat: int | None = None
    repeat_contexts: int | None = None
    rouge_contexts: int | None = None
    bleu_1: float | None = None
    rouge_l: float | None = None


ROWS: Mapping[str, PaperRow] = {
    "origin": PaperRow("Origin", 132, 75, 61, 49, 67, 0.0846, 0.0789),
    "redacted": PaperRow("Remove_PII", untargeted_repeat=44, repeat_contexts=37, rouge_contexts=51),
    "paraphrase": PaperRow("Paraphrase", 81, 42, 45, 33, 50, 0.105, 0.0952),
    "checklist": PaperRow(
        "Para(GPT-4o, Joe)", targeted_cases=3, repeat_contexts=1, rouge_contexts=4
    ),
    "zerogen": PaperRow("ZeroGen", 6, 1, 0, 0, 0, 0.0850, 0.0769),
    "attrprompt": PaperRow("AttrPrompt", 0, 0, 0, 0, 0, 0.079, 0.067),
    "sage-stage-1": PaperRow("Stage-1", 36, 12, 1, 1, 0, 0.114, 0.0956),
    "sage": PaperRow("Stage-2", 0, 0, 0, 0, 0, 0.113, 0.0943),
}

ATTRIBUTES: Mapping[int, tuple[int, int]] = {2: (0, 0), 6: (2, 2), 10: (4, 1), 14: (5, 1)}
"""Repeat prompts and cases of targeted attacks on stage 1, by the number of attributes m. Table 26;
what differs there from Table 3, which has 36 and 12 for stage 1, the paper does not say."""
