"""Run a trained network in the fastest precision of the processor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from sage_rag.common.deadlines import checkpoint
from sage_rag.common.minilm.base import CLS, PAD, SEP
from sage_rag.common.minilm.eight_bits import EightBitLinear
from sage_rag.common.minilm.network import LINEAR, Encoder, Layer
from sage_rag.common.minilm.packed import PackedLinear, can_pack
from sage_rag.common.minilm.precision import Precision, fastest_precision

Row = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Ids (n,) and features (n, features) of some pieces, without start and end marks."""

_MULTIPLE = 16
"""The length of a forward pass is rounded up to a multiple of it."""
_ROWS = {
    Precision.HALF: (16, 4, 1),
    Precision.EIGHT_BITS: (4, 2, 1),
    Precision.SINGLE: (4, 2, 1),
}
"""The numbers of rows in a forward pass: few enough that their numbers fit into the cache."""


class EncoderModel:
    """A network ready to answer. Safe to share between threads: nothing changes after loading."""

    def __init__(self, network: Encoder, precision: Precision | None = None) -> None:
        """Take over a network, in the given precision or the fastest one of this machine."""
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        precision = precision or fastest_precision()
        network = network.to(self._device).eval().requires_grad_(False)
        if precision is Precision.HALF:
            head = network.head
            network = network.bfloat16()
            network.head = head.float()  # scores keep their last digits
            if self._device.type == "cpu" and can_pack():
                _pack(network, fused=False)
        elif precision is Precision.EIGHT_BITS:
            for layer in network.layers:
                for name in LINEAR:
                    setattr(layer, name, EightBitLinear(getattr(layer, name)))
        elif self._device.type == "cpu" and can_pack():
            _pack(network, fused=True)
        self._network = network
        self._sizes = _ROWS[precision]

    def ask(self, rows: Sequence[Row]) -> list[NDArray[np.float32]]:
        """Return the logits of each row's pieces and of both marks: (n + 2, outputs).

        Guarantees: few shapes of batch for any rows: each new shape keeps memory.

        Raises:
            WorkAbandonedError: when no one waits for them any more.
        """
        answers: list[NDArray[np.float32]] = []
        while len(answers) < len(rows):
            checkpoint()
            left = len(rows) - len(answers)
            size = next(size for size in self._sizes if size <= left)
            answers += self._ask(rows[len(answers) : len(answers) + size])
        return answers

    @torch.inference_mode()
    def _ask(self, rows: Sequence[Row]) -> list[NDArray[np.float32]]:
        ids, features, mask = (part.to(self._device) for part in padded(rows, _MULTIPLE))
        logits = self._network(ids, features, mask).float().cpu().numpy()
        return [logits[i, : len(row[0]) + 2] for i, row in enumerate(rows)]


def _pack(network: Encoder, *, fused: bool) -> None:
    """Pack the linear layers; `fused`: use the fused GELU and attention, faster if not rounded."""
    for layer in cast("Iterable[Layer]", network.layers):
        for name in LINEAR:
            packed = PackedLinear(getattr(layer, name), gelu=fused and name == "up")
            setattr(layer, name, packed)
        if fused:
            layer.gelu = nn.Identity()
            layer.attend = functional.scaled_dot_product_attention


def padded(
    rows: Sequence[Row], multiple: int = 1
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids, features and mask of a batch with start and end marks.

    Shapes (rows, longest + 2), (rows, longest + 2, features) and (rows, longest + 2). The length is
    rounded up to a multiple.
    """
    longest = -(-(max(len(ids) for ids, _ in rows) + 2) // multiple) * multiple
    ids = torch.full((len(rows), longest), PAD)
    features = torch.zeros((len(rows), longest, rows[0][1].shape[1]), dtype=torch.long)
    mask = torch.zeros((len(rows), longest), dtype=torch.bool)
    for i, (row_ids, row_features) in enumerate(rows):
        end = len(row_ids) + 1
        ids[i, 0], ids[i, end] = CLS, SEP
        ids[i, 1:end] = torch.from_numpy(row_ids)
        features[i, 1:end] = torch.from_numpy(row_features)
        mask[i, : end + 1] = True
    return ids, features, mask
