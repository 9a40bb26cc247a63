"""Linear layers in half precision whose weights are in the processor's own order from the start.

Torch puts the weights of a linear layer in the order of oneDNN's kernels (AMX, AVX512-BF16) at
every call; for one short text, that is a third of the layer's time.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

_OPERATORS = ("_reorder_linear_weight", "_linear_pointwise")
"""Torch's compiler emits them for a frozen linear layer; no documented function offers them."""


def can_pack() -> bool:
    """Return whether this torch has the operators."""
    return all(hasattr(torch.ops.mkldnn, name) for name in _OPERATORS)


class PackedLinear(nn.Module):
    """Map (..., inputs) to (..., outputs) with the same numbers as `nn.Linear` in half precision.

    For processors only. It cannot be trained or copied to a device.
    """

    def __init__(self, layer: nn.Linear) -> None:
        """Pack the weights of a layer in half precision."""
        super().__init__()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), None)
        self._bias = layer.bias.detach()

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output in half precision."""
        out: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self._weight, self._bias, "none", [], ""
        )
        return out
