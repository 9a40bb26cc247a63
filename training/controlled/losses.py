"""The losses of prefix tuning with masking.

Source: Zhao and Field (2025), §2.3, eq. 2 to 5; He and Vechev (2023), arXiv 2302.05319, §4.

Dimensions: B rows, L targets of a row, V tokens of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from sage_rag.training.controlled.names import Contrast


@dataclass(frozen=True, slots=True)
class LossWeights:
    """λ of equation 5. Source: §3.2, which sets all to 1."""

    language: float = 1.0
    contrast: float = 1.0
    divergence: float = 1.0


@dataclass(frozen=True, slots=True)
class Losses:
    """Sums over the targets of a batch, in nats."""

    language: Tensor
    contrast: Tensor
    divergence: Tensor

    def total(self, weights: LossWeights) -> Tensor:
        """Return equation 5."""
        return (
            weights.language * self.language
            + weights.contrast * self.contrast
            + weights.divergence * self.divergence
        )


def losses(
    tuned_BLV: Tensor,
    base_BLV: Tensor,
    targets_BL: Tensor,
    private_BL: Tensor,
    counted_BL: Tensor,
    contrast: Contrast,
) -> Losses:
    """Return equations 2 to 4 from the logits of the tuned and the base model.

    `private_BL`: targets that belong to a private value (M = 0 in the paper). `counted_BL`: targets
    of the document; those of its code and of padding count nowhere. With `Contrast.NONE` there is
    the language loss alone: the paper's "fine-tuning" without masking.
    """
    tuned = tuned_BLV.log_softmax(-1)
    chosen = _chosen(tuned, targets_BL)
    language = -(chosen * counted_BL).sum()
    nothing = torch.zeros_like(language)
    if contrast is Contrast.NONE:
        return Losses(language, nothing, nothing)
    base = base_BLV.detach().log_softmax(-1)
    private = (private_BL & counted_BL).to(chosen.dtype)
    other = (~private_BL & counted_BL).to(chosen.dtype)
    terms = contrast_terms(chosen, _chosen(base, targets_BL), contrast)
    kl = (base.exp() * (base - tuned)).sum(-1)
    return Losses(language, (terms * private).sum(), (kl * other).sum())


def contrast_terms(tuned: Tensor, base: Tensor, contrast: Contrast) -> Tensor:
    """Return the terms of equation 3 from log probabilities of the target.

    `PRINTED`: -log(p / (p + q)) for the tuned model's p and the base model's q. `LOWERING`:
    -log(q / (p + q)). Its gradient points away from the target as that of the negated equation 3
    does, but it has the lower bound 0; the negated one falls without end as p goes to 0.
    """
    ahead = tuned - base
    return functional.softplus(-ahead if contrast is Contrast.PRINTED else ahead)


def _chosen(log_p_BLV: Tensor, targets_BL: Tensor) -> Tensor:
    return log_p_BLV.gather(-1, targets_BL.unsqueeze(-1)).squeeze(-1)
