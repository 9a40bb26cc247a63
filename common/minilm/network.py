"""MiniLM with features added to its input and a head on each piece.

`all-MiniLM-L6-v2` comes from its package; the result of training comes from one small file: two
low-rank factors per linear layer (LoRA; Hu et al. 2021, arXiv 2106.09685), new layer norms, the
feature embeddings and the head. The forty lines are here since importing a library of
models takes longer than reading a hundred letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from sage_rag.common.minilm.base import base_folder

LINEAR = ("qkv", "out", "up", "down")
"""The linear layers of a `Layer`: nearly all of the network's work."""

_LAYERS, _WIDTH, _INNER, _HEADS = 6, 384, 1536, 12
_EPSILON = 1e-12


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Return the values (rows, heads, pieces, width / heads) mixed by attention.

    On processors, torch's fused attention is slower in half precision, and takes three times as
    long when training.
    """
    scores = (query * (_WIDTH // _HEADS) ** -0.5) @ key.transpose(-1, -2) + mask
    mixed: Tensor = scores.softmax(-1) @ value
    return mixed


class Layer(nn.Module):
    """One transformer layer: attention, then feed-forward, each normalised after its residual."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.out = nn.Linear(_WIDTH, _WIDTH)
        self.up = nn.Linear(_WIDTH, _INNER)
        self.gelu: nn.Module = nn.GELU()
        self.attend: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor] = attention
        self.down = nn.Linear(_INNER, _WIDTH)
        self.norm1 = nn.LayerNorm(_WIDTH, eps=_EPSILON)
        self.norm2 = nn.LayerNorm(_WIDTH, eps=_EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map (rows, pieces, width) to the same.

        `mask` (rows, 1, 1, pieces): 0 for text, else -inf.
        """
        rows, length, _ = x.shape
        qkv = self.qkv(x).view(rows, length, 3, _HEADS, _WIDTH // _HEADS)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = self.attend(query, key, value, mask)
        x = self.norm1(x + self.out(mixed.transpose(1, 2).flatten(2)))
        normed: Tensor = self.norm2(x + self.down(self.gelu(self.up(x))))
        return normed


class Encoder(nn.Module):
    """Map pieces and features to the outputs of a head, one row for each piece."""

    def __init__(self, features: Sequence[int], outputs: int) -> None:
        """`features`: the number of values of each feature; `outputs`: of the head."""
        super().__init__()
        self.words = nn.Embedding(30_522, _WIDTH)
        self.positions = nn.Embedding(512, _WIDTH)
        self.features = nn.ModuleList(nn.Embedding(size, _WIDTH) for size in features)
        self.norm = nn.LayerNorm(_WIDTH, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(_LAYERS))
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(_WIDTH, outputs)

    def forward(self, ids: Tensor, features: Tensor, mask: Tensor) -> Tensor:
        """Return (rows, pieces, outputs).

        `ids` (rows, pieces); `features` (rows, pieces, features); `mask` (rows, pieces), true for
        text.
        """
        x = self.words(ids) + self.positions.weight[: ids.shape[1]]
        for column, embedding in enumerate(self.features):
            x = x + embedding(features[..., column])
        x = self.dropout(self.norm(x))
        hidden = torch.zeros(mask.shape, dtype=x.dtype, device=x.device)
        hidden = hidden.masked_fill(~mask, -torch.inf)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, hidden)
        logits: Tensor = self.head(self.dropout(x).to(self.head.weight.dtype))
        return logits


def load_base(network: Encoder) -> None:
    """Load MiniLM's weights into a network; features start at zero, the head is unchanged."""
    base = load_file(base_folder() / "model.safetensors")
    embeddings, state = "embeddings.", dict(network.state_dict())
    state["words.weight"] = base[f"{embeddings}word_embeddings.weight"]
    # The first of BERT's two segments is that of a text alone: add it to every position.
    segment = base[f"{embeddings}token_type_embeddings.weight"][0]
    state["positions.weight"] = base[f"{embeddings}position_embeddings.weight"] + segment
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = base[f"{embeddings}LayerNorm.{part}"]
        for i in range(_LAYERS):
            theirs, ours = f"encoder.layer.{i}.", f"layers.{i}."
            state[f"{ours}qkv.{part}"] = torch.cat(
                [base[f"{theirs}attention.self.{n}.{part}"] for n in ("query", "key", "value")]
            )
            for name, source in _SAME.items():
                state[f"{ours}{name}.{part}"] = base[f"{theirs}{source}.{part}"]
    for i in range(len(network.features)):
        state[f"features.{i}.weight"] = torch.zeros_like(state[f"features.{i}.weight"])
    network.load_state_dict(state)


def second_segment() -> Tensor:
    """Return what BERT adds to a piece of the second of two texts, (384,): a feature's start."""
    segments = load_file(base_folder() / "model.safetensors")[
        "embeddings.token_type_embeddings.weight"
    ]
    return segments[1] - segments[0]


_SAME = {
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


def load_trained(network: Encoder, path: Path) -> None:
    """Load MiniLM with the changes of a weights file merged in, in float32; then freeze it."""
    load_base(network)
    changes = {name: tensor.float() for name, tensor in load_file(path).items()}
    state = dict(network.state_dict())
    for name, tensor in changes.items():
        if name.endswith(".down_factor"):
            layer = name.removesuffix(".down_factor")
            up = changes[f"{layer}.up_factor"]
            state[f"{layer}.weight"] = state[f"{layer}.weight"] + up @ tensor
        elif not name.endswith(".up_factor"):
            state[name] = tensor
    network.load_state_dict(state)
    network.eval().requires_grad_(False)
