"""The models: the fresh one and the one that generates, of all seeds, and the prefixes of each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sage_rag.eval.studies.controlled.corpora import StudyTexts
from sage_rag.eval.studies.controlled.settings import ControlledSettings
from sage_rag.eval.studies.runner import report
from sage_rag.eval.studies.training_progress import REPORT_EVERY, training_progress
from sage_rag.eval.synthetic_text.backends.perplexity import TuningSettings
from sage_rag.privacy.keyset.keyset import Keyset, key_id_of
from sage_rag.training.controlled.names import Contrast
from sage_rag.training.controlled.prefix import SETTINGS
from sage_rag.training.controlled.prefix_training import PrefixSettings, train_prefix
from sage_rag.training.controlled.sampling import CausalWriter
from sage_rag.training.pretraining.config import (
    DataSettings,
    HardwareSettings,
    ModelSettings,
    OptimizationSettings,
    PretrainingConfig,
    SizeSettings,
)
from sage_rag.training.pretraining.corpus import write_texts
from sage_rag.training.pretraining.loop import pretrain
from sage_rag.training.pretraining.tokenizing import save_tokenizer, train_tokenizer

_STEPS_PER_CHECKPOINT = 50


@dataclass(frozen=True)
class SeedModels:
    """The models of one seed; what their folders hold complete is not trained again.

    All seeds share the fresh model and the one that generates. The seed decides codes, samples,
    the order of prefix training and that of tuning.
    """

    folder: Path
    texts: StudyTexts
    settings: ControlledSettings
    seed: int

    @property
    def keyset(self) -> Keyset:
        """Keys that depend on the seed alone: a run that is killed continues with equal texts."""
        key = hashlib.sha256(f"study controlled {self.seed}".encode()).digest()
        return Keyset({key_id_of(key): key}, key_id_of(key))

    @property
    def _shared(self) -> Path:
        return self.texts.home / "models"

    @property
    def _cases(self) -> list[str]:
        return [document.text for document in self.texts.training_cases]

    @property
    def tuning(self) -> TuningSettings:
        """How copies of the fresh model are tuned for perplexity."""
        own = self.settings
        return TuningSettings(
            epochs=own.tuning_epochs, row_tokens=own.row_tokens, rows=1, seed=self.seed
        )

    def fresh(self) -> Path:
        """Return the model that has read novels alone: perplexity tunes copies of it."""
        run = self._shared / "fresh"
        tokenizer = self._shared / "tokenizer"
        if not (run / "texts.jsonl").exists():
            novels = list(self.texts.novels())
            both = [*novels, *self._cases]
            save_tokenizer(train_tokenizer(both, self.settings.vocabulary), tokenizer)
            run.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_texts(run / "texts.jsonl", novels)
        own = self.settings
        size = SizeSettings(width=own.width, layers=own.layers, heads=own.heads)
        model = ModelSettings(start="random", size=size)
        return self._pretrain(run, model, tokenizer, 1, own.learning_rate)

    def base(self) -> Path:
        """Return the model that generates: the fresh one after the training cases."""
        fresh, run = self.fresh(), self._shared / "base"
        if not (run / "texts.jsonl").exists():
            run.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_texts(run / "texts.jsonl", self._cases)
        model = ModelSettings(start="weights", path=fresh)
        own = self.settings
        return self._pretrain(run, model, fresh, own.case_epochs, own.case_learning_rate)

    def prefix(self, contrast: Contrast, rate: float, *, known: bool) -> Path:
        """Return the folder of a prefix that is trained on the pieces of the training cases."""
        folder = self.folder / f"prefix-{contrast}-{rate:g}-{'known' if known else 'recognised'}"
        if (folder / SETTINGS).exists():
            return folder
        writer = CausalWriter.open(self.base())
        settings = PrefixSettings(
            learning_rate=rate,
            epochs=self.settings.prefix_epochs,
            contrast=contrast,
            seed=self.seed,
        )
        documents = self.texts.known if known else self.texts.recognised

        def progress(done: int, steps: int, loss: float) -> None:
            if done % REPORT_EVERY == 0 or done == steps:
                report(f"{folder.name}: step {done} of {steps}, loss {loss:.3f}")

        found = train_prefix(writer.model, writer.tokenizer, documents, settings, progress)
        found.save(folder, writer.digest, settings.as_json())
        return folder

    def _pretrain(
        self, run: Path, model: ModelSettings, tokenizer: Path, epochs: int, rate: float
    ) -> Path:
        exported = run / "run" / "model"
        if exported.exists():  # without the lock of the run: seeds may use it side by side
            return exported
        config = PretrainingConfig(
            out=run / "run",
            model=model,
            data=DataSettings(
                corpus=(run / "texts.jsonl",),
                tokenizer=tokenizer,
                row_tokens=self.settings.row_tokens,
            ),
            optimization=OptimizationSettings(
                learning_rate=rate,
                epochs=epochs,
                rows_per_device=self.settings.rows,
                weight_decay=0.01,
                betas=(0.9, 0.95),
            ),
            hardware=HardwareSettings(
                device="cpu", kept_checkpoints=1, steps_per_checkpoint=_STEPS_PER_CHECKPOINT
            ),
        )

        return pretrain(config, progress=training_progress(run.name))
