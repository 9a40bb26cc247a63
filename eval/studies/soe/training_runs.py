"""The training runs of one seed: the tokenizer, the base model, and one model for each arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sage_rag.eval.studies.soe.corpora import Population, school_texts
from sage_rag.eval.studies.training_progress import training_progress
from sage_rag.training.pretraining.compiler import has_compiler
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

_STEPS_PER_CHECKPOINT = 100
"""A killed run repeats at most as many steps: a minute of one core."""
_TEXTS_FOR_TOKENIZER = 12_000


@dataclass(frozen=True, slots=True)
class SeedFolder:
    """The folder of one seed; a run that it holds complete is not repeated."""

    folder: Path
    people: Population

    def base_model(self) -> Path:
        """Train the tokenizer and the base model, and return the model's folder."""
        settings = self.people.settings
        run = self.folder / "base"
        tokenizer = self.folder / "tokenizer"
        if not (run / "texts.jsonl").exists():
            texts = school_texts(self.people)
            part = texts[:_TEXTS_FOR_TOKENIZER]
            save_tokenizer(train_tokenizer(part, settings.vocabulary), tokenizer)
            run.mkdir(parents=True, exist_ok=True)
            write_texts(run / "texts.jsonl", texts)
        size = SizeSettings(width=settings.width, layers=settings.layers, heads=settings.heads)
        model = ModelSettings(start="random", size=size)
        return self._pretrain(run, model, tokenizer, settings.schooled_epochs)

    def arm_model(
        self,
        name: str,
        texts: Sequence[str],
        *,
        steps: int | None = None,
        start: Path | None = None,
        tokenizer: Path | None = None,
    ) -> Path:
        """Continue the training of a model on texts, and return the folder of the new model.

        `steps`: how many to take, in as many epochs as that needs; default: the study's epochs.
        `start`: folder of the model to continue; default: the base model. `tokenizer`: folder of
        one that extends that of the model; default: that of the model.
        """
        first = start or self.base_model()
        run = self.folder / name
        if not (run / "texts.jsonl").exists():
            run.mkdir(parents=True, exist_ok=True)
            write_texts(run / "texts.jsonl", texts)
        model = ModelSettings(start="weights", path=first)
        epochs = self.people.settings.epochs
        return self._pretrain(run, model, tokenizer or first, epochs, steps)

    def _pretrain(
        self,
        run: Path,
        model: ModelSettings,
        tokenizer: Path,
        epochs: int,
        steps: int | None = None,
    ) -> Path:
        settings = self.people.settings
        config = PretrainingConfig(
            out=run / "run",
            seed=self.people.seed,
            model=model,
            data=DataSettings(
                corpus=(run / "texts.jsonl",),
                tokenizer=tokenizer,
                row_tokens=settings.row_tokens,
            ),
            optimization=OptimizationSettings(
                learning_rate=settings.learning_rate,
                epochs=steps if steps is not None else epochs,
                max_steps=steps,
                rows_per_device=settings.rows_per_step,
                weight_decay=0.01,
                betas=(0.9, 0.95),
            ),
            hardware=HardwareSettings(
                precision="bfloat16",
                compiled=has_compiler(),
                steps_per_checkpoint=_STEPS_PER_CHECKPOINT,
                kept_checkpoints=1,
            ),
        )

        return pretrain(config, progress=training_progress(run.name))
