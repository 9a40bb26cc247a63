"""Train the reader, and measure it on records of kinds that did not train it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from sage_rag.agents.reading.reader import decode, new_network, read_reader_weights
from sage_rag.common.batches import batches_of
from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.base import base_digest
from sage_rag.common.minilm.model import EncoderModel
from sage_rag.common.minilm.network import Encoder, load_trained
from sage_rag.privacy.protect import Protector
from sage_rag.training.adapters import changes, load_changes
from sage_rag.training.optimization import Progress
from sage_rag.training.platt import LabelledLogits, platt
from sage_rag.training.reading.examples import (
    ReadingExample,
    ViewedRecord,
    viewed,
    whole_example,
)
from sage_rag.training.reading.fit import ReaderSchedule, fit_reader, untrained_network
from sage_rag.training.reading.questions import QuestionedRecord, read_questions

_HELD_OUT = 8
"""One file of that many is held out, by the digest of its name."""
_PAIRS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class ReadingCases:
    """Questions on whole records: the logit of each, and whether the record answers it.

    `found`: of the answered ones, whether the stretch that the reader names overlaps the answer.
    """

    cases: LabelledLogits
    found: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ReaderOutcome:
    """The numbers of records and questions that trained, and the held-out figures."""

    records: int
    questions: int
    hidden: ReadingCases
    plain: ReadingCases


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
    training, held_out = _split(read_questions(questions))
    taught = [viewed(record, protector) for record in training]
    kept = [viewed(record, protector) for record in held_out]
    torch.manual_seed(seed)
    network = untrained_network()
    if start is not None:
        load_changes(network, start)
    fit_reader(network, taught, schedule or ReaderSchedule(), seed=seed, progress=progress)
    _write(network, weights, (1.0, 0.0), seed)
    hidden, plain = (measured(weights, kept, hides=hides) for hides in (True, False))
    both = LabelledLogits(
        np.concatenate([hidden.cases.logits, plain.cases.logits]),
        np.concatenate([hidden.cases.positive, plain.cases.positive]),
    )
    _write(network, weights, platt(both, method="L-BFGS-B", bounds=[(0.05, 5), (-9, 9)]), seed)
    asked = sum(len(record.questions) for record in training)
    return ReaderOutcome(len(training), asked, hidden, plain)


def measured(weights: Path, records: Sequence[ViewedRecord], *, hides: bool) -> ReadingCases:
    """Ask each question of its record, with hidden values or in plain text."""
    network = new_network()
    load_trained(network, weights)
    model = EncoderModel(network)
    views = [record.hidden if hides else record.plain for record in records]
    examples: list[ReadingExample] = []
    for view in views:
        for question in view.questions:
            if (example := whole_example(question, view)) is not None:
                examples.append(example)
    logits, found = [], []
    for some in batches_of(examples, _PAIRS_AT_ONCE):
        outputs = model.ask([example.pair.row for example in some])
        for example, output in zip(some, outputs, strict=True):
            logit, (first, last) = decode(example.pair, output)
            logits.append(logit)
            if example.answer is not None:
                start, end = (place - example.pair.first for place in example.answer)
                found.append(first <= end and last >= start)
    positive = np.array([example.answer is not None for example in examples], dtype=np.bool_)
    cases = LabelledLogits(np.array(logits, dtype=np.float64), positive)
    return ReadingCases(cases, np.array(found, dtype=np.bool_))


def _split(
    records: Sequence[QuestionedRecord],
) -> tuple[list[QuestionedRecord], list[QuestionedRecord]]:
    """Return the records that train, and those of held-out files."""
    held_out = {record.source for record in records if _digest(record.source) % _HELD_OUT == 0}
    parts = [[r for r in records if (r.source in held_out) is kept] for kept in (False, True)]
    if not all(parts):
        raise InputError(
            "there are too few files of questions to hold one out",
            hint="write at least a dozen, one for each kind of record",
        )
    return parts[0], parts[1]


def _digest(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)


def _write(network: Encoder, path: Path, calibration: tuple[float, float], seed: int) -> None:
    settings = {"slope": calibration[0], "shift": calibration[1], "base": base_digest()}
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"reader": json.dumps(settings), "about": json.dumps({"seed": seed})}
    save_file(changes(network), path, metadata)
