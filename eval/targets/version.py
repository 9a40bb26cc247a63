"""Attack an index version itself: the most that a server could reveal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.layers import LayerIndex
from sage_rag.indexer.passages import Layer
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.versions import open_version
from sage_rag.rag_server.retrieval import Retriever


@dataclass(frozen=True, slots=True)
class _OneLayer:
    """One layer of a version, searched as if it were the whole version."""

    layers: Mapping[Layer, LayerIndex]


class VersionTarget:
    """Return every retrieved passage in full, without a model.

    This is the worst case: a model that answers gets no more than these passages. (A model may
    know private text from elsewhere; this index does not leak it.) A prompt searches every layer,
    as the holder of the index can; with `layer` it searches this one alone. What a client without a
    key can get of a version with a consensus is its layer `consensus`.

    Source: Zeng et al. (2024), arXiv 2406.14773, A.5 and Table 8. Differs: prompts retrieve
    the passages; `passages` is the comparison of the table, which asks no question.
    """

    def __init__(
        self, path: Path, embedder: Embedder, top_k: int, layer: Layer | None = None
    ) -> None:
        """Raises InputError when the version does not have the layer."""
        self._version = open_version(path)
        found = self._version.layers
        if layer is not None and layer not in found:
            self._version.close()
            raise InputError(
                f"`{path}` has no layer `{layer}`", hint=f"its layers: {', '.join(found)}"
            )
        self._layers = found if layer is None else {layer: found[layer]}
        self._retrievers = [
            Retriever(_OneLayer({name: index}), embedder) for name, index in self._layers.items()
        ]
        self._top_k = top_k

    @property
    def name(self) -> str:
        """Corpus, version and recipe; the layer, if it is not the whole version."""
        manifest = self._version.manifest
        whole = len(self._layers) == len(self._version.layers)
        layer = "" if whole else f", layer {', '.join(self._layers)}"
        return f"{manifest.corpus} {manifest.version} ({manifest.recipe}{layer})"

    def ask(self, prompt: str) -> tuple[str, ...]:
        """Return the text of each of the top-k passages of each layer."""
        found = (retriever.retrieve(prompt, self._top_k) for retriever in self._retrievers)
        return tuple(passage.text for passages in found for passage in passages)

    def passages(self) -> Iterator[tuple[str, str]]:
        """Yield id and text of every passage."""
        for layer in self._layers.values():
            for row in range(len(layer)):
                passage = layer.passage(row)
                yield passage.id, passage.text

    def close(self) -> None:
        """Release the version."""
        self._version.close()
