"""Train the reader, and measure it on records of kinds that did not train it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file

from sage_rag.agents.reading.reader import Reader, read_reader_weights
from sage_rag.common.minilm.base import base_digest
from sage_rag.common.minilm.network import Encoder
from sage_rag.privacy.protect import Protector
from sage_rag.training.adapters import changes, load_changes
from sage_rag.training.optimization import Progress
from sage_rag.training.reading.examples import viewed
from sage_rag.training.reading.fit import ReaderSchedule, fit_reader, untrained_network
from sage_rag.training.reading.measuring import ReaderFigures, reader_figures
from sage_rag.training.reading.questions import read_questions, training_and_held_out


@dataclass(frozen=True, slots=True)
class ReaderOutcome:
    """The numbers of records and questions that trained, and the held-out figures."""

    records: int
    questions: int
    figures: ReaderFigures


def train_reader(
    questions: Path,
    weights: Path,
    protector: Protector,
    *,
    seed: int,
    progress: Progress,
    schedule: ReaderSchedule | None = None,
    start: Path | None = None,
) -> ReaderOutcome:
    """Train on a folder of questions; write `weights`.

    `start`: weights to train further; without, MiniLM's. Values are hidden by `protector`. One file
    in eight is held out, and calibrates.

    Raises:
        InputError: for a folder that has no questions, or too few files to hold one out; for a
            `start` that is no reader's weights file.
    """
    if start is not None:
        read_reader_weights(start)  # a wrong file fails before the training
    training, held_out = training_and_held_out(read_questions(questions))
    taught = [viewed(record, protector) for record in training]
    kept = [viewed(record, protector) for record in held_out]
    torch.manual_seed(seed)
    network = untrained_network()
    if start is not None:
        load_changes(network, start)
    fit_reader(network, taught, schedule or ReaderSchedule(), seed=seed, progress=progress)
    _write(network, weights, (1.0, 0.0), seed)
    figures = reader_figures(Reader(weights), kept)
    _write(network, weights, figures.calibration, seed)
    asked = sum(len(record.questions) for record in training)
    return ReaderOutcome(len(training), asked, figures)


def _write(network: Encoder, path: Path, calibration: tuple[float, float], seed: int) -> None:
    settings = {"slope": calibration[0], "shift": calibration[1], "base": base_digest()}
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"reader": json.dumps(settings), "about": json.dumps({"seed": seed})}
    save_file(changes(network), path, metadata)
