"""The training of one arm, and its figures."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.eval.studies.crypto_llm.arms import Arm
from sage_rag.eval.studies.crypto_llm.corpus import StudyTexts
from sage_rag.eval.studies.crypto_llm.held_out import HeldOutLog
from sage_rag.eval.studies.crypto_llm.ngrams import NgramFigures, ngram_figures
from sage_rag.eval.studies.crypto_llm.results import ArmResult, StageFigures, stored_result
from sage_rag.eval.studies.crypto_llm.settings import StudySettings
from sage_rag.eval.studies.runner import report
from sage_rag.eval.studies.training_progress import training_progress
from sage_rag.training.cipher_pretraining.config import (
    CIPHERED,
    CipherPretrainingConfig,
    TextSettings,
)
from sage_rag.training.cipher_pretraining.run import (
    FIRST,
    SECOND,
    StageProgress,
    pretrain_in_two_stages,
)
from sage_rag.training.cipher_pretraining.stage_texts import KEY, StageTexts
from sage_rag.training.ciphers.polyalphabetic import ALPHABET
from sage_rag.training.pretraining.config import (
    HardwareSettings,
    OptimizationSettings,
    SizeSettings,
)
from sage_rag.training.pretraining.corpus import read_texts
from sage_rag.training.pretraining.held_out import HeldOutRows
from sage_rag.training.pretraining.metrics import StepMeasurement
from sage_rag.training.pretraining.model import complete_model
from sage_rag.training.pretraining.token_shards import TokenShards

_CHECKPOINT_STEPS = 100


@dataclass(frozen=True, slots=True)
class SeedFolder:
    """The folder of one seed; what it holds complete is not repeated."""

    folder: Path
    settings: StudySettings
    seed: int

    @property
    def texts(self) -> StudyTexts:
        """The texts that all arms share."""
        return StudyTexts(self.folder / "texts")

    def run(self, arm: Arm) -> ArmResult:
        """Train and measure an arm.

        Raises:
            InputError: when an arm that this one takes something from has not been run.
        """
        out = self.folder / arm.name
        found = stored_result(out)
        if found is not None:
            return found
        config = self._config(arm)
        self._write_key(arm, out)
        texts = StageTexts(config)
        texts.prepare()
        held_out = self._held_out(texts, out)

        def observe(done: int, model: Any) -> None:
            if done % self.settings.steps_per_evaluation == 0:
                held_out.measure(done, model)

        exported = pretrain_in_two_stages(config, progress=_progress(arm.name), observe=observe)
        model = complete_model(exported, "auto")
        second = StageFigures.of(out / SECOND, self.texts.public)
        last = held_out.measure(second.steps, model)
        first, ngrams = self._first_figures(arm, texts)
        result = ArmResult(
            name=arm.name,
            seed=self.seed,
            parameters=model.num_parameters(),
            first=first,
            second=second,
            ngrams=ngrams,
            held_out=tuple(held_out.curve()),
        )
        result.save(out)
        report(f"{arm.name}: {last.bits_per_character:.3f} bits per character")
        return result

    def _config(self, arm: Arm) -> CipherPretrainingConfig:
        settings = self.settings
        tokens, trained = None, None
        if arm.first_of is not None:
            self._needs(arm, arm.first_of)
            trained = self.folder / arm.first_of
        if arm.tokens_of is not None:
            self._needs(arm, arm.tokens_of)
            tokens = len(_tokens(self.folder / arm.tokens_of / FIRST))
        return CipherPretrainingConfig(
            out=self.folder / arm.name,
            seed=self.seed,
            vocabulary=settings.vocabulary,
            row_tokens=settings.row_tokens,
            texts=TextSettings(sensitive=(self.texts.sensitive,), public=(self.texts.public,)),
            first_stage=arm.first_stage(tokens, trained),
            size=SizeSettings(width=settings.width, layers=settings.layers, heads=settings.heads),
            optimization=OptimizationSettings(
                learning_rate=settings.learning_rate,
                epochs=settings.epochs,
                rows_per_device=settings.rows_per_step,
                weight_decay=0.1,
                betas=(0.9, 0.95),
            ),
            hardware=HardwareSettings(
                precision="bfloat16", kept_checkpoints=1, steps_per_checkpoint=_CHECKPOINT_STEPS
            ),
        )

    def _held_out(self, texts: StageTexts, out: Path) -> HeldOutLog:
        source = self.texts.held_out
        rows = HeldOutRows(
            source, texts.plain_tokenizer, out / "held-out-tokens", self.settings.row_tokens
        )
        return HeldOutLog(rows, sum(map(len, read_texts([source]))), out)

    def _first_figures(
        self, arm: Arm, texts: StageTexts
    ) -> tuple[StageFigures | None, tuple[NgramFigures, ...]]:
        """Return the training and the n-grams of the first stage, where there is one."""
        if arm.first_of is not None:
            source = self._needs(arm, arm.first_of)
            return source.first, source.ngrams
        run = self.folder / arm.name / FIRST
        if not run.exists():
            return None, ()
        return StageFigures.of(run, texts.first), tuple(ngram_figures(_tokens(run)))

    def _write_key(self, arm: Arm, out: Path) -> None:
        """Write the key of an arm, which the seed gives."""
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        if arm.kind in CIPHERED and not (out / KEY).exists():
            write_file(out / KEY, study_key(arm.key_length or 1, self.seed) + "\n")

    def _needs(self, arm: Arm, other: str) -> ArmResult:
        found = stored_result(self.folder / other)
        if found is None:
            problem = f"the arm `{arm.name}` needs the arm `{other}`"
            raise InputError(problem, hint=f"--arms {other}")
        return found


def study_key(length: int, seed: int) -> str:
    """Return a key that depends on its length and the seed alone; it protects nothing."""
    drawn = random.Random(f"crypto_llm {seed} {length}")  # noqa: S311 - a study's key
    return "".join(drawn.choice(ALPHABET) for _ in range(length))


def _tokens(run: Path) -> NDArray[np.int64]:
    """Return all tokens of a stage."""
    shards = TokenShards.open(run / "tokens" / "corpus")
    return np.concatenate([np.asarray(file, dtype=np.int64) for file in shards.files])


def _progress(name: str) -> StageProgress:
    def progress(stage: str, done: int, steps: int, last: StepMeasurement) -> None:
        training_progress(f"{name}, {stage}")(done, steps, last)

    return progress
