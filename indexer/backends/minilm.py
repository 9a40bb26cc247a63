"""The default embedder: all-MiniLM-L6-v2 from its package, read by torch alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from sage_rag.common.deadlines import checkpoint
from sage_rag.indexer.embedding import MINILM
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.indexer.windows import vectors_of, windows
from sage_rag.privacy.recognizers.tagging.base import CLS, SEP, base_folder, base_tokenizer

_LAYERS, _WIDTH, _HEADS = 6, 384, 12
_EPSILON = 1e-12
_LIMIT = 254
"""Word pieces that the model reads, without its two marks. Source: `sentence_bert_config.json`."""

_Affine = tuple[Tensor, Tensor]
"""Weight and bias of a linear layer or of a layer norm."""


class MiniLmEmbedder:
    """Embed with all-MiniLM-L6-v2: the mean of its last states, L2-normalised.

    The weights load on first use, once per process. Each text is read alone, without padding: its
    vector does not depend on the other texts of a call. Safe to share between threads.

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
        return vectors_of(texts, _LIMIT, _piece_counts, _encoded, self.dim)


def _piece_counts(texts: Sequence[str]) -> list[int]:
    return [len(_pieces(text)) for text in texts]


def _pieces(text: str) -> list[int]:
    pieces: list[int] = base_tokenizer().encode(text, add_special_tokens=False).ids
    return pieces


def _encoded(texts: Sequence[str]) -> list[Vector]:
    return [_vector(text) for text in texts]


def _vector(text: str) -> Vector:
    checkpoint()
    return _network().vector([CLS, *_pieces(text)[:_LIMIT], SEP])


@dataclass(frozen=True, slots=True)
class WordPieces:
    """The word pieces of a text: their numbers in the vocabulary, and `(n, 384)` vectors."""

    numbers: tuple[int, ...]
    vectors: Vectors


def word_pieces(text: str) -> WordPieces:
    """Return the word pieces of a text, each with its L2-normalised vector in its context.

    A text of more than 254 pieces is read in windows. Time is linear in the text's length.
    """
    numbers: list[int] = []
    vectors: list[Vectors] = [np.zeros((0, _WIDTH), dtype=np.float32)]
    for window in windows([text], _LIMIT, _piece_counts)[0]:
        checkpoint()
        pieces = _pieces(window.text)[:_LIMIT]
        numbers += pieces
        vectors.append(_network().vectors([CLS, *pieces, SEP])[1:-1])
    return WordPieces(tuple(numbers), np.concatenate(vectors))


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
        """Map the states `(length, 384)` of one text to those of the next layer."""
        length = len(x)
        qkv = functional.linear(x, *self._qkv).view(1, length, 3, _HEADS, _WIDTH // _HEADS)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)[0]
        mixed = mixed.transpose(0, 1).reshape(length, _WIDTH)
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

    @torch.inference_mode()
    def vector(self, pieces: Sequence[int]) -> Vector:
        """Return the vector of one text."""
        vector: Vector = functional.normalize(self._states(pieces).mean(0), dim=0).cpu().numpy()
        return vector

    @torch.inference_mode()
    def vectors(self, pieces: Sequence[int]) -> Vectors:
        """Return the vector of each piece in its text: `(n, 384)`."""
        vectors: Vectors = functional.normalize(self._states(pieces), dim=1).cpu().numpy()
        return vectors

    def _states(self, pieces: Sequence[int]) -> Tensor:
        ids = torch.tensor(pieces, device=self._words.device)
        states = self._words[ids] + self._positions[: len(pieces)]
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
