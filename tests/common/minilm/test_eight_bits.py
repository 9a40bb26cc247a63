"""Linear layers in eight bits: errors within the bound of rounding, rows that do not interfere."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.minilm.eight_bits import EightBitLinear
from sage_rag.common.minilm.precision import has_instructions_for_eight_bits

pytestmark = pytest.mark.skipif(
    not has_instructions_for_eight_bits(), reason="without VNNI, sums overflow"
)


def layer_and_rows(seed: int, rows: int, inputs: int) -> tuple[torch.nn.Linear, torch.Tensor]:
    """Return a layer of 12 outputs and input rows of sizes from thousandths to thousands."""
    random = torch.Generator().manual_seed(seed)
    layer = torch.nn.Linear(inputs, 12).requires_grad_(False)
    layer.weight.copy_(torch.randn(12, inputs, generator=random))
    sizes = 10.0 ** torch.randint(-3, 4, (rows, 1), generator=random)
    return layer, torch.randn(rows, inputs, generator=random) * sizes


@given(st.integers(0, 2**31), st.integers(1, 20), st.sampled_from([16, 64, 384]))
def test_the_error_is_at_most_half_a_step_of_each_factor(seed: int, rows: int, inputs: int) -> None:
    layer, x = layer_and_rows(seed, rows, inputs)
    step_x = x.abs().amax(1, keepdim=True) / 127
    step_w = layer.weight.abs().amax(1)[None] / 127
    bound = (
        x.abs().sum(1, keepdim=True) * step_w / 2
        + step_x / 2 * layer.weight.abs().sum(1)[None]
        + inputs * step_x * step_w / 4
    )
    error = (EightBitLinear(layer)(x) - layer(x)).abs()
    assert bool((error <= bound * 1.01 + 1e-6).all())


@given(st.integers(0, 2**31), st.integers(2, 20))
def test_the_answer_to_a_row_does_not_depend_on_other_rows(seed: int, rows: int) -> None:
    layer, x = layer_and_rows(seed, rows, 64)
    quantised = EightBitLinear(layer)
    alone = torch.cat([quantised(row[None]) for row in x])
    assert torch.equal(quantised(x.view(1, rows, 64))[0], alone)


def test_a_row_of_zeros_gives_the_bias() -> None:
    layer, x = layer_and_rows(1, 2, 64)
    assert torch.equal(EightBitLinear(layer)(torch.zeros_like(x))[0], layer.bias)
