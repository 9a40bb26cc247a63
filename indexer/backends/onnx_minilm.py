"""all-MiniLM-L6-v2 by ONNX Runtime: the same vectors as `minilm`, faster for short texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from sage_rag.common.deadlines import checkpoint
from sage_rag.common.exceptions import extra
from sage_rag.common.minilm.base import (
    CLS,
    SEP,
    base_folder,
    piece_counts,
    word_pieces,
)
from sage_rag.indexer.embedding import MINILM
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.indexer.windows import vectors_of

with extra("onnx", needed_by="OnnxMiniLmEmbedder"):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

_LAYERS, _WIDTH, _HEADS = 6, 384, 12
_EPSILON = 1e-12
_LIMIT = 254
"""Word pieces that the model reads, without its two marks. Source: `sentence_bert_config.json`."""
_OPSET, _IR = 20, 10

Weights = dict[str, NDArray[np.float32]]


class OnnxMiniLmEmbedder:
    """Embed with all-MiniLM-L6-v2: the mean of its last states, L2-normalised.

    The graph is built from the packaged weights when an object is made, which takes a second.
    Each call runs in the thread that makes it; the runtime starts no threads, and none of them
    spins. Safe to share between threads.
    """

    name = MINILM
    dim = _WIDTH

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        weights = load_file(base_folder() / "model.safetensors")
        model = _Graph(weights).model().SerializeToString()
        providers = ["CPUExecutionProvider"]
        self._session = onnxruntime.InferenceSession(model, options, providers=providers)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, 384)` float32, L2-normalised; a long text by windows, as `minilm` does."""
        return vectors_of(texts, _LIMIT, piece_counts, self._encoded, self.dim)

    def _encoded(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        checkpoint()
        ids = np.array([CLS, *word_pieces(text)[:_LIMIT], SEP], dtype=np.int64)
        (mean,) = self._session.run(None, {"ids": ids})
        return np.asarray(mean / max(float(np.linalg.norm(mean)), _EPSILON), dtype=np.float32)


class _Graph:
    """Builds the ONNX graph: `ids`, `(length,)` int64, to `mean`, `(384,)` float32."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._count = 0

    def model(self) -> onnx.ModelProto:
        """Return the whole model."""
        states = self._embedded("ids")
        for number in range(_LAYERS):
            states = self._layer(states, number)
        mean = self._node("ReduceMean", states, self._constant(np.array([0])), keepdims=0)
        graph = helper.make_graph(
            self._nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["length"])],
            [helper.make_tensor_value_info(mean, TensorProto.FLOAT, [_WIDTH])],
            self._constants,
        )
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=_IR)

    def _embedded(self, ids: str) -> str:
        words = self._constant(self._weights["embeddings.word_embeddings.weight"])
        # Every text is in the first of BERT's two segments: add its embedding to every position's.
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        positions = self._weights["embeddings.position_embeddings.weight"] + segment
        length = self._node("Shape", ids)
        zero = self._constant(np.array([0]))
        placed = self._node("Slice", self._constant(positions), zero, length, zero)
        return self._norm(
            self._node("Add", self._node("Gather", words, ids), placed), "embeddings.LayerNorm"
        )

    def _layer(self, x: str, number: int) -> str:
        """Add the nodes of one layer: attention, then feed-forward, each normalised."""
        prefix = f"encoder.layer.{number}"
        attention = f"{prefix}.attention.self"
        size = _WIDTH // _HEADS
        heads = self._constant(np.array([0, _HEADS, size]))
        parts = [
            self._node("Reshape", self._linear(x, f"{attention}.{part}", scale), heads)
            for part, scale in (("query", size**-0.5), ("key", 1.0), ("value", 1.0))
        ]
        query = self._node("Transpose", parts[0], perm=[1, 0, 2])
        key = self._node("Transpose", parts[1], perm=[1, 2, 0])
        value = self._node("Transpose", parts[2], perm=[1, 0, 2])
        weights = self._node("Softmax", self._node("MatMul", query, key), axis=-1)
        mixed = self._node("Transpose", self._node("MatMul", weights, value), perm=[1, 0, 2])
        joined = self._node("Reshape", mixed, self._constant(np.array([0, _WIDTH])))
        out = self._linear(joined, f"{prefix}.attention.output.dense")
        x = self._norm(self._node("Add", x, out), f"{prefix}.attention.output.LayerNorm")
        inner = self._node("Gelu", self._linear(x, f"{prefix}.intermediate.dense"))
        out = self._linear(inner, f"{prefix}.output.dense")
        return self._norm(self._node("Add", x, out), f"{prefix}.output.LayerNorm")

    def _linear(self, x: str, name: str, scale: float = 1.0) -> str:
        weight = np.ascontiguousarray(self._weights[f"{name}.weight"].T * np.float32(scale))
        bias = self._weights[f"{name}.bias"] * np.float32(scale)
        return self._node("Gemm", x, self._constant(weight), self._constant(bias))

    def _norm(self, x: str, name: str) -> str:
        weight, bias = (self._constant(self._weights[f"{name}.{n}"]) for n in ("weight", "bias"))
        return self._node("LayerNormalization", x, weight, bias, axis=-1, epsilon=_EPSILON)

    def _constant(self, value: NDArray[Any]) -> str:
        name = self._name()
        self._constants.append(numpy_helper.from_array(value, name))
        return name

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = self._name()
        self._nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"
