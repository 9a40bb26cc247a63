"""Attacks on the models of the study: what each gives away of the planted records.

Source: Kobashi et al., Crypto-LLM, §4.4, Table 4. Differs: the paper trains each model ten more
epochs on the texts that are attacked; here records are planted as often as their group says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.model_attacks.attack import (
    AttackName,
    AttackSettings,
    AttackTexts,
    attack_model,
)
from sage_rag.eval.model_attacks.canaries import read_canaries
from sage_rag.eval.model_attacks.key_recovery import KeyRecovery, recover_keys
from sage_rag.eval.model_attacks.report import (
    key_readings,
    key_table,
    membership_table,
    table_4,
)
from sage_rag.eval.model_attacks.results import ModelAttackReport
from sage_rag.eval.studies.crypto_llm.arms import ARMS, ATTACKED
from sage_rag.eval.studies.crypto_llm.planted_records import planted_table, verdicts
from sage_rag.eval.studies.crypto_llm.results import stored_result
from sage_rag.eval.studies.crypto_llm.settings import SMALL, StudySettings, repeated
from sage_rag.eval.studies.crypto_llm.training_runs import SeedFolder
from sage_rag.eval.studies.runner import report
from sage_rag.eval.studies.stored_figures import all_stored, store, stored
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.training.cipher_pretraining.run import SECOND
from sage_rag.training.pretraining.corpus import read_texts

_FILE = "attacks.json"
_KEYS = "keys.json"
REPEATED = "repeated"
"""Folder in that of a seed: the models that read few texts, and some records very often."""
_ABOUT = """\
`planted`: how often a record is in the sensitive texts; 0: records of the same kind that no model
has read. The models of `cpt` have read no planted record: their column is what few records give by
chance. A cipher protects a record from the model where its column is like that of `cpt`, and fails
where it is like that of `plain`. Counts are sums over seeds. Other figures are means over seeds
with the lowest and the highest, or, for one seed, with the 95 % interval over its records."""
SIZES = AttackSettings(
    attacks=(AttackName.NAMES, AttackName.PREFIX, AttackName.EXTRACTION, AttackName.MEMBERSHIP),
    sentences=20,
    candidates=1000,
    samples=100,
    prompts=100,
    passages=500,
    key_trials=10,
)
"""Three to four minutes of one core a model. The paper has as many candidates and samples, and
1,000 sentences; there are fewer records here."""
_SMALL_SIZES = replace(SIZES, sentences=10, candidates=100, samples=20)
"""The sizes of `--small`, which is to show in minutes what the attacks do."""


def run_attacks(seed: SeedFolder) -> None:
    """Attack every trained model that has not been attacked."""
    open_arms = [
        arm
        for arm in ATTACKED
        if stored_result(seed.folder / arm.name) and not (seed.folder / arm.name / _FILE).exists()
    ]
    if not open_arms:
        return
    sizes = _SMALL_SIZES if seed.settings.width == SMALL.width else SIZES
    texts, settings = _texts(seed), replace(sizes, seed=seed.seed)
    recognizer = default_recognizer()
    for arm in open_arms:
        folder = seed.folder / arm.name
        model = CausalModel.open(folder / SECOND / "model")
        step = _reported(arm.name)
        store(attack_model(arm.name, model, texts, settings, recognizer, step), folder / _FILE)


def run_key_recovery(seed: SeedFolder) -> None:
    """Attack the cipher itself, where that has not been done."""
    if not (seed.folder / _KEYS).exists():
        report("key recovery")
        texts, trials = _texts(seed), SIZES.key_trials
        keys = recover_keys(texts.training, texts.held_out, seed.seed, trials=trials)
        store(keys, seed.folder / _KEYS)


def _texts(seed: SeedFolder) -> AttackTexts:
    return AttackTexts(
        training=list(read_texts([seed.texts.sensitive, seed.texts.public])),
        held_out=list(read_texts([seed.texts.held_out])),
        canaries=read_canaries(seed.texts.canaries),
    )


def _reported(name: str) -> Callable[[str], None]:
    return lambda step: report(f"{name}: {step}")


def stored_attacks(home: Path, part: str = "") -> list[ModelAttackReport]:
    """Return the attacks on all models, by seed and in the order of the arms.

    `part`: the folder in that of each seed.
    """
    files = [seed / part / name / _FILE for seed in sorted(home.glob("seed-*")) for name in ARMS]
    return [found for file in files if (found := stored(ModelAttackReport, file)) is not None]


def stored_keys(home: Path) -> KeyRecovery | None:
    """Return the attack on the cipher of the first seed that has one."""
    return next(all_stored(KeyRecovery, home, f"seed-*/{_KEYS}"), None)


@dataclass(frozen=True, slots=True)
class Attacks:
    """What the home holds of attacks. `repeated`: on models that read some records very often."""

    models: Sequence[ModelAttackReport] = ()
    repeated: Sequence[ModelAttackReport] = ()
    keys: KeyRecovery | None = None


def findings(attacks: Attacks, settings: StudySettings) -> Iterator[str]:
    """Yield a line for each attack."""
    yield from verdicts(attacks.repeated, repeated(settings).canaries, "Few texts")
    yield from verdicts(attacks.models, settings.canaries, "All texts")
    if attacks.keys is not None:
        yield from map("* {}".format, key_readings(attacks.keys))


def blocks(attacks: Attacks, settings: StudySettings) -> Iterator[str]:
    """Yield the tables of the part, where it has been run."""
    found, repeatedly, keys = attacks.models, attacks.repeated, attacks.keys
    if found or repeatedly:
        yield f"## Attacks on planted records\n\n{_ABOUT}"
    if repeatedly:
        sizes = repeated(settings)
        yield (
            "### Few texts, records planted very often\n\n"
            f"Texts of {sizes.characters_per_text:,} characters each.\n\n"
            f"{planted_table(repeatedly, sizes.canaries)}"
        )
    if found:
        yield (
            "### All texts\n\nThe models of the other tables of this page."
            f"\n\n{planted_table(found, settings.canaries)}"
        )
        yield from _first_seed(found)
    if keys is not None:
        yield (
            "## Attacks on the cipher\n\nHow much ciphertext gives the key to someone who does not "
            f"have it.\n\n{key_table(keys)}"
        )


def _first_seed(found: Sequence[ModelAttackReport]) -> Iterator[str]:
    """Yield all figures of one seed, in the paper's layout."""
    first = [attacked for attacked in found if attacked.seed == found[0].seed]
    yield (
        f"### By group, seed {first[0].seed}\n\nThe paper's Tables 4 and 5. `not planted`: records "
        "of the same kind that no model has read; what a model gives away of them, it gives away "
        f"of its language.\n\n{table_4(first, paper=True)}"
    )
    yield f"### Membership, seed {first[0].seed}\n\n{membership_table(first)}"
