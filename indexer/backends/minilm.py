"""The default embedder: all-MiniLM-L6-v2 from its package, read by torch alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from sage_rag.common.deadlines import checkpoint
from sage_rag.common.minilm.base import (
    CLS,
    SEP,
    base_folder,
    piece_counts,
    word_pieces,
)
from sage_rag.indexer.embedding import MINILM
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.indexer.windows import vectors_of, windows

_LAYERS, _WIDTH, _HEADS = 6, 384, 12
_EPSILON = 1e-12
_LIMIT = 254
"""Word pieces that the model reads, without its two marks. Source: `sentence_bert_config.json`."""

_SHORT, _BATCH_PIECES = 12, 48
"""Pieces of a short text, with its marks, and of a batch of such. One alone takes most of its time
to read the weights; a batch takes about twice that."""

_Affine = tuple[Tensor, Tensor]
"""Weight and bias of a linear layer or of a layer norm."""


class MiniLmEmbedder:
    """Embed with all-MiniLM-L6-v2: the mean of its last states, L2-normalised.

    The weights load on first use, once per process. No text is padded, and its vector does not
    depend on the other texts of a call. Safe to share between threads.

    Source: the model's card; Reimers and Gurevych (2019), Sentence-BERT, §3. The same vectors as
    with the library sentence-transformers to six digits, without importing it (220 MB, 3 s).
    """

    name = MINILM
    dim = _WIDTH

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, 384)` float32, L2-normalised.

        The vector of a text of more than 254 word pieces is the mean of the vectors of its windows,
        weighted by their word pieces. Time is linear in the text's length.
        """
        return vectors_of(texts, _LIMIT, piece_counts, _encoded, self.dim)


def _encoded(texts: Sequence[str]) -> list[Vector]:
    """Return the vectors of texts; short ones of equal length are read together."""
    numbers = [[CLS, *word_pieces(text)[:_LIMIT], SEP] for text in texts]
    found: dict[int, Vector] = {}
    short: dict[int, list[int]] = defaultdict(list)
    for row, pieces in enumerate(numbers):
        if len(pieces) > _SHORT:
            checkpoint()
            found[row] = _network().vector(pieces)
        else:
            short[len(pieces)].append(row)
    for length, rows in short.items():
        size = _BATCH_PIECES // length
        for start in range(0, len(rows), size):
            checkpoint()
            batch = rows[start : start + size]
            # A batch has one shape: in another, the same text has other last bits.
            filled = batch + batch[:1] * (size - len(batch))
            vectors = _network().vectors_of([numbers[row] for row in filled])
            found.update(zip(filled, vectors, strict=True))
    return [found[row] for row in range(len(texts))]


def token_vectors(text: str) -> Vectors:
    """Return `(n, 384)`: the L2-normalised vector of each word piece of a text in its context.

    A text of more than 254 pieces is read in windows. Time is linear in the text's length.
    """
    vectors: list[Vectors] = [np.zeros((0, _WIDTH), dtype=np.float32)]
    for window in windows([text], _LIMIT, piece_counts)[0]:
        checkpoint()
        pieces = word_pieces(window.text)[:_LIMIT]
        vectors.append(_network().vectors([CLS, *pieces, SEP])[1:-1])
    return np.concatenate(vectors)


class _Layer:
    """One transformer layer of BERT: attention, then feed-forward, each normalised."""

    def __init__(self, weights: dict[str, Tensor], number: int) -> None:
        def affine(*names: str) -> _Affine:
            names = tuple(f"encoder.layer.{number}.{name}" for name in names)
            weight, bias = (
                torch.cat([weights[f"{name}.{part}"] for name in names])
                for part in ("weight", "bias")
            )
            return weight, bias

        attention = "attention.self"
        self._qkv = affine(f"{attention}.query", f"{attention}.key", f"{attention}.value")
        self._out = affine("attention.output.dense")
        self._norm = affine("attention.output.LayerNorm")
        self._up, self._down = affine("intermediate.dense"), affine("output.dense")
        self._last_norm = affine("output.LayerNorm")

    def read(self, x: Tensor) -> Tensor:
        """Map the states `(texts, length, 384)` of texts to those of the next layer."""
        texts, length, _ = x.shape
        qkv = functional.linear(x, *self._qkv).view(texts, length, 3, _HEADS, _WIDTH // _HEADS)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        mixed = mixed.transpose(1, 2).reshape(texts, length, _WIDTH)
        x = _normed(x + functional.linear(mixed, *self._out), self._norm)
        inner = functional.gelu(functional.linear(x, *self._up))
        return _normed(x + functional.linear(inner, *self._down), self._last_norm)


class _Network:
    def __init__(self, weights: dict[str, Tensor]) -> None:
        self._words = weights["embeddings.word_embeddings.weight"]
        # Every text is in the first of BERT's two segments: add its embedding to every position's.
        segment = weights["embeddings.token_type_embeddings.weight"][0]
        self._positions = weights["embeddings.position_embeddings.weight"] + segment
        norm = "embeddings.LayerNorm"
        self._norm = weights[f"{norm}.weight"], weights[f"{norm}.bias"]
        self._layers = [_Layer(weights, number) for number in range(_LAYERS)]

    def vector(self, pieces: Sequence[int]) -> Vector:
        """Return the vector of one text."""
        return self.vectors_of([pieces])[0]

    @torch.inference_mode()
    def vectors_of(self, texts: Sequence[Sequence[int]]) -> list[Vector]:
        """Return the vectors of texts of the same number of pieces."""
        means = self._states(texts).mean(1)
        return list(functional.normalize(means, dim=1).cpu().numpy())

    @torch.inference_mode()
    def vectors(self, pieces: Sequence[int]) -> Vectors:
        """Return the vector of each piece in its text: `(n, 384)`."""
        vectors: Vectors = functional.normalize(self._states([pieces])[0], dim=1).cpu().numpy()
        return vectors

    def _states(self, texts: Sequence[Sequence[int]]) -> Tensor:
        ids = torch.tensor(texts, device=self._words.device)
        states = self._words[ids] + self._positions[: ids.shape[1]]
        states = _normed(states, self._norm)
        for layer in self._layers:
            states = layer.read(states)
        return states


def _normed(x: Tensor, norm: _Affine) -> Tensor:
    return functional.layer_norm(x, (_WIDTH,), *norm, _EPSILON)


@lru_cache(maxsize=1)
def _network() -> _Network:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return _Network(load_file(base_folder() / "model.safetensors", device=device))
