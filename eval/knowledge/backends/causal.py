"""A causal language model of transformers, from a folder, as a model that is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_TOKENS_PER_BATCH = 8192


class CausalModel:
    """Scores and writes continuations with a model in a folder; nothing is downloaded.

    As in training, a text begins with the tokenizer's first token, where it has one.
    """

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
        untyped: Any = model  # the library declares few types
        self._model = untyped.eval()
        self._tokenizer: Any = tokenizer
        self._end = int(self._tokenizer.eos_token_id)
        first = self._tokenizer.bos_token_id
        self._first: list[int] = [] if first is None else [int(first)]

    @classmethod
    def open(cls, folder: Path) -> CausalModel:
        """Read model and tokenizer.

        Raises:
            InputError: for a folder without a model that transformers reads.
        """
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        if not (folder / "config.json").is_file():
            raise InputError(
                f"`{folder}` has no model: `config.json` is missing",
                hint="name the exported model of a training run",
            )
        try:
            model = AutoModelForCausalLM.from_pretrained(
                folder, dtype=torch.float32, local_files_only=True
            )
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError) as error:
            raise InputError(f"`{folder}` is not a causal language model: {error}") from None
        return cls(model, tokenizer)

    def log_likelihoods(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return log p(continuation | prompt) of each pair; see `LanguageModel`."""
        rows, starts = [], []
        for prompt, continuation in pairs:
            whole = self._ids(prompt + continuation)
            starts.append(len(self._first) + _shared(self._ids(prompt), whole))
            rows.append([*self._first, *whole])
        found = np.zeros(len(rows))
        for batch in _batches([len(row) for row in rows]):
            log_p = self._log_probabilities([rows[i] for i in batch])
            for place, i in enumerate(batch):
                span = slice(starts[i] - 1, len(rows[i]) - 1)
                found[i] = log_p[place, span].sum()
        return found

    @torch.inference_mode()
    def _log_probabilities(self, rows: list[list[int]]) -> NDArray[np.float64]:
        """Return log p of each token after the first, given those before it: (rows, longest-1)."""
        ids, mask = self._padded(rows, left=False)
        logits = self._model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
        log_p = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
        return np.asarray(log_p.numpy(), dtype=np.float64)

    @torch.inference_mode()
    def generate(
        self, prompts: Sequence[str], samples: int, max_tokens: int, seed: int
    ) -> list[list[str]]:
        """Return continuations of each prompt; see `LanguageModel`."""
        torch.manual_seed(seed)
        rows = [[*self._first, *self._ids(prompt)] for prompt in prompts]
        found: list[list[str]] = [[] for _ in prompts]
        for batch in _batches([(len(row) + max_tokens) * samples for row in rows]):
            ids, mask = self._padded([rows[i] for i in batch], left=True)
            written = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                max_new_tokens=max_tokens,
                use_cache=True,
                do_sample=True,
                temperature=1.0,
                top_k=0,
                num_return_sequences=samples,
                pad_token_id=self._end,
                eos_token_id=self._end,
            )
            texts = self._tokenizer.batch_decode(
                written[:, ids.shape[1] :], skip_special_tokens=True
            )
            for place, i in enumerate(batch):
                found[i] = texts[place * samples : (place + 1) * samples]
        return found

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _padded(self, rows: list[list[int]], *, left: bool) -> tuple[torch.Tensor, torch.Tensor]:
        longest = max(map(len, rows))
        ids = torch.full((len(rows), longest), self._end)
        mask = torch.zeros((len(rows), longest), dtype=torch.long)
        for place, row in enumerate(rows):
            where = slice(longest - len(row), None) if left else slice(len(row))
            ids[place, where] = torch.tensor(row)
            mask[place, where] = 1
        return ids, mask


def _shared(prompt: Sequence[int], whole: Sequence[int]) -> int:
    """Return how many tokens at the beginning are the prompt's own.

    A token that spans the border between prompt and continuation belongs to the continuation.
    """
    pairs = enumerate(zip(prompt, whole, strict=False))
    return next((i for i, (own, found) in pairs if own != found), len(prompt))


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield indices of rows of similar length, with at most `_TOKENS_PER_BATCH` padded tokens."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[i] * (len(batch) + 1) > _TOKENS_PER_BATCH:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
