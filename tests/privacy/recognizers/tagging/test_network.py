"""The network is MiniLM until something is trained; weights files are checked."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.base import base_folder, base_tokenizer
from sage_rag.common.minilm.model import EncoderModel, padded
from sage_rag.common.minilm.network import Encoder, load_base
from sage_rag.common.minilm.precision import (
    Precision,
    fastest_precision,
    has_instructions_for_eight_bits,
)
from sage_rag.privacy.recognizers.tagging.network import new_network
from sage_rag.privacy.recognizers.tagging.pieces import pieces_of
from sage_rag.privacy.recognizers.tagging.weights_file import read_weights

_TOLERANCE = {Precision.HALF: 0.2, Precision.EIGHT_BITS: 0.3, Precision.SINGLE: 1e-4}
TEXT = "Maria Keller of Leeds saw Dr. Okafor on 3 May 2021."


@pytest.fixture(scope="module")
def network() -> Encoder:
    network = new_network()
    load_base(network)
    return network.eval().requires_grad_(False)


@pytest.mark.slow
def test_without_training_it_computes_what_minilm_computes(network: Encoder) -> None:
    from transformers import BertModel

    theirs = BertModel.from_pretrained(base_folder(), add_pooling_layer=False).eval()
    pieces = pieces_of(TEXT, base_tokenizer())
    short = pieces_of("Maria", base_tokenizer())
    ids, features, mask = padded([(pieces.ids, pieces.features), (short.ids, short.features)])
    network.head = torch.nn.Linear(384, 27)
    with torch.inference_mode():
        ours = network(ids, features, mask)
        hidden = theirs(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        expected = network.head(hidden)
    assert torch.allclose(ours[mask], expected[mask], atol=1e-4)


@pytest.mark.parametrize("precision", Precision)
def test_a_precision_changes_answers_little(network: Encoder, precision: Precision) -> None:
    if precision is Precision.EIGHT_BITS and not has_instructions_for_eight_bits():
        pytest.skip("without VNNI, sums overflow")
    pieces = pieces_of(TEXT, base_tokenizer())
    row = (pieces.ids, pieces.features)
    with torch.inference_mode():
        exact = network(*padded([row]))[0, : len(pieces) + 2].numpy()
    answers = EncoderModel(deepcopy(network), precision).ask([row] * 3)
    for answer in answers:
        assert answer.shape == (len(pieces) + 2, 27)
        np.testing.assert_allclose(answer, exact, atol=_TOLERANCE[precision])


@pytest.mark.parametrize(
    ("instructions", "precision"),
    [
        ({"avx512_bf16", "avx512_vnni"}, Precision.HALF),
        ({"amx_bf16"}, Precision.HALF),
        ({"avx512_vnni", "avx2"}, Precision.EIGHT_BITS),
        ({"avx_vnni"}, Precision.EIGHT_BITS),
        ({"avx2"}, Precision.SINGLE),
    ],
)
def test_the_precision_follows_from_the_processor(
    monkeypatch: pytest.MonkeyPatch, instructions: set[str], precision: Precision
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: dict.fromkeys(instructions, True))
    assert fastest_precision() is precision


def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.safetensors"
    for content in (b"", b"not a weights file"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is not a tagger's weights file"):
            read_weights(path)
    with pytest.raises(InputError, match="is not a tagger's weights file"):
        read_weights(tmp_path / "missing.safetensors")


def test_weights_for_another_base_are_refused(tmp_path: Path) -> None:
    settings = {"types": ["PERSON"], "calibration": [[1, 0, 0.5]], "base": "0" * 64}
    path = tmp_path / "other.safetensors"
    save_file({"head.bias": torch.zeros(3)}, path, {"tagger": json.dumps(settings)})
    with pytest.raises(InputError, match="another MiniLM"):
        read_weights(path)
