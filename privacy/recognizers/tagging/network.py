"""The tagger's network: MiniLM with a head per entity type."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.model import EncoderModel
from sage_rag.common.minilm.network import Encoder, load_trained
from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.tagging.pieces import FEATURES
from sage_rag.privacy.recognizers.tagging.weights_file import read_weights

CLASSES = 3
"""Of each head: outside, begin, inside. The network's outputs are those of all heads."""


def new_network(types: int = len(TAGGED)) -> Encoder:
    """Return a network with random weights."""
    return Encoder(FEATURES, types * CLASSES)


@lru_cache(maxsize=2)
def load_model(path: Path, digest: str) -> EncoderModel:
    """Return the model of a weights file; read once per process and content (its digest).

    Raises:
        InputError: as `read_weights`, and when the file has changed.
    """
    weights = read_weights(path)
    if weights.digest != digest:
        raise InputError(f"`{path.name}` has changed since it was read", hint="start again")
    network = new_network(len(weights.settings.types))
    load_trained(network, path)
    return EncoderModel(network)
