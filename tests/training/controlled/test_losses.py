"""Each loss against a plain formula in float64."""

import math

import numpy as np
import pytest
import torch

from sage_rag.training.controlled.losses import LossWeights, losses
from sage_rag.training.controlled.names import Contrast

B, L, V = 2, 5, 7


@pytest.fixture(scope="module")
def parts():
    torch.manual_seed(0)
    tuned = torch.randn(B, L, V, dtype=torch.float64, requires_grad=True)
    base = torch.randn(B, L, V, dtype=torch.float64)
    targets = torch.randint(V, (B, L))
    private = torch.tensor([[1, 0, 1, 0, 0], [0, 0, 1, 1, 0]]).bool()
    counted = torch.tensor([[0, 1, 1, 1, 1], [1, 1, 1, 1, 0]]).bool()
    return tuned, base, targets, private, counted


def probabilities(logits):
    exp = np.exp(logits.detach().numpy())
    return exp / exp.sum(-1, keepdims=True)


def formula(parts, contrast):
    """Equations 2 to 4 as sums in plain Python."""
    tuned, base, targets, private, counted = parts
    p, q = probabilities(tuned), probabilities(base)
    language = other = divergence = 0.0
    for b in range(B):
        for t in range(L):
            if not counted[b, t]:
                continue
            y = int(targets[b, t])
            language -= math.log(p[b, t, y])
            if private[b, t]:
                kept = p[b, t, y] if contrast is Contrast.PRINTED else q[b, t, y]
                other -= math.log(kept / (p[b, t, y] + q[b, t, y]))
            else:
                divergence += sum(q[b, t, v] * math.log(q[b, t, v] / p[b, t, v]) for v in range(V))
    return language, other, divergence


@pytest.mark.parametrize("contrast", [Contrast.PRINTED, Contrast.LOWERING])
def test_losses_equal_the_plain_formula(parts, contrast) -> None:
    found = losses(*parts, contrast)
    values = (found.language.item(), found.contrast.item(), found.divergence.item())
    assert values == pytest.approx(formula(parts, contrast), abs=1e-12)
    weights = LossWeights(0.5, 2.0, 3.0)
    expected = sum(w * v for w, v in zip((0.5, 2.0, 3.0), values, strict=True))
    assert found.total(weights).item() == pytest.approx(expected, abs=1e-12)


def test_without_contrast_the_language_loss_stands_alone(parts) -> None:
    found = losses(*parts, Contrast.NONE)
    assert found.language.item() == pytest.approx(formula(parts, Contrast.PRINTED)[0], abs=1e-12)
    assert found.contrast == found.divergence == 0


@pytest.mark.parametrize(("contrast", "sign"), [(Contrast.PRINTED, -1), (Contrast.LOWERING, 1)])
def test_the_sign_decides_whether_a_private_token_becomes_likelier(parts, contrast, sign) -> None:
    tuned, _, targets, private, counted = parts
    (gradient,) = torch.autograd.grad(losses(*parts, contrast).contrast, tuned)
    chosen = gradient.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    touched = private & counted
    assert (chosen[touched].sign() == sign).all()  # steps go against the gradient
    assert (gradient[~touched] == 0).all()


def test_the_lowering_sign_has_a_lower_bound() -> None:
    logits = torch.tensor([[[-60.0, 0.0]]], dtype=torch.float64)
    ones = torch.ones(1, 1).bool()
    found = losses(
        logits,
        torch.zeros(1, 1, 2).double(),
        torch.zeros(1, 1).long(),
        ones,
        ones,
        Contrast.LOWERING,
    )
    assert 0 <= found.contrast.item() < 1e-12
