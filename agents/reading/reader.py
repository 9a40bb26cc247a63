"""The reader: whether a text answers a question, and the stretch of it that does.

Source: Devlin et al. (2019), BERT, §4.3: start and end of the answer, compared with the start mark
where there is none; Zhang et al. (2021), Retrospective Reader (arXiv 2001.09694), §2.3: a verdict
of its own on whether there is an answer, added to this comparison. Differs: features of shared
words, and the sum of both is mapped to a probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sage_rag.agents.reading.pairs import FEATURES, Pair, pair_of, windows_of
from sage_rag.agents.reading.protocols import Reading
from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.model import EncoderModel
from sage_rag.common.minilm.network import Encoder, load_trained
from sage_rag.common.minilm.weights_file import WeightsFile, read_weights_file

OUTPUTS = 3
"""Of each piece: that the answer starts there, and that it ends there; of the start mark also: that
there is one."""
LONGEST_ANSWER = 30
"""In word pieces."""
WEIGHTS = "english.safetensors"
_MOST_WINDOWS = 8
"""Of one text, from its beginning: about 1,500 words."""


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Map the network's outputs to a probability: `1 / (1 + exp(-(slope * x + shift)))`."""

    slope: float
    shift: float


class Reader:
    """Read texts for the answer to a question. English; other languages are read badly.

    A `PassageReader`. Safe to share between threads.

    Does not guarantee: that it is right; `docs/results/answers.md` reports how often it is.
    """

    def __init__(self, weights: Path | None = None) -> None:
        """Read the settings of the shipped weights, or of a file that `train reader` wrote.

        Raises:
            InputError: when the file is not a reader's weights file, or is for another base model.
        """
        self._path = weights or shipped_weights()
        self._weights = read_reader_weights(self._path)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """Return what each text answers; of a long text, that of its best window."""
        model = _load_model(self._path, self._weights.digest)
        parts = [
            (number, start, pair)
            for number, text in enumerate(texts)
            for start, end in windows_of(text)[:_MOST_WINDOWS]
            if (pair := pair_of(question, text[start:end])).offsets
        ]
        found = [Reading(0.0, 0, 0)] * len(texts)
        outputs = model.ask([pair.row for _, _, pair in parts])
        for (number, start, pair), output in zip(parts, outputs, strict=True):
            reading = self._reading(pair, output, start)
            if reading.probability > found[number].probability:
                found[number] = reading
        return found

    def _reading(self, pair: Pair, output: NDArray[np.float32], shift: int) -> Reading:
        logit, (first, last) = decode(pair, output)
        settings = self._weights.settings
        probability = 1 / (1 + exp(-(settings.slope * logit + settings.shift)))
        start, end = pair.offsets[first][0], pair.offsets[last][1]
        return Reading(probability, shift + start, shift + end)


def decode(pair: Pair, output: NDArray[np.float32]) -> tuple[float, tuple[int, int]]:
    """Return how well a text answers, uncalibrated, and the first and last piece of its answer."""
    text = output[pair.first : pair.first + len(pair.offsets)]
    score, first, last = _best_stretch(text[:, 0], text[:, 1])
    none = float(output[0, 0] + output[0, 1])
    return float(output[0, 2]) + (score - none) / 2, (first, last)


def _best_stretch(start: NDArray[np.float32], end: NDArray[np.float32]) -> tuple[float, int, int]:
    """Return the score, first and last piece of the best stretch that is short enough.

    `start` and `end`: how well an answer starts and ends at each piece of a text, (pieces,).
    """
    scores = start[:, None] + end[None, :]
    places = np.arange(len(start))
    length = places[None, :] - places[:, None]
    scores = np.where((length >= 0) & (length < LONGEST_ANSWER), scores, -np.inf)
    first, last = divmod(int(scores.argmax()), len(start))
    return float(scores[first, last]), first, last


def new_network() -> Encoder:
    """Return a reader's network with random weights."""
    return Encoder(FEATURES, OUTPUTS)


def shipped_weights() -> Path:
    """Return the file of the weights that come with the package."""
    return Path(str(resources.files("sage_rag.agents.reading"))) / "weights" / WEIGHTS


def read_reader_weights(path: Path) -> WeightsFile[ReaderSettings]:
    """Read the settings of a reader's weights file.

    Raises:
        InputError: when it is not one, or was trained on another base model.
    """
    return read_weights_file(path, "reader", _settings)


def _settings(found: dict[str, Any]) -> ReaderSettings:
    return ReaderSettings(float(found["slope"]), float(found["shift"]))


@lru_cache(maxsize=2)
def _load_model(path: Path, digest: str) -> EncoderModel:
    if read_reader_weights(path).digest != digest:
        raise InputError(f"`{path.name}` has changed since it was read", hint="start again")
    network = new_network()
    load_trained(network, path)
    return EncoderModel(network)
