"""The page claims a gain from language only where no control has it, too."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.eval.studies.crypto_llm.attacks_part import Attacks
from sage_rag.eval.studies.crypto_llm.curves import curve_plots
from sage_rag.eval.studies.crypto_llm.page import blocks
from sage_rag.eval.studies.crypto_llm.results import ArmResult
from sage_rag.eval.studies.crypto_llm.settings import SMALL
from tests.eval.studies.crypto_llm.results import arm_result


def shown(*results: ArmResult) -> str:
    return "\n\n".join(
        blocks(results, SMALL, {"held_out": "a.svg", "first_stage": "b.svg"}, Attacks())
    )


def findings(**bits: float) -> str:
    results = [
        arm_result(name.replace("_", "-"), [3.0, end], first=name != "cpt")
        for name, end in bits.items()
    ]
    return shown(*results).partition("## Findings")[2].partition("##")[0]


def test_a_gain_is_compared_with_the_controls() -> None:
    better = findings(cpt=2.5, key_10=2.3, key_10_shuffled=2.5, dyck=2.45)
    assert "`key-10` is better than `cpt` in 1 of 1 seed: -0.200" in better
    assert "the control `key-10-shuffled` in 1 of 1 seed, `dyck` in 1 of 1 seed." in better
    assert "needs no language" not in better
    warmed = findings(cpt=2.5, key_10=2.3, key_10_shuffled=2.5, dyck=2.3)
    assert "`dyck` in 0 of 1 seed. Where it is not, the gain needs no language." in warmed


def test_seeds_that_disagree_are_counted() -> None:
    results = [
        arm_result(name, [3.0, bits], seed=seed, first=name != "cpt")
        for seed, ends in enumerate(((2.5, 2.3), (2.5, 2.6)))
        for name, bits in zip(("cpt", "key-10"), ends, strict=True)
    ]
    line = next(line for line in shown(*results).splitlines() if line.startswith("* `key-10`"))
    assert "is better than `cpt` in 1 and worse in 1 of 2 seeds: -0.050" in line


def test_what_a_control_alone_does_is_said() -> None:
    found = findings(cpt=2.5, key_10=2.3, key_10_shuffled=2.7, dyck=2.4)
    assert "The control `key-10-shuffled` is worse than `cpt` in 1 of 1 seed: +0.200" in found
    assert "The control `dyck` is better than `cpt` in 1 of 1 seed: -0.100" in found
    assert "`dyck` is better than `cpt` in 0 and worse in 0 of 1 seed" in findings(
        cpt=2.5, dyck=2.5
    )


def test_the_two_carries_are_compared() -> None:
    found = findings(cpt=2.5, key_10=2.3, key_10_whole=2.4)
    assert "* `key-10-whole` is worse than `key-10` in 1 of 1 seed: +0.100" in found


def test_no_gain_and_missing_controls_are_said() -> None:
    assert "`key-10` is worse than `cpt`" in findings(cpt=2.5, key_10=2.6)
    alone = findings(cpt=2.5, key_1=2.3)
    assert "controls have not been run, so it is open whether language is the cause" in alone
    assert "have not been run" in findings(cpt=2.5)


def test_seeds_are_averaged_and_what_is_missing_is_listed() -> None:
    results = [arm_result("cpt", [3.0, 2.5 + s / 100], seed=s, first=False) for s in range(3)]
    page = shown(*results, arm_result("key-1", [2.6, 2.3]))
    assert "| cpt | 3 | 2.510 (2.485 to 2.535) |" in page
    assert "* Seed 0: `plain`, `key-10`" in page
    assert "* All arms: 0 of 3 seeds." in page


def test_saved_tokens_are_those_of_the_curve() -> None:
    page = shown(arm_result("cpt", [3.0, 2.5], first=False), arm_result("key-1", [2.75, 2.25]))
    row = next(line for line in page.splitlines() if line.startswith("| key-1 (Crypto-LLM Key1)"))
    assert "| 1,500 | 25% | 0.375 |" in row


def points(drawing: str) -> int:
    return drawing.count("<circle")


def test_the_plots_have_a_point_for_each_measurement() -> None:
    results: Sequence[ArmResult] = [arm_result("cpt", first=False), arm_result("key-1")]
    drawings = curve_plots(results)
    assert points(drawings["held_out"]) == 4
    assert points(drawings["first_stage"]) == 2
