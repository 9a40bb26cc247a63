"""Low-rank adapters of the encoder, and the weights files that store them.

Source: Hu et al. 2021, LoRA (arXiv 2106.09685), §4: `W + B A` with `W` frozen and `B` initially
zero. Here on every linear layer; layer norms, feature embeddings and heads are trained in full.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from sage_rag.common.minilm.network import Encoder, Layer

RANKS = {"qkv": 96, "out": 48, "up": 48, "down": 48}
"""Rank of each linear layer's change; query, key and value share one of twice the rank."""


class LowRank(nn.Module):
    """A frozen linear layer and a trained change of low rank."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.down_factor = nn.Parameter(
            torch.randn(rank, linear.in_features) / linear.in_features**0.5
        )
        self.up_factor = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        """(…, in) to (…, out)."""
        changed: Tensor = self.linear(x) + (x @ self.down_factor.T) @ self.up_factor.T
        return changed


def adapted(network: Encoder) -> Encoder:
    """Add adapters to a network, in place, and freeze all other weights except norms and heads."""
    network.requires_grad_(False)
    for layer in network.layers:
        for name, rank in RANKS.items():
            setattr(layer, name, LowRank(getattr(layer, name), rank))
        assert isinstance(layer, Layer)  # noqa: S101 - for the type checker
        layer.norm1.requires_grad_(True)
        layer.norm2.requires_grad_(True)
    network.features.requires_grad_(True)
    network.head.requires_grad_(True)
    return network


def changes(network: Encoder) -> dict[str, Tensor]:
    """Return the trained parameters in half precision, for a weights file."""
    return {
        name: parameter.detach().half().contiguous()
        for name, parameter in network.named_parameters()
        if parameter.requires_grad
    }


def load_changes(network: Encoder, path: Path) -> None:
    """Load a weights file into a network with adapters, in place."""
    state = {name: tensor.float() for name, tensor in load_file(path).items()}
    network.load_state_dict({**network.state_dict(), **state})


def average_with(network: Encoder, path: Path) -> None:
    """Replace a network's trained parameters by the mean of them and those of a weights file.

    Two trainings from one start, on different texts, make different errors; their mean makes fewer
    than either (`docs/results/tagger.md`) and costs nothing at run time.

    Source: Wortsman et al. 2022, model soups (arXiv 2203.05482), §2, uniform soup. Differs: the
    factors of adapters are averaged, which need the same initial values (the same seed).
    """
    earlier = {name: tensor.float() for name, tensor in load_file(path).items()}
    mean = {
        name: (parameter.detach() + earlier[name]) / 2
        for name, parameter in network.named_parameters()
        if parameter.requires_grad
    }
    network.load_state_dict({**network.state_dict(), **mean})
