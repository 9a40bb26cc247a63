"""Train a prefix on pairs of a control code and its document; the model itself stays as it is.

    sage-rag train prefix cases.jsonl --model FOLDER --out prefix

Source: Zhao and Field (2025), §2.3 and §3.2.

Dimensions: B rows, L tokens of a row, V tokens of the vocabulary.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.optim import AdamW

from sage_rag.common.exceptions import InputError
from sage_rag.training.controlled.codes import AnnotatedDocument, ControlCode, Identifiers
from sage_rag.training.controlled.losses import Losses, LossWeights, losses
from sage_rag.training.controlled.names import Contrast
from sage_rag.training.controlled.prefix import VIRTUAL_TOKENS, Prefix
from sage_rag.training.controlled.prompts import code_prompt

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Progress = Callable[[int, int, float], None]
"""Receives the steps done, all steps, and the loss per target of the last one."""
_MAX_NORM = 1.0


@dataclass(frozen=True)
class PrefixSettings:
    """How a prefix is trained. Defaults: the paper's (§3.2), where it names them."""

    tokens: int = VIRTUAL_TOKENS
    learning_rate: float = 5e-5
    epochs: int = 3
    rows: int = 4
    """Documents of a step; the paper does not name it."""
    contrast: Contrast = Contrast.PRINTED
    weights: LossWeights = field(default_factory=LossWeights)
    identifiers: Identifiers = Identifiers.BOTH
    seed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the settings for a file."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CodedRow:
    """Code and document as tokens. `private`, `counted`: of each token as a target."""

    tokens: list[int] = field(repr=False)
    private: list[bool]
    counted: list[bool]


def coded_row(
    document: AnnotatedDocument, identifiers: Identifiers, tokenizer: Any, most: int
) -> CodedRow:
    """Return a document after its code, cut to `most` tokens, with the end token where it fits.

    A token is private if it shares a character with a private value.
    """
    code = code_prompt(ControlCode.of_document(document, identifiers))
    before = tokenizer(code, add_special_tokens=False)["input_ids"]
    encoded = tokenizer(document.text, add_special_tokens=False, return_offsets_mapping=True)
    hidden = [(s.start, s.end) for s in document.spans if identifiers.cover(s.value)]
    private = [
        any(start < last and first < end for first, last in hidden)
        for start, end in encoded["offset_mapping"]
    ]
    tokens = [*before, *encoded["input_ids"], int(tokenizer.eos_token_id)]
    counted = [False] * len(before) + [True] * (len(tokens) - len(before))
    marks = [False] * len(before) + private + [False]
    return CodedRow(tokens[:most], marks[:most], counted[:most])


def train_prefix(
    model: PreTrainedModel,
    tokenizer: Any,
    documents: Sequence[AnnotatedDocument],
    settings: PrefixSettings,
    progress: Progress = lambda done, steps, loss: None,
) -> Prefix:
    """Return a trained prefix; the same settings give the same one.

    Raises:
        InputError: when the prefix leaves no room in the model, no document has text after its
            code, or the loss is not finite.
    """
    untyped: Any = model
    untyped.eval().requires_grad_(False)
    context = int(untyped.config.max_position_embeddings)
    room = context - settings.tokens
    if room <= 1:
        raise InputError(
            f"the model reads {context} tokens: too few after {settings.tokens} virtual ones",
            hint="set fewer virtual tokens: --tokens",
        )
    coded = [coded_row(d, settings.identifiers, tokenizer, room) for d in documents]
    rows = [row for row in coded if sum(row.counted) > 1]
    if not rows:
        raise InputError(
            f"the model reads {context} tokens, and no document has room after its code",
            hint="split the documents (--paragraphs), or take a model that reads more",
        )
    torch.manual_seed(settings.seed)
    prefix = Prefix.of_text(model, tokenizer, settings.tokens).to(untyped.device)
    optimizer = AdamW(prefix.parameters(), lr=settings.learning_rate, weight_decay=0.0)
    batches = [
        batch for epoch in range(settings.epochs) for batch in _batches(rows, settings, epoch)
    ]
    for done, batch in enumerate(batches, 1):
        found, targets = batch_losses(model, prefix, batch, settings.contrast)
        loss = found.total(settings.weights) / targets
        if not torch.isfinite(loss):
            raise InputError(
                f"the loss of step {done} is not a finite number", hint="set a lower learning rate"
            )
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(prefix.parameters(), _MAX_NORM)
        optimizer.step()
        optimizer.zero_grad()
        progress(done, len(batches), float(loss.detach()))
    return prefix.eval().requires_grad_(False)


def batch_losses(
    model: PreTrainedModel, prefix: Prefix, rows: Sequence[CodedRow], contrast: Contrast
) -> tuple[Losses, int]:
    """Return the losses of some rows, and over how many targets they are sums."""
    untyped: Any = model
    tokens_BL, mask_BL = padded([row.tokens for row in rows], untyped.device)
    private_BL = padded([row.private for row in rows], untyped.device)[0].bool()[:, 1:]
    counted_BL = padded([row.counted for row in rows], untyped.device)[0].bool()[:, 1:]
    tuned_BLV = prefixed_logits(model, prefix, tokens_BL, mask_BL)[:, :-1].float()
    base_BLV = tuned_BLV
    if contrast is not Contrast.NONE:
        with torch.no_grad():
            base_BLV = untyped(input_ids=tokens_BL, attention_mask=mask_BL, use_cache=False).logits
            base_BLV = base_BLV[:, :-1].float()
    found = losses(tuned_BLV, base_BLV, tokens_BL[:, 1:], private_BL, counted_BL, contrast)
    return found, max(1, int(counted_BL.sum()))


def prefixed_logits(
    model: PreTrainedModel, prefix: Prefix, tokens_BL: Tensor, mask_BL: Tensor
) -> Tensor:
    """Return the logits (B, L, V) of a model that attends to the prefix."""
    untyped: Any = model
    rows = len(tokens_BL)
    before = mask_BL.new_ones(rows, prefix.tokens)
    logits: Tensor = untyped(
        input_ids=tokens_BL,
        attention_mask=torch.cat([before, mask_BL], 1),
        past_key_values=prefix.cache(model, rows),
        use_cache=True,
    ).logits
    return logits


def padded(rows: Sequence[Sequence[int]], device: Any) -> tuple[Tensor, Tensor]:
    """Return rows padded at their ends with 0 (B, L), and the mask of what is no padding."""
    longest = max(map(len, rows))
    tokens = torch.zeros(len(rows), longest, dtype=torch.long, device=device)
    mask = torch.zeros_like(tokens)
    for place, row in enumerate(rows):
        tokens[place, : len(row)] = torch.tensor(row, device=device)
        mask[place, : len(row)] = 1
    return tokens, mask


def _batches(rows: list[CodedRow], settings: PrefixSettings, epoch: int) -> list[list[CodedRow]]:
    drawn = random.Random(f"{settings.seed}/{epoch}")  # noqa: S311 - an order, not a secret
    order = drawn.sample(rows, len(rows))
    return [order[i : i + settings.rows] for i in range(0, len(order), settings.rows)]
