"""Linear layers whose weights are in the processor's own order from the start.

Torch puts the weights of a linear layer in half precision in the order of oneDNN's kernels (AMX,
AVX512-BF16) at every call; for one short text, that is a third of the layer's time. In single
precision its kernels take less time than those that torch chooses (`docs/results/kernel.md`).
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
    """Map (..., inputs) to (..., outputs) as `nn.Linear` does, in the precision of its weights.

    In half precision the numbers are equal, in single precision up to their last digits. For
    processors only. It cannot be trained or copied to a device.
    """

    def __init__(self, layer: nn.Linear, *, gelu: bool = False) -> None:
        """Pack the weights of a layer; `gelu`: apply GELU to its output in the same pass."""
        super().__init__()
        self._after: tuple[str, list[float], str] = (
            ("gelu", [], "none") if gelu else ("none", [], "")
        )
        self._weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), None)
        self._bias = layer.bias.detach()

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output."""
        out: Tensor = torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, *self._after)
        return out
