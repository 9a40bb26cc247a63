"""Train a reader, and measure it on records of kinds that did not train it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file

from sage_rag.agents.reading.backends.question_answering import (
    QuestionAnsweringReader,
    write_calibration,
)
from sage_rag.agents.reading.reader import Reader, ReaderSettings, read_reader_weights
from sage_rag.common.minilm.base import base_digest
from sage_rag.common.minilm.network import Encoder
from sage_rag.privacy.protect import Protector
from sage_rag.training.adapters import average_with, changes, load_changes
from sage_rag.training.optimization import Progress
from sage_rag.training.reading.examples import (
    AskedText,
    asked_of_others,
    asked_texts,
    reading_example,
)
from sage_rag.training.reading.fit import fit_reader, untrained_network
from sage_rag.training.reading.measuring import ReaderFigures, reader_figures
from sage_rag.training.reading.question_answering import fine_tune
from sage_rag.training.reading.questions import QuestionedRecord, training_and_held_out
from sage_rag.training.reading.schedule import LOW_RANK, WHOLE_MODEL, ReaderSchedule
from sage_rag.training.reading.views import ViewedRecord, viewed


@dataclass(frozen=True, slots=True)
class ReaderOutcome:
    """The numbers of records and questions that trained, and the held-out figures."""

    records: int
    questions: int
    figures: ReaderFigures


@dataclass(frozen=True, slots=True)
class ReaderViews:
    """The records that train a reader, and those of held-out files, with values hidden and not."""

    training: Sequence[ViewedRecord]
    held_out: Sequence[ViewedRecord]

    @classmethod
    def of(
        cls,
        records: Sequence[QuestionedRecord],
        protector: Protector,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> ReaderViews:
        """Hide the values of records by `protector`; one file in eight is held out.

        `progress` receives the records done and all records.

        Raises:
            InputError: when there are too few files to hold one out.
        """
        training, held_out = training_and_held_out(records)
        views = []
        for done, record in enumerate([*training, *held_out], 1):
            views.append(viewed(record, protector))
            progress(done, len(records))
        return cls(views[: len(training)], views[len(training) :])

    def outcome(self, figures: ReaderFigures) -> ReaderOutcome:
        """Return the figures with the numbers of what trained."""
        asked = sum(len(record.plain.questions) for record in self.training)
        return ReaderOutcome(len(self.training), asked, figures)


def train_reader(
    views: ReaderViews,
    weights: Path,
    epochs: int,
    *,
    seed: int,
    progress: Progress,
    measuring: Callable[[int, int], None] = lambda done, of: None,
    schedule: ReaderSchedule = LOW_RANK,
    start: Path | None = None,
    earlier: Path | None = None,
) -> ReaderOutcome:
    """Train low-rank changes of MiniLM, on a GPU where there is one; write `weights`.

    `start`: weights to train further; without, MiniLM's. `earlier`: weights with the same beginning
    (`start` itself, or a training with the same seed); the result is the mean of both. The held-out
    files calibrate; `measuring` receives how many of their records are done, and all of them.

    Raises:
        InputError: for a `start` or `earlier` that is no reader's weights file.
    """
    for file in (start, earlier):
        if file is not None:
            read_reader_weights(file)  # a wrong file fails before the training
    torch.manual_seed(seed)
    network = untrained_network()
    if start is not None:
        load_changes(network, start)
    network.to("cuda" if torch.cuda.is_available() else "cpu")
    examples = [
        [example for text in asked if (example := reading_example(text)) is not None]
        for asked in _asked(views, epochs, seed)
    ]
    fit_reader(network, examples, schedule, seed=seed, progress=progress)
    if earlier is not None:
        average_with(network.cpu(), earlier)
    _write(network, weights, ReaderSettings(1.0, 0.0), seed)
    figures = reader_figures(Reader(weights), views.held_out, measuring)
    _write(network, weights, figures.calibration, seed)
    return views.outcome(figures)


def train_large_reader(
    views: ReaderViews,
    base: Path,
    folder: Path,
    epochs: int,
    *,
    seed: int,
    progress: Progress,
    measuring: Callable[[int, int], None] = lambda done, of: None,
    schedule: ReaderSchedule = WHOLE_MODEL,
) -> ReaderOutcome:
    """Train all weights of the model in `base`; write the model and its calibration to `folder`.

    `measuring`: as for `train_reader`.

    Raises:
        InputError: when `base` holds no model.
    """
    texts = _asked(views, epochs, seed)
    fine_tune(base, texts, folder, schedule, seed=seed, progress=progress)
    reader = QuestionAnsweringReader(folder, ReaderSettings(1.0, 0.0))
    figures = reader_figures(reader, views.held_out, measuring)
    write_calibration(folder, figures.calibration)
    return views.outcome(figures)


def _asked(views: ReaderViews, epochs: int, seed: int) -> list[list[AskedText]]:
    """Draw the questions and texts of each epoch."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    return [
        [*asked_texts(views.training, chance), *asked_of_others(views.training, chance)]
        for _ in range(epochs)
    ]


def _write(network: Encoder, path: Path, settings: ReaderSettings, seed: int) -> None:
    found = {"slope": settings.slope, "shift": settings.shift, "base": base_digest()}
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"reader": json.dumps(found), "about": json.dumps({"seed": seed})}
    save_file({name: part.cpu() for name, part in changes(network).items()}, path, metadata)
