"""Packed linear layers: the same numbers as unpacked ones, alone and in the tagger."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.minilm.base import base_tokenizer
from sage_rag.common.minilm.model import EncoderModel, padded
from sage_rag.common.minilm.network import Encoder, load_trained
from sage_rag.common.minilm.packed import PackedLinear, can_pack
from sage_rag.common.minilm.precision import Precision, fastest_precision
from sage_rag.privacy.recognizers.tagging.network import new_network
from sage_rag.privacy.recognizers.tagging.pieces import pieces_of
from sage_rag.privacy.recognizers.tagging.tagger import shipped_weights
from sage_rag.privacy.recognizers.tagging.weights_file import read_weights

pytestmark = pytest.mark.skipif(not can_pack(), reason="this torch packs no layer")
in_half_precision = pytest.mark.skipif(
    fastest_precision() is not Precision.HALF, reason="no half precision in hardware"
)


@in_half_precision
@settings(max_examples=30)
@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 128), st.sampled_from([64, 384]))
def test_the_numbers_are_those_of_the_unpacked_layer(
    seed: int, texts: int, pieces: int, inputs: int
) -> None:
    random = torch.Generator().manual_seed(seed)
    layer = torch.nn.Linear(inputs, 96).requires_grad_(False)
    layer.weight.copy_(torch.randn(96, inputs, generator=random))
    layer = layer.bfloat16()
    x = torch.randn(texts, pieces, inputs, generator=random).bfloat16()
    packed = PackedLinear(layer)
    assert torch.allclose(packed(x), layer(x), rtol=2**-7, atol=2**-7)
    assert packed(x).dtype is torch.bfloat16


@settings(max_examples=30)
@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 128), st.booleans())
def test_single_precision_keeps_its_digits_with_and_without_gelu(
    seed: int, texts: int, pieces: int, gelu: bool
) -> None:
    random = torch.Generator().manual_seed(seed)
    layer = torch.nn.Linear(64, 96).requires_grad_(False)
    layer.weight.copy_(torch.randn(96, 64, generator=random))
    x = torch.randn(texts, pieces, 64, generator=random)
    expected = torch.nn.functional.gelu(layer(x)) if gelu else layer(x)
    assert torch.allclose(PackedLinear(layer, gelu=gelu)(x), expected, rtol=1e-4, atol=1e-4)


def shipped() -> Encoder:
    """The shipped network, trained."""
    path = shipped_weights()
    network = new_network(len(read_weights(path).settings.types))
    load_trained(network, path)
    return network


@in_half_precision
def test_the_tagger_answers_as_without_packing() -> None:
    unpacked = shipped().bfloat16()
    unpacked.head = unpacked.head.float()
    row = pieces_of("Mr Ole Lindqvist of 12 Harbour Street, 83, had gout.", base_tokenizer())
    (answer,) = EncoderModel(shipped(), Precision.HALF).ask([row.between(0, len(row))])
    ids, features, mask = padded([row.between(0, len(row))], 16)
    expected = unpacked(ids, features, mask)[0, : len(row) + 2]
    assert torch.allclose(torch.from_numpy(answer), expected, atol=0.05)
