"""A causal language model of transformers, from a folder, as a model that is asked."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.target import TokenScores
from sage_rag.training.pretraining.trained_model import load_causal

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_TOKENS_PER_BATCH = 8192
_SCORED_TOKENS_PER_BATCH = 2048
"""The logits of more leave a processor's cache: a third more time."""
_LOGITS_PER_BATCH = 2**24
"""64 MiB of them; scoring holds some copies."""
_LEAST = 1e-8
"""Least variance of log p: that of a model that is certain is 0."""


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
    def open(cls, folder: Path, device: str | None = None) -> CausalModel:
        """Read model and tokenizer; `device`: PyTorch's name of it; default: a GPU, if any.

        Raises:
            InputError: for a folder without a model that transformers reads.
        """
        return cls(*load_causal(folder, device))

    def log_likelihoods(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return log p(continuation | prompt) of each pair; see `LanguageModel`.

        The model reads a prompt once for all its continuations. A continuation before which there
        is no token is scored from its second token on.

        Raises:
            InputError: for a pair that is longer than the context.
        """
        prompts = {prompt: [*self._first, *self.token_ids(prompt)] for prompt, _ in pairs}
        rows = [[*self._first, *self.token_ids(prompt + continued)] for prompt, continued in pairs]
        self._check_fits(rows)
        groups: dict[tuple[int, ...], list[tuple[int, list[int]]]] = {}
        for i, ((prompt, _), row) in enumerate(zip(pairs, rows, strict=True)):
            # the last common token predicts the first one of the continuation
            start = max(0, _shared(prompts[prompt], row) - 1)
            groups.setdefault(tuple(row[:start]), []).append((i, row[start:]))
        found = np.zeros(len(pairs))
        for beginnings in _batches_of_one_length(groups):
            continued = [row for beginning in beginnings for row in groups[beginning]]
            places = [n for n, beginning in enumerate(beginnings) for _ in groups[beginning]]
            cache = self._read(beginnings) if beginnings[0] else None
            found[[i for i, _ in continued]] = self._continued(
                [row for _, row in continued], cache, places
            )
        return found

    @torch.inference_mode()
    def _log_probabilities(self, rows: list[list[int]]) -> NDArray[np.float64]:
        """Return log p of each token after the first, given those before it: (rows, longest-1)."""
        ids, mask = self._padded(rows, left=False)
        logits = self._model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
        log_p = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
        return _numbers(log_p)

    @property
    def context(self) -> int:
        """The largest number of tokens of a text."""
        return int(self._model.config.max_position_embeddings)

    def token_ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without any that mark its beginning or end."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def text_of(self, ids: Sequence[int]) -> str:
        """Return the text of tokens."""
        return str(self._tokenizer.decode(ids, clean_up_tokenization_spaces=False))

    def token_scores(self, texts: Sequence[str]) -> list[TokenScores]:
        """Score each text; see `TargetModel`."""
        rows = [[*self._first, *self.token_ids(text)] for text in texts]
        self._check_fits(rows)
        found = [TokenScores(np.zeros(0), np.zeros(0))] * len(rows)
        most = max(self.context, _LOGITS_PER_BATCH // len(self._tokenizer))
        for batch in _batches([len(row) for row in rows], most):
            log_p, standardized = self._scores([rows[i] for i in batch])
            for place, i in enumerate(batch):
                span = slice(len(rows[i]) - 1)
                found[i] = TokenScores(log_p[place, span], standardized[place, span])
        return found

    def mean_log_p(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean log p of the tokens of each text but the first; see `TargetModel`."""
        rows = [[*self._first, *self.token_ids(text)] for text in texts]
        self._check_fits(rows)
        start = max(0, _common_start(rows) - 1)  # the last common token predicts what follows
        beginning = rows[0][: start + 1]
        total = self._log_probabilities([beginning])[0].sum() if start else 0.0
        cache = self._read([beginning[:-1]]) if start else None
        sums = np.zeros(len(rows))
        for batch in _batches([len(row) - start for row in rows], _SCORED_TOKENS_PER_BATCH):
            ends = [rows[i][start:] for i in batch]
            sums[batch] = self._continued(ends, cache, [0] * len(ends))
        lengths = np.array([len(row) - 1 for row in rows])
        means: NDArray[np.float64] = (total + sums) / lengths
        return means

    @torch.inference_mode()
    def _read(self, beginnings: Sequence[Sequence[int]]) -> Any:
        """Return the model's state after each of several beginnings of one length."""
        ids = torch.tensor(beginnings, device=self._model.device)
        return self._model.base_model(input_ids=ids, use_cache=True).past_key_values

    @torch.inference_mode()
    def _continued(
        self, rows: list[list[int]], cache: Any | None, places: Sequence[int]
    ) -> NDArray[np.float64]:
        """Return the summed log p of each row's tokens after its first, given its beginning.

        `cache`: the state after the beginnings; `places`: which of them each row continues.
        """
        ids, mask = self._padded(rows, left=False)
        state, seen = None, mask
        if cache is not None:
            state = copy.deepcopy(cache)
            state.reorder_cache(torch.tensor(places))
            before = mask.new_ones((len(rows), state.get_seq_length()))
            seen = torch.cat((before, mask), dim=1)
        logits = self._model(input_ids=ids, attention_mask=seen, past_key_values=state).logits
        log_p = logits[:, :-1].float().log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
        return _numbers((log_p * mask[:, 1:]).sum(dim=1))

    def _check_fits(self, rows: Sequence[Sequence[int]]) -> None:
        longest = max(map(len, rows), default=0)
        if longest > self.context:
            raise InputError(
                f"a text of {longest} tokens is longer than the model's context of {self.context}",
                hint="use shorter texts, or a model that was trained with more `row_tokens`",
            )

    @torch.inference_mode()
    def _scores(self, rows: list[list[int]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return log p of each token after the first, and its standardized value."""
        ids, mask = self._padded(rows, left=False)
        logits = self._model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
        all_log_p = logits.log_softmax(-1)
        p = all_log_p.exp()
        mean = (p * all_log_p).sum(-1)
        deviation = ((p * all_log_p.square()).sum(-1) - mean.square()).clamp_min(_LEAST).sqrt()
        log_p = all_log_p.gather(-1, ids[:, 1:, None]).squeeze(-1)
        standardized = (log_p - mean) / deviation
        return _numbers(log_p), _numbers(standardized)

    def token_count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self.token_ids(text))

    @torch.inference_mode()
    def generate(
        self, prompts: Sequence[str], samples: int, max_tokens: int, seed: int, *, top_k: int = 0
    ) -> list[list[str]]:
        """Return continuations of each prompt; see `LanguageModel`.

        `top_k`: draw from the likeliest tokens alone; 0: from all.
        """
        torch.manual_seed(seed)
        rows = [[*self._first, *self.token_ids(prompt)] for prompt in prompts]
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
                top_k=top_k,
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

    def _padded(self, rows: list[list[int]], *, left: bool) -> tuple[torch.Tensor, torch.Tensor]:
        longest = max(map(len, rows))
        ids = torch.full((len(rows), longest), self._end)
        mask = torch.zeros((len(rows), longest), dtype=torch.long)
        for place, row in enumerate(rows):
            where = slice(longest - len(row), None) if left else slice(len(row))
            ids[place, where] = torch.tensor(row)
            mask[place, where] = 1
        return ids.to(self._model.device), mask.to(self._model.device)


def _numbers(scores: torch.Tensor) -> NDArray[np.float64]:
    """Return scores as an array.

    Raises:
        InputError: when one is not a finite number: figures from it would mean nothing.
    """
    if not torch.isfinite(scores).all():
        raise InputError(
            "the model's weights give values that are not numbers",
            hint="copy or export the model again",
        )
    return np.asarray(scores.double().cpu().numpy(), dtype=np.float64)


def _shared(prompt: Sequence[int], whole: Sequence[int]) -> int:
    """Return how many tokens at the beginning are the prompt's own.

    A token that spans the border between prompt and continuation belongs to the continuation.
    """
    pairs = enumerate(zip(prompt, whole, strict=False))
    return next((i for i, (own, found) in pairs if own != found), len(prompt))


def _common_start(rows: Sequence[Sequence[int]]) -> int:
    """Return how many tokens all rows begin with."""
    return next((i for i, own in enumerate(zip(*rows, strict=False)) if len(set(own)) > 1), 0)


def _batches_of_one_length(
    groups: Mapping[tuple[int, ...], Sequence[tuple[int, Sequence[int]]]],
) -> Iterator[list[tuple[int, ...]]]:
    """Yield beginnings of one length that together have about as many tokens as a batch."""
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for beginning in groups:
        by_length.setdefault(len(beginning), []).append(beginning)
    for length, beginnings in by_length.items():
        sizes = [
            len(groups[b]) * (length + max(len(row) for _, row in groups[b])) for b in beginnings
        ]
        for batch in _batches(sizes):
            yield [beginnings[n] for n in batch]


def _batches(lengths: Sequence[int], most: int = _TOKENS_PER_BATCH) -> Iterator[list[int]]:
    """Yield indices of rows of similar length, with at most `most` padded tokens."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[i] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
