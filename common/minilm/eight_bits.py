"""Linear layers in eight bits, for processors that multiply eight-bit numbers in hardware.

Each row of the weights and each row of the input is scaled by its own largest number, so that no
outlier of one word coarsens the numbers of another one, and no answer depends on other texts.

Source: Dettmers et al. (2022), arXiv 2208.07339, §3.1 ("vector-wise quantization"). Differs:
outliers are not kept in half precision; `docs/results/tagger.md` states what that costs.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

_STEPS = 127
"""The largest number in eight bits; symmetric, so that zero stays zero."""
_SMALLEST = 1e-9
"""Scale of a row of zeros."""


class EightBitLinear(nn.Module):
    """Map (..., inputs) to (..., outputs) as a trained linear layer does, up to rounding."""

    weight: Tensor
    scale: Tensor
    bias: Tensor

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        weight = layer.weight.detach().float()
        scale = weight.abs().amax(1).clamp_min(_SMALLEST) / _STEPS
        eight_bits = (weight / scale[:, None]).round().to(torch.int8)
        self.register_buffer("weight", eight_bits.t().contiguous())
        self.register_buffer("scale", scale)
        self.register_buffer("bias", layer.bias.detach().float())

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output in float32."""
        rows = x.reshape(-1, x.shape[-1])
        # `abs().amax()` writes a copy of the input first, which takes longer.
        largest = torch.maximum(rows.amax(1, keepdim=True), rows.amin(1, keepdim=True).neg_())
        scale = largest.clamp_min_(_SMALLEST).div_(_STEPS)
        product = torch._int_mm((rows / scale).round_().to(torch.int8), self.weight)
        out = (product * scale).mul_(self.scale).add_(self.bias)
        return out.view(*x.shape[:-1], -1)
