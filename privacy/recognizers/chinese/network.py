"""The network that reads Chinese character by character: dilated convolutions, a head per type.

Trained from scratch on generated text: MiniLM's vocabulary has few Chinese characters. The input of
each character is its embedding and its features (`word_features`); the layers read 19 characters to
either side, at the same cost for every character.

Source: Strubell et al. (2017), arXiv 1702.02098, §3, for dilated convolutions over text;
Zhang & Yang (2018), arXiv 1805.02023, for words of a lexicon together with characters.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.word_features import FEATURES, Words, features_of
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration

CLASSES = 3
"""Of each head: outside, begin, inside."""
PAD, UNKNOWN = 0, 1
"""Rows of the embedding: padding, and every character that training did not see."""

_STEPS, _SCALE = 127, "characters.scale"
"""The largest number of a row in eight-bit steps, and the tensor with the sizes of a step."""
_EMBEDDING, _WIDTH = 64, 128
_DILATIONS = (1, 2, 4, 8, 1, 2)


class Block(nn.Module):
    """One residual layer: normalise, convolve, mix."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(_WIDTH)
        self.around = nn.Conv1d(_WIDTH, _WIDTH, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Linear(_WIDTH, _WIDTH)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map (rows, characters, width) to the same; `mask` (rows, characters, 1): 1 for text."""
        seen = self.around((self.norm(x) * mask).transpose(1, 2)).transpose(1, 2)
        mixed: Tensor = x + self.dropout(self.mix(functional.gelu(seen)))
        return mixed


class ChineseNetwork(nn.Module):
    """Map characters and features to a logit per character, type and class."""

    def __init__(self, characters: int, types: int) -> None:
        super().__init__()
        self.characters = nn.Embedding(characters + 2, _EMBEDDING, padding_idx=PAD)
        self.features = nn.Linear(FEATURES, _EMBEDDING)
        self.join = nn.Conv1d(2 * _EMBEDDING, _WIDTH, 3, padding=1)
        self.blocks = nn.ModuleList(Block(dilation) for dilation in _DILATIONS)
        self.norm = nn.LayerNorm(_WIDTH)
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(_WIDTH, types * CLASSES)

    def forward(self, ids: Tensor, features: Tensor) -> Tensor:
        """Return logits (rows, characters, types, 3).

        `ids` (rows, characters), PAD past the end; `features` (rows, characters, FEATURES).
        """
        mask = (ids != PAD).unsqueeze(-1).to(features.dtype)
        x = torch.cat([self.characters(ids), self.features(features)], -1)
        x = self.join((self.dropout(x) * mask).transpose(1, 2)).transpose(1, 2)
        for block in self.blocks:
            x = block(x, mask)
        logits: Tensor = self.head(self.dropout(self.norm(x)))
        return logits.view(*ids.shape, -1, CLASSES)


@dataclass(frozen=True, slots=True)
class ChineseWeights:
    """The settings of a weights file."""

    characters: str
    types: tuple[EntityType, ...]
    calibration: tuple[Calibration, ...]
    digest: str


class ChineseModel:
    """A network ready to answer. Safe to share between threads: nothing changes after loading."""

    def __init__(self, network: ChineseNetwork, characters: str, words: Words) -> None:
        self._network = network.eval().requires_grad_(False)
        self._ids = {character: i for i, character in enumerate(characters, 2)}
        self._words = words

    @torch.inference_mode()
    def ask(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """Return the logits (characters, types, 3) of each text."""
        ids = torch.full((len(texts), max(map(len, texts))), PAD)
        features = torch.zeros((*ids.shape, FEATURES))
        for row, text in enumerate(texts):
            ids[row, : len(text)] = torch.tensor([self._ids.get(c, UNKNOWN) for c in text])
            features[row, : len(text)] = torch.from_numpy(features_of(text, self._words))
        logits = self._network(ids, features).numpy()
        return [logits[row, : len(text)] for row, text in enumerate(texts)]


def read_chinese_weights(path: Path) -> ChineseWeights:
    """Read the settings of a weights file.

    Raises:
        InputError: when it is not a weights file.
    """
    try:
        with safe_open(path, "pt") as file:
            settings = json.loads((file.metadata() or {})["chinese_tagger"])
        return ChineseWeights(
            str(settings["characters"]),
            tuple(EntityType(name) for name in settings["types"]),
            tuple(Calibration(*row) for row in settings["calibration"]),
            hashlib.sha256(path.read_bytes()).hexdigest()[:12],
        )
    except Exception:  # noqa: BLE001 - the library has exceptions of its own
        raise InputError(
            f"`{path.name}` is not a Chinese tagger's weights file",
            hint="write them with: sage-rag train tagger",
        ) from None


def packed(network: ChineseNetwork) -> dict[str, Tensor]:
    """Return the tensors of a weights file: half precision, the characters' in eight bits each.

    The characters' embedding is half of all numbers; each of its rows has a scale of its own.
    """
    state = {name: tensor.half().contiguous() for name, tensor in network.state_dict().items()}
    rows = network.characters.weight.detach()
    scale = (rows.abs().amax(1, keepdim=True) / _STEPS).clamp(min=1e-6).half()
    state["characters.weight"] = (rows / scale).round().clamp(-_STEPS, _STEPS).to(torch.int8)
    return {**state, _SCALE: scale}


def unpacked(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the state of a network, in float32, that `packed` wrote."""
    state = {name: tensor.float() for name, tensor in tensors.items()}
    state["characters.weight"] = state["characters.weight"] * state.pop(_SCALE)
    return state


def load_chinese_network(path: Path, weights: ChineseWeights) -> ChineseNetwork:
    """Return the trained network in float32."""
    network = ChineseNetwork(len(weights.characters), len(weights.types))
    network.load_state_dict(unpacked(load_file(path)))
    return network
