"""Sample texts from a causal language model in this process, with a prefix or with blocked values.

Dimensions: B rows, L tokens, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.recognizers.backends.models import folder_digest
from sage_rag.training.controlled.blocking import BlockedTokens, BlockingProcessor, Vocabulary
from sage_rag.training.controlled.prefix import Prefix
from sage_rag.training.pretraining.trained_model import load_causal


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """How a text is drawn. Source: Zhao and Field (2025), §3.2."""

    most_tokens: int = 400
    temperature: float = 0.7
    top_p: float = 0.9


class CausalWriter:
    """A model and tokenizer of a folder; nothing is downloaded. `digest`: of the folder's files.

    `cut`: how many prompts lost their beginning, because the model reads fewer tokens.
    """

    def __init__(self, model: Any, tokenizer: Any, digest: str) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.digest = digest
        self.cut = 0
        self.context = int(model.config.max_position_embeddings)

    @classmethod
    def open(cls, folder: Path) -> CausalWriter:
        """Read model and tokenizer.

        Raises:
            InputError: as `load_causal`.
        """
        model, tokenizer = load_causal(folder)
        return cls(model, tokenizer, folder_digest(folder))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary as blocking reads it."""
        return Vocabulary(self.tokenizer)

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        found: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    @torch.inference_mode()
    def write(
        self,
        prompts: Sequence[str],
        seeds: Sequence[int],
        settings: SamplingSettings,
        *,
        prefix: Prefix | None = None,
        blocked: Sequence[BlockedTokens] = (),
    ) -> list[str]:
        """Return one continuation of each prompt, drawn with its own seed.

        A prompt that leaves no room loses its beginning, and is counted in `cut`. `blocked`: one
        set of values for all prompts, or one for each.
        """
        before = prefix.tokens if prefix else 0
        room = self.context - before - settings.most_tokens
        if room < 1:
            raise InputError(
                f"the model reads {self.context} tokens: too few for {settings.most_tokens} new "
                "ones after a prompt",
                hint="set fewer new tokens: --most-tokens",
            )
        read = [self.ids(prompt) for prompt in prompts]
        self.cut += sum(len(row) > room for row in read)
        rows = [row[-room:] for row in read]
        tokens_BL, mask_BL = self._left_padded(rows)
        length = tokens_BL.shape[1]
        processor = BlockingProcessor(blocked, length) if blocked else None
        sources = [torch.Generator().manual_seed(seed) for seed in seeds]
        written = self._sampled(tokens_BL, mask_BL, sources, settings, prefix, processor)
        texts: list[str] = self.tokenizer.batch_decode(
            written[:, length:], skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return texts

    def _sampled(
        self,
        tokens_BL: Tensor,
        mask_BL: Tensor,
        sources: Sequence[torch.Generator],
        settings: SamplingSettings,
        prefix: Prefix | None,
        processor: BlockingProcessor | None,
    ) -> Tensor:
        end = int(self.tokenizer.eos_token_id)
        cache = prefix.cache(self.model, len(tokens_BL)) if prefix else None
        first = prefix.tokens if prefix else 0
        positions = first + (mask_BL.cumsum(1) - 1).clamp(min=0)
        if prefix:
            mask_BL = torch.cat([mask_BL.new_ones(len(tokens_BL), first), mask_BL], 1)
        unread, ended = tokens_BL, torch.zeros(len(tokens_BL), dtype=torch.bool)
        for _ in range(settings.most_tokens):
            found = self.model(
                input_ids=unread,
                attention_mask=mask_BL,
                position_ids=positions,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = found.past_key_values
            scores_BV = found.logits[:, -1].float()
            if processor is not None:
                scores_BV = processor(tokens_BL, scores_BV)
            chosen = drawn_tokens(scores_BV.cpu(), sources, settings)
            chosen[ended] = end
            ended |= chosen == end
            unread = chosen.to(tokens_BL.device).unsqueeze(1)
            tokens_BL = torch.cat([tokens_BL, unread], 1)
            mask_BL = torch.cat([mask_BL, mask_BL.new_ones(len(mask_BL), 1)], 1)
            positions = positions[:, -1:] + 1
            if bool(ended.all()):
                break
        return tokens_BL

    def _left_padded(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        longest = max(1, *map(len, rows))
        end = int(self.tokenizer.eos_token_id)
        tokens = torch.full((len(rows), longest), end)
        mask = torch.zeros(len(rows), longest, dtype=torch.long)
        for place, row in enumerate(rows):
            if row:
                tokens[place, longest - len(row) :] = torch.tensor(row)
                mask[place, longest - len(row) :] = 1
            else:  # an empty prompt follows the end of another text
                mask[place, -1] = 1
        return tokens.to(self.model.device), mask.to(self.model.device)


def drawn_tokens(
    scores_BV: Tensor, sources: Sequence[torch.Generator], settings: SamplingSettings
) -> Tensor:
    """Return one token of each row, drawn from the smallest set with the probability `top_p`."""
    if settings.temperature <= 0:
        return scores_BV.argmax(-1)
    probabilities = (scores_BV / settings.temperature).softmax(-1)
    sorted_BV, order_BV = probabilities.sort(-1, descending=True)
    outside = sorted_BV.cumsum(-1) - sorted_BV >= settings.top_p
    sorted_BV = sorted_BV.masked_fill(outside, 0.0)
    places = [
        torch.multinomial(row, 1, generator=source)
        for row, source in zip(sorted_BV, sources, strict=True)
    ]
    return order_BV.gather(1, torch.stack(places)).squeeze(1)
