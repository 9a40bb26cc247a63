"""Fine-tune an encoder of transformers to read: whether a text answers, and with which stretch.

Source: Devlin et al. (2019), BERT, §4.3: start and end of the answer, which stand at the first
piece where there is none. Differs: embeddings and the lowest third of the layers are kept as they
are, which a few thousand questions could only spoil; examples are weighted (`fit.py`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.precision import Precision, fastest_precision
from sage_rag.privacy.protect import Protector
from sage_rag.training.optimization import Progress, train_changes
from sage_rag.training.reading.examples import AskedText, ViewedRecord, viewed
from sage_rag.training.reading.fit import (
    ReaderSchedule,
    WeightedExample,
    border_loss,
    drawn_batches,
)
from sage_rag.training.reading.questions import read_questions, training_and_held_out

_Coded = tuple[Any, tuple[int, int]]
"""A row of word pieces, as the tokenizer gives it, and the borders of the answer."""
FINE_TUNING = ReaderSchedule(epochs=1, rate=5e-5)
"""Not tuned: one schedule was tried."""
_LONGEST = 320
"""Word pieces of a question and a text; a longer text is cut."""
_KEPT_SHARE = 3
"""One layer in that many is kept as it is, the lowest ones."""


def fine_tune_reader(
    questions: Path,
    folder: Path,
    out: Path,
    protector: Protector,
    *,
    seed: int,
    progress: Progress,
    schedule: ReaderSchedule = FINE_TUNING,
) -> None:
    """Fine-tune the encoder of a folder on a folder of questions; write the model to `out`.

    Values are hidden by `protector`. The held-out files are left for `eval reader`.

    Raises:
        InputError: for a folder that has no questions, or no encoder.
    """
    training, _ = training_and_held_out(read_questions(questions))
    model, tokenizer = load_encoder(folder)  # a wrong folder fails before the texts are read
    records = [viewed(record, protector) for record in training]
    fine_tune(model, tokenizer, records, schedule, seed=seed, progress=progress)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def load_encoder(folder: Path) -> tuple[Any, Any]:
    """Return an encoder with a head for question answering, and its tokenizer.

    Raises:
        InputError: for a folder without an encoder that transformers can give such a head.
    """
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    try:
        model: Any = AutoModelForQuestionAnswering.from_pretrained(folder, local_files_only=True)
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError):
        raise InputError(
            f"`{folder}` holds no encoder of transformers",
            hint="download one first, for example all-mpnet-base-v2, and give its folder",
        ) from None
    return model, tokenizer


def fine_tune(
    model: Any,
    tokenizer: Any,
    records: Sequence[ViewedRecord],
    schedule: ReaderSchedule,
    *,
    seed: int,
    progress: Progress,
) -> None:
    """Train an encoder in place; on one machine, the same seed gives the same model."""
    torch.manual_seed(seed)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    _keep_lowest(model)
    coded = _Coder(tokenizer)
    order = random.Random(seed)  # noqa: S311 - not a secret
    train_changes(
        model,
        drawn_batches(records, schedule, order, lambda e: len(coded(e.asked)[0]["input_ids"])),
        lambda batch: _loss(model, coded, batch),
        rate=schedule.rate,
        weight_decay=schedule.weight_decay,
        progress=progress,
    )


def _keep_lowest(model: Any) -> None:
    """Freeze embeddings and the lowest layers, where the encoder has such parts."""
    base = model.base_model
    layers = getattr(getattr(base, "encoder", None), "layer", [])
    for part in [getattr(base, "embeddings", None), *layers[: len(layers) // _KEPT_SHARE]]:
        if part is not None:
            part.requires_grad_(False)


class _Coder:
    """Word pieces of a question and a text, and the answer's first and last piece among them."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._longest = min(_LONGEST, tokenizer.model_max_length)

    def __call__(self, asked: AskedText) -> _Coded:
        row = self._tokenizer(
            asked.question,
            asked.text,
            truncation="longest_first",
            max_length=self._longest,
            return_offsets_mapping=True,
        )
        offsets = row.pop("offset_mapping")
        if asked.answer is None:
            return row, (0, 0)
        start, end = asked.answer
        inside = [
            place
            for place, (part, (first, last)) in enumerate(
                zip(row.sequence_ids(), offsets, strict=True)
            )
            if part == 1 and first < end and last > start
        ]
        return row, (inside[0], inside[-1]) if inside else (0, 0)

    def padded(self, rows: Sequence[Any]) -> Any:
        """Return the tensors of rows, with the segments of question and text where it has some."""
        return self._tokenizer.pad([dict(row) for row in rows], return_tensors="pt")


def _loss(model: Any, coded: _Coder, batch: Sequence[WeightedExample]) -> Tensor:
    examples, weights = zip(*batch, strict=True)
    rows, borders = zip(*(coded(example.asked) for example in examples), strict=True)
    inputs = coded.padded(rows).to(model.device)
    device = model.device.type
    half = device == "cuda" or fastest_precision() is Precision.HALF
    with torch.autocast(device, dtype=torch.bfloat16, enabled=half):
        outputs = model(**inputs)
    stretch = border_loss(
        outputs.start_logits.float().cpu(),
        outputs.end_logits.float().cpu(),
        inputs["attention_mask"].cpu().bool(),
        torch.tensor(borders),
    )
    weight = torch.tensor(weights)
    loss: Tensor = (stretch * weight).sum() / weight.sum()
    return loss
