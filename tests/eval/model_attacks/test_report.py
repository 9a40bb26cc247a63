from __future__ import annotations

from sage_rag.eval.model_attacks.canaries import invent_canaries
from sage_rag.eval.model_attacks.key_recovery import recover_keys
from sage_rag.eval.model_attacks.report import tables
from sage_rag.eval.model_attacks.results import ModelAttackReport

TEXT, OTHER = (
    "\n\n".join(canary.text for canary in invent_canaries({1: 30}, seed)) for seed in (1, 2)
)


def test_the_curves_are_a_table_and_a_sentence_states_what_is_enough() -> None:
    keys = recover_keys(
        [TEXT], [OTHER], 0, trials=2, key_lengths=(1, 100), characters=(30, 1000), cribs=(0,)
    )
    report = ModelAttackReport(
        model="m", seed=0, names=(), prefixes=(), extraction=(), membership=(), keys=keys
    )
    written = tables(report)
    assert written.count("| 100 | 30 | 0 |") == 1
    assert "(paper)" not in written  # the attacks of its table were not chosen
    needed = keys.characters_needed(1)
    assert f"Key length 1: {needed} characters of ciphertext are enough" in written
    assert keys.characters_needed(100) is None
    assert "Key length 100:" not in written
