"""The tagger's network before training, and the weights file that it becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from safetensors.torch import save_file
from torch import nn

from sage_rag.common.minilm.base import base_digest
from sage_rag.common.minilm.network import Encoder, load_base
from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.tagging.network import new_network
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration
from sage_rag.training.adapters import adapted, changes


def untrained_network() -> Encoder:
    """Return MiniLM with untrained adapters, features and heads; the encoder itself is frozen."""
    network = new_network()
    load_base(network)
    for embedding in network.features:
        nn.init.normal_(embedding.weight, std=0.02)  # type: ignore[arg-type]
    return adapted(network)


def write_weights(
    network: Encoder,
    calibration: Sequence[Calibration],
    path: Path,
    about: Mapping[str, object],
) -> None:
    """Write a weights file; `about` describes its training."""
    settings = {
        "types": list(TAGGED),
        "calibration": [[c.slope, c.shift, c.threshold] for c in calibration],
        "base": base_digest(),
    }
    metadata = {"tagger": json.dumps(settings), "about": json.dumps(dict(about))}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(changes(network), path, metadata)
