"""The page shows what each frequency gives away, and claims a difference only where there is one."""

from __future__ import annotations

import pytest

from sage_rag.common.proportions import Proportion
from sage_rag.eval.mean import Mean
from sage_rag.eval.membership import Membership
from sage_rag.eval.model_attacks.membership_inference import MembershipInference
from sage_rag.eval.model_attacks.name_reconstruction import NameReconstruction
from sage_rag.eval.model_attacks.results import GroupResult, ModelAttackReport
from sage_rag.eval.model_attacks.true_prefix import TruePrefix
from sage_rag.eval.studies.crypto_llm.planted_records import (
    more_often,
    planted_table,
    verdicts,
)

CANARIES = {0: 9, 4: 9, 64: 9}


def attacked(
    model: str,
    right: dict[int, int],
    seed: int = 0,
    auc: float = 0.9,
    distance: tuple[float, float, float] = (0.95, 0.9, 1.0),
) -> ModelAttackReport:
    """Return a report with `right[f]` of 9 names that were planted `f` times."""
    names = []
    for frequency, count in right.items():
        group = f"planted {frequency} times" if frequency else "not planted"
        rank = Mean(value=20.0 - count, low=1.0, high=30.0, count=9)
        first = Proportion.of(count, 9)
        found = NameReconstruction(candidates=9, first=first, rank=rank)
        names.append(GroupResult(group=group, result=found))
    detected = Proportion.of(9 * (auc == 1), 9)
    score = Membership(members=9, others=9, auc=auc, low=0.4, high=1.0, detected=detected)
    membership = GroupResult(
        group="planted 64 times", result=MembershipInference(loss=score, min_k=score)
    )
    value, low, high = distance
    prefix = TruePrefix(
        samples=9,
        distance=Mean(value=value, low=low, high=high, count=9),
        exact=Proportion.of(0, 9),
    )
    return ModelAttackReport(
        model=model,
        seed=seed,
        names=tuple(names),
        prefixes=(GroupResult(group="planted 64 times", result=prefix),),
        extraction=(),
        membership=(membership,),
        keys=None,
    )


def row(table: str, attack: str, planted: int) -> list[str]:
    start = f"| {attack} | {planted} |"
    line = next(line for line in table.splitlines() if line.startswith(start))
    return [cell.strip() for cell in line.strip("|").split("|")][2:]


def test_each_frequency_has_a_row_and_each_model_a_column() -> None:
    reports = [attacked("key-10", {64: 0, 4: 1, 0: 0}), attacked("plain", {64: 8, 4: 2, 0: 1})]
    table = planted_table(reports, CANARIES)
    assert "| attack | planted | plain | key-10 |" in table
    often, rarely = (row(table, "name first of all candidates", f) for f in (64, 4))
    assert [cell.partition(" (")[0] for cell in often] == ["8 of 9", "0 of 9"]
    assert [cell.partition(" (")[0] for cell in rarely] == ["2 of 9", "1 of 9"]
    assert row(table, "mean rank of the name", 64) == ["12.0 (1.0–30.0)", "20.0 (1.0–30.0)"]
    assert "data extraction" not in table


def test_seeds_are_added_and_averaged() -> None:
    reports = [attacked("plain", {64: 8}, 0, 0.7), attacked("plain", {64: 4}, 1, 0.9)]
    table = planted_table(reports, CANARIES)
    assert table.startswith("2 seeds.")
    assert row(table, "name first of all candidates", 64)[0].startswith("12 of 18 (")
    assert row(table, "membership, AUC of the loss", 64) == ["0.80 (0.70–0.90)"]


def test_a_difference_is_claimed_only_beyond_chance() -> None:
    plain = attacked("plain", {64: 8}, auc=1.0, distance=(0.3, 0.2, 0.4))
    apart = [plain, attacked("key-1", {64: 0}), attacked("key-10", {64: 1})]
    first, prefix, *_ = found = list(verdicts(apart, CANARIES, "Few texts"))
    assert (
        "* Few texts, records planted 64 times, name first of all candidates: `plain` gives away more than"
        in first
    )
    assert "`plain` 8 of 9, `key-1` 0 of 9" in first
    assert "`plain` gives away more than each cipher arm. `plain` 0.30 (0.20–0.40)" in prefix
    assert "found at 1 % false positives: `plain` gives away more than" in found[-1]
    close = [
        plain,
        attacked("key-1", {64: 0}),
        attacked("key-10", {64: 7}, auc=1.0, distance=(0.5, 0.3, 0.8)),
    ]
    assert all(
        "not shown to give away more" in line for line in verdicts(close, CANARIES, "Few texts")
    )
    assert not list(verdicts([plain], CANARIES, "Few texts"))


def test_the_exact_test_is_one_sided() -> None:
    all_, none = Proportion.of(5, 5), Proportion.of(0, 5)
    assert more_often(all_, none) == pytest.approx(1 / 252)
    assert more_often(none, all_) == 1.0
