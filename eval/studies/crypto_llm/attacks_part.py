"""Attacks on the models of the study: what each gives away of the planted records.

Source: Kobashi et al., Crypto-LLM, §4.4, Table 4. Differs: the paper trains each model ten more
epochs on the texts that are attacked; here records are planted as often as their group says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sage_rag.common.files import reading, write_file
from sage_rag.common.proportions import Proportion
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.model_attacks.attack import (
    AttackName,
    AttackSettings,
    AttackTexts,
    attack_model,
    planted_group,
)
from sage_rag.eval.model_attacks.canaries import read_canaries
from sage_rag.eval.model_attacks.key_recovery import KeyRecovery, recover_keys
from sage_rag.eval.model_attacks.report import key_table, membership_table, table_4
from sage_rag.eval.model_attacks.results import ModelAttackReport
from sage_rag.eval.studies.crypto_llm.arms import (
    ARMS,
    CPT,
    KEY_1,
    KEY_10,
    KEY_100,
    PLAIN,
    SCRUBBED,
)
from sage_rag.eval.studies.crypto_llm.results import stored_result
from sage_rag.eval.studies.crypto_llm.training_runs import SeedFolder
from sage_rag.eval.studies.runner import report
from sage_rag.eval.studies.tables import share, table
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.training.cipher_pretraining.run import SECOND
from sage_rag.training.pretraining.corpus import read_texts

_FILE = "attacks.json"
_KEYS = "keys.json"
ATTACKED = (CPT, PLAIN, KEY_1, KEY_10, KEY_100, SCRUBBED)
"""The models of the paper's Table 4."""
SIZES = AttackSettings(
    attacks=(AttackName.NAMES, AttackName.PREFIX, AttackName.EXTRACTION, AttackName.MEMBERSHIP),
    sentences=20,
    candidates=200,
    samples=20,
    prompts=20,
    passages=200,
    key_trials=10,
)
"""Small enough for a few minutes a model. The paper has 1,000 sentences and 1,000 candidates."""


def run_attacks(seed: SeedFolder) -> None:
    """Attack every trained model that has not been attacked, and the cipher itself."""
    texts = AttackTexts(
        training=list(read_texts([seed.texts.sensitive, seed.texts.public])),
        held_out=list(read_texts([seed.texts.held_out])),
        canaries=read_canaries(seed.texts.canaries),
    )
    settings = replace(SIZES, seed=seed.seed)
    recognizer = default_recognizer()
    for arm in ATTACKED:
        folder = seed.folder / arm.name
        if stored_result(folder) is None or (folder / _FILE).exists():
            continue
        model = CausalModel.open(folder / SECOND / "model")
        found = attack_model(
            arm.name,
            model,
            texts,
            settings,
            recognizer,
            _reported(arm.name),
        )
        write_file(folder / _FILE, found.model_dump_json(indent=1) + "\n")
    if not (seed.folder / _KEYS).exists():
        report("key recovery")
        keys = recover_keys(texts.training, texts.held_out, seed.seed, trials=SIZES.key_trials)
        write_file(seed.folder / _KEYS, keys.model_dump_json(indent=1) + "\n")


def _reported(name: str) -> Callable[[str], None]:
    return lambda step: report(f"{name}: {step}")


def stored_attacks(home: Path) -> list[ModelAttackReport]:
    """Return the attacks on all models, by seed and in the order of the arms."""
    found = []
    for folder in sorted(home.glob("seed-*")):
        for name in ARMS:
            file = folder / name / _FILE
            if file.exists():
                with reading(file):
                    found.append(ModelAttackReport.model_validate_json(file.read_text("utf-8")))
    return found


def stored_keys(home: Path) -> KeyRecovery | None:
    """Return the attack on the cipher of the first seed that has one."""
    for file in sorted(home.glob(f"seed-*/{_KEYS}")):
        with reading(file):
            return KeyRecovery.model_validate_json(file.read_text("utf-8"))
    return None


def blocks(found: Sequence[ModelAttackReport], keys: KeyRecovery | None) -> Iterator[str]:
    """Yield the tables of the part, where it has been run."""
    if found:
        yield "## Attacks on planted records\n\n" + _planted_table(found)
        yield (
            "### By group\n\nThe paper's Table 4. `not planted`: records of the same kind that no "
            "model has read; what a model gives away of them, it gives away of its language."
            f"\n\n{table_4(found, paper=True)}"
        )
        yield f"### Membership\n\n{membership_table(found)}"
    if keys is not None:
        yield (
            "## Attacks on the cipher\n\nHow much ciphertext gives the key to someone who does not "
            f"have it.\n\n{key_table(keys)}"
        )


def _planted_table(found: Sequence[ModelAttackReport]) -> str:
    titles = (
        *("model", "seed", "names, planted", "names, not planted", "continued exactly, planted"),
        *("continued exactly, not planted", "prompts with a string of 35 words, planted"),
    )
    rows = [
        (
            attacked.model,
            attacked.seed,
            *(share(_names(attacked, planted=p)) for p in (True, False)),
            *(share(_continued(attacked, planted=p)) for p in (True, False)),
            share(_extracted(attacked)),
        )
        for attacked in found
    ]
    explanation = (
        "All frequencies together. The models of `cpt` have read no planted record. A cipher "
        "protects a record from the model where its row is like that of `cpt`, and a row above it "
        "by more than the intervals is a leak. Planted records are in the sensitive texts alone."
    )
    return f"{explanation}\n\n{table(titles, rows)}"


def _names(attacked: ModelAttackReport, *, planted: bool) -> Proportion:
    return _sum(n.result.first for n in attacked.names if _is_group(n.group, planted=planted))


def _continued(attacked: ModelAttackReport, *, planted: bool) -> Proportion:
    return _sum(p.result.exact for p in attacked.prefixes if _is_group(p.group, planted=planted))


def _extracted(attacked: ModelAttackReport) -> Proportion:
    return _sum(e.result.outputs for e in attacked.extraction if _is_group(e.group, planted=True))


def _is_group(name: str, *, planted: bool) -> bool:
    return name.startswith("planted ") if planted else name == planted_group(0)


def _sum(found: Iterator[Proportion]) -> Proportion:
    shares = list(found)
    return Proportion.of(sum(s.successes for s in shares), sum(s.trials for s in shares))
