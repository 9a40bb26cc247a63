"""The tagger's network: MiniLM with features added to its input and a head per entity type.

`all-MiniLM-L6-v2` comes from its package; the result of training comes from one small file: two
low-rank factors per linear layer (LoRA; Hu et al. 2021, arXiv 2106.09685), new layer norms, the
feature embeddings and the heads. The forty lines are here since importing a library of
models takes longer than reading a hundred letters.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.tagging.base import base_folder
from sage_rag.privacy.recognizers.tagging.pieces import FEATURES
from sage_rag.privacy.recognizers.tagging.weights_file import Weights

CLASSES = 3
"""Of each head: outside, begin, inside."""

_LAYERS, _WIDTH, _INNER, _HEADS = 6, 384, 1536, 12
_EPSILON = 1e-12
LINEAR = ("qkv", "out", "up", "down")
"""The linear layers of a `Layer`: nearly all of the network's work."""


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


class TaggerNetwork(nn.Module):
    """Map pieces and features to a logit per piece, type and class."""

    def __init__(self, types: int = len(TAGGED)) -> None:
        super().__init__()
        self.types = types
        self.words = nn.Embedding(30_522, _WIDTH)
        self.positions = nn.Embedding(512, _WIDTH)
        self.features = nn.ModuleList(nn.Embedding(size, _WIDTH) for size in FEATURES)
        self.norm = nn.LayerNorm(_WIDTH, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(_LAYERS))
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(_WIDTH, types * CLASSES)

    def forward(self, ids: Tensor, features: Tensor, mask: Tensor) -> Tensor:
        """Return logits (rows, pieces, types, 3).

        `ids` (rows, pieces); `features` (rows, pieces, 4); `mask` (rows, pieces), true for text.
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
        return logits.view(*ids.shape, self.types, CLASSES)


def load_base(network: TaggerNetwork) -> None:
    """Load MiniLM's weights into a network; features start at zero, heads are unchanged."""
    base = load_file(base_folder() / "model.safetensors")
    embeddings, state = "embeddings.", dict(network.state_dict())
    state["words.weight"] = base[f"{embeddings}word_embeddings.weight"]
    # Every text is in the first of BERT's two segments: add its embedding to every position's.
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
    for i in range(len(FEATURES)):
        state[f"features.{i}.weight"] = torch.zeros_like(state[f"features.{i}.weight"])
    network.load_state_dict(state)


_SAME = {
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


def load_network(path: Path, weights: Weights) -> TaggerNetwork:
    """Return the trained network: MiniLM with the file's changes merged in, in float32."""
    network = TaggerNetwork(len(weights.types))
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
    return network.eval().requires_grad_(False)
