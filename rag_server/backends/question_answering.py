"""A reader for the question-answering models of the library transformers."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import cached_property
from math import exp, inf, isfinite
from pathlib import Path
from typing import Any

from sage_rag.agents.reading.protocols import Reading
from sage_rag.agents.reading.reader import ReaderSettings, best_stretch
from sage_rag.common.exceptions import InputError

CALIBRATION = "sage_rag_reader.json"
"""The file in a model's folder that `eval reader` writes."""
_WINDOW, _OVERLAP = 384, 128
"""Word pieces. Source: Devlin et al. (2019), BERT, run_squad.py."""
_QUESTION_SHARE = 4
"""A question takes at most one of that many pieces of a window; of a longer one the end is read."""
_FARTHEST = 700.0
"""Bounds the exponent of a probability."""


class QuestionAnsweringReader:
    """Read with a model that was trained to mark answers, and that there is none, as in SQuAD 2.0.

    `folder`: a model on this machine; nothing is ever downloaded. It loads on first use. Threads
    take turns. The probability is that of the best stretch against none, mapped by `settings`.
    """

    def __init__(
        self, folder: Path, settings: ReaderSettings | None = None, *, device: str | None = None
    ) -> None:
        """Read the calibration in the folder, unless `settings` are given.

        Raises:
            InputError: when there is none.
        """
        self._folder = folder
        self._settings = settings or _calibration(folder)
        self._device = device
        self._turn = threading.Lock()

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """Return what each text answers; of a long text, that of its best window.

        Raises:
            InputError: when the model cannot be loaded.
        """
        with self._turn:
            return [self._read(question, text) for text in texts]

    def _read(self, question: str, text: str) -> Reading:
        import torch

        windows = self._windows(question, text)
        offsets = windows.pop("offset_mapping").tolist()
        windows.pop("overflow_to_sample_mapping", None)
        model = self._model
        with torch.inference_mode():
            outputs = model(**{name: part.to(model.device) for name, part in windows.items()})
        starts, ends = outputs.start_logits.float().cpu(), outputs.end_logits.float().cpu()
        best: tuple[float, int, int] = (-inf, 0, 0)
        for number, places in enumerate(offsets):
            own = [i for i, part in enumerate(windows.sequence_ids(number)) if part == 1]
            if not own:
                continue
            start, end = starts[number].numpy(), ends[number].numpy()
            score, first, last = best_stretch(start[own], end[own])
            score -= float(start[0] + end[0])  # the mark at the beginning stands for "no answer"
            best = max(best, (score, places[own[first]][0], places[own[last]][1]))
        score, first, last = best
        return Reading(self._probability(score), first, last)

    def _probability(self, score: float) -> float:
        log_odds = self._settings.slope * score + self._settings.shift
        return 1 / (1 + exp(-min(max(log_odds, -_FARTHEST), _FARTHEST)))

    def _windows(self, question: str, text: str) -> Any:
        """Return the model's input: the question with each window of the text."""
        longest = min(_WINDOW, self._tokenizer.model_max_length)
        most = longest // _QUESTION_SHARE
        pieces = self._tokenizer(
            question, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )["offset_mapping"]
        return self._tokenizer(
            question[pieces[-most][0] :] if len(pieces) > most else question,
            text,
            truncation="only_second",
            max_length=longest,
            stride=min(_OVERLAP, longest // 3),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            padding=True,
            return_tensors="pt",
        )

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        try:
            return AutoTokenizer.from_pretrained(self._folder, local_files_only=True)
        except (OSError, ValueError):
            raise _unusable(self._folder) from None

    @cached_property
    def _model(self) -> Any:
        import torch
        from transformers import AutoModelForQuestionAnswering
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            loading: Any = AutoModelForQuestionAnswering.from_pretrained(
                self._folder, local_files_only=True, output_loading_info=True
            )
        except (OSError, ValueError):
            raise _unusable(self._folder) from None
        model, loaded = loading
        if [*loaded.get("missing_keys", ()), *loaded.get("mismatched_keys", ())]:
            raise _unusable(self._folder)  # its answers would be those of random weights
        found = "cuda" if torch.cuda.is_available() else "cpu"
        return model.to(self._device or found).eval()


def _calibration(folder: Path) -> ReaderSettings:
    file = folder / CALIBRATION
    try:
        found = json.loads(file.read_text("utf-8"))
        slope, shift = float(found["slope"]), float(found["shift"])
        if isfinite(slope) and isfinite(shift):
            return ReaderSettings(slope, shift)
        what = f"has a damaged {CALIBRATION}"
    except FileNotFoundError:
        what = "is not calibrated"
    except (OSError, ValueError, KeyError, TypeError):
        what = f"has a damaged {CALIBRATION}"
    raise InputError(
        f"the reader `{folder}` {what}",
        hint=f"calibrate it on questions with known answers: sage-rag eval reader {folder}",
    )


def _unusable(folder: Path) -> InputError:
    return InputError(
        f"`{folder}` holds no complete question-answering model",
        hint="a model of transformers with a head for question answering, trained on SQuAD 2.0",
    )
