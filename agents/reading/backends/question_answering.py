"""A reader for the question-answering models of the library transformers."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import cached_property
from math import exp, inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

from sage_rag.agents.reading.protocols import Reading
from sage_rag.agents.reading.reader import LONGEST_ANSWER, ReaderSettings
from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file

CALIBRATION = "sage_rag_reader.json"
"""The file in a model's folder that `eval reader` writes."""
_WINDOW, _OVERLAP = 384, 128
"""Word pieces. Source: Devlin et al. (2019), BERT, run_squad.py."""
_QUESTION_SHARE = 4
"""A question takes at most one of that many pieces of a window; of a longer one the end is read."""
_BATCH = 32
"""The number of windows that are read at once."""
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
        if not texts:
            return []
        with self._turn:
            windows = question_windows(self._tokenizer, [(question, text) for text in texts])
            stretches = self._stretches(windows)
        best: list[tuple[float, int, int]] = [(-inf, 0, 0)] * len(texts)
        for owner, at, (score, first, last) in zip(
            windows.owners, windows.offsets, stretches, strict=True
        ):
            if isfinite(score):
                best[owner] = max(best[owner], (score, at[first][0], at[last][1]))
        return [Reading(self._probability(score), start, end) for score, start, end in best]

    def _stretches(self, windows: QuestionWindows) -> list[tuple[float, int, int]]:
        """Return score, first and last piece of the best stretch of each window."""
        import torch

        device = self._model.device
        half = torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")
        found = []
        for first in range(0, len(windows.owners), _BATCH):
            some = slice(first, first + _BATCH)
            rows = {name: part[some].to(device) for name, part in windows.inputs.items()}
            with torch.inference_mode(), half:
                outputs = self._model(**rows)
            starts, ends = outputs.start_logits.float(), outputs.end_logits.float()
            found += _best_stretches(starts, ends, windows.inside[some].to(device))
        return found

    def _probability(self, score: float) -> float:
        log_odds = self._settings.slope * score + self._settings.shift
        return 1 / (1 + exp(-min(max(log_odds, -_FARTHEST), _FARTHEST)))

    @cached_property
    def _tokenizer(self) -> Any:
        return load_tokenizer(self._folder)

    @cached_property
    def _model(self) -> Any:
        import torch

        model, loaded = load_model(self._folder)
        if [*loaded.get("missing_keys", ()), *loaded.get("mismatched_keys", ())]:
            raise _unusable(self._folder)  # its answers would be those of random weights
        found = "cuda" if torch.cuda.is_available() else "cpu"
        return model.to(self._device or found).eval()


class QuestionWindows(NamedTuple):
    """Each question with each window of its text.

    `inputs`: the model's, padded. `owners`: the number of each window's pair. `offsets`: the code
    points of each piece in its text or question. `inside` (windows, pieces): the text's pieces.
    """

    inputs: Any
    owners: list[int]
    offsets: list[list[tuple[int, int]]]
    inside: Any


def question_windows(tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> QuestionWindows:
    """Return the windows of questions and texts; of a long question, the end."""
    import torch

    longest = min(_WINDOW, tokenizer.model_max_length)
    most = longest // _QUESTION_SHARE
    asked = []
    for question, _ in pairs:
        pieces = tokenizer(
            question, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )["offset_mapping"]
        asked.append(question[pieces[-most][0] :] if len(pieces) > most else question)
    inputs = tokenizer(
        asked,
        [text for _, text in pairs],
        truncation="only_second",
        max_length=longest,
        stride=min(_OVERLAP, longest // 3),
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        padding=True,
        return_tensors="pt",
    )
    inside = [[part == 1 for part in window.sequence_ids] for window in inputs.encodings]
    owners = inputs.pop("overflow_to_sample_mapping").tolist()
    offsets = inputs.pop("offset_mapping").tolist()
    return QuestionWindows(inputs, owners, offsets, torch.tensor(inside))


def load_tokenizer(folder: Path) -> Any:
    """Load the tokenizer of a model's folder.

    Raises:
        InputError: when there is none.
    """
    _check_folder(folder)
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError):
        raise _unusable(folder) from None


def load_model(folder: Path) -> Any:
    """Load a model with a head for question answering, and what was missing or left over.

    Raises:
        InputError: when there is no such folder, or it holds no model.
    """
    _check_folder(folder)
    from transformers import AutoModelForQuestionAnswering
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call] # a new head is no surprise
    try:
        return AutoModelForQuestionAnswering.from_pretrained(
            folder, local_files_only=True, output_loading_info=True
        )
    except (OSError, ValueError):
        raise _unusable(folder) from None


def _best_stretches(starts: Any, ends: Any, inside: Any) -> list[tuple[float, int, int]]:
    """Return score, first and last piece of the best stretch of each window, against no answer.

    `starts`, `ends` (windows, pieces): the model's outputs; the mark at the beginning stands for
    "no answer". `inside`: the pieces of the text; a window without any scores -inf.
    """
    import torch

    length = starts.shape[1]
    band = torch.ones_like(inside[0]).expand(length, -1).triu().tril(LONGEST_ANSWER - 1)
    start, end = (part.masked_fill(~inside, -inf) for part in (starts, ends))
    scores = (start[:, :, None] + end[:, None, :]).masked_fill(~band, -inf)
    best, place = scores.flatten(1).max(1)
    against = (best - starts[:, 0] - ends[:, 0]).tolist()
    found = zip(against, place.tolist(), strict=True)
    return [(score, *divmod(at, length)) for score, at in found]


def write_calibration(folder: Path, settings: ReaderSettings) -> None:
    """Write the calibration into a model's folder."""
    found = json.dumps({"slope": settings.slope, "shift": settings.shift})
    write_file(folder / CALIBRATION, f"{found}\n", mode=0o644)


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


def _check_folder(folder: Path) -> None:
    """Refuse what transformers would take for a name on the hub, and look for in the network."""
    if not folder.is_dir():
        raise InputError(
            f"there is no folder `{folder}`", hint="name the folder of a model of transformers"
        )


def _unusable(folder: Path) -> InputError:
    return InputError(
        f"`{folder}` holds no complete question-answering model",
        hint="name the folder of a model of transformers; to read, it needs a trained head",
    )
