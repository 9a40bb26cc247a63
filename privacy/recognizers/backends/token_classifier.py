"""Any token-classification model of Hugging Face transformers: BERT, RoBERTa, DeBERTa and others.

Its labels may follow IO, BIO, BIOES or BILOU. Weights and tokenizer come from a folder or from
the hub; the model's own code is never run.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from transformers import AutoModelForTokenClassification, AutoTokenizer

from sage_rag.common.batches import padded_batches
from sage_rag.common.exceptions import InputError
from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.labels import Scheme
from sage_rag.privacy.recognizers.backends.models import (
    LabelMap,
    folder_digest,
    model_folder,
    quiet_loading,
    settings_digest,
    torch_device,
    types_of,
)
from sage_rag.privacy.recognizers.backends.tagging import Probabilities, TagSet, Token, decode_tags
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of the spans from the same answers of the model."""

_MAX_TOKENS = 512
"""Longest window: the length that most encoders were trained with."""
_BATCH_TOKENS = 8192
"""Tokens per forward pass, padding included: a few hundred MB of activations."""


class TokenClassifierRecognizer:
    """Find what a token-classification model was trained to find.

    A word counts as private when the probabilities of all private labels sum to at least
    `threshold`: below 0.5 the recognizer finds more than the model's own choice. A span's score is
    the lowest such sum among its words.

    Guarantees: a text of any length is read whole; every token has a quarter window of context on
    both sides and is decided once. Safe to share between threads.
    Does not guarantee: calibration; the score is as good as the model's own probabilities.
    """

    def __init__(
        self, model: str, *, labels: LabelMap = Scheme.UNER, threshold: float = 0.5
    ) -> None:
        """Load a model from a folder or by its name on the hub.

        Raises:
            InputError: for a model that is missing, has no fast tokenizer (only those return
                offsets) or has a label that `labels` does not map.
        """
        quiet_loading()
        folder = model_folder(model)
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        if not self._tokenizer.is_fast:
            raise InputError(
                f"model `{model}` has no fast tokenizer, so its tokens have no offsets",
                hint="save it once with a tokenizer that has a tokenizer.json",
            )
        self._tokenizer.truncation_side = self._tokenizer.padding_side = "right"
        classifier = AutoModelForTokenClassification.from_pretrained(folder)
        self._device = torch_device()
        self._model = classifier.to(self._device).eval()
        config = self._model.config
        names = [config.id2label[i] for i in range(config.num_labels)]
        self._tags = TagSet.of(names, lambda kinds: types_of(kinds, labels))
        self._threshold = threshold
        longest = getattr(config, "max_position_embeddings", None) or _MAX_TOKENS
        self._length = min(self._tokenizer.model_max_length, longest, _MAX_TOKENS)
        self._room = self._length - self._tokenizer.num_special_tokens_to_add()
        # A tokenizer keeps truncation and padding as state, which threads must not change at once.
        self._lock = threading.Lock()
        settings = settings_digest(VERSION, threshold, list(self._tags.types))
        self.fingerprint: Final = f"token-classifier-{folder_digest(folder)}-{settings}"
        """Digests of the model's files, labels and threshold, and our version."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of one text, in order."""
        return self.recognize_all([text])[0]

    def recognize_all(self, texts: Sequence[str]) -> list[Sequence[Span]]:
        """Return the spans of each text; windows of similar length share a forward pass."""
        readable = [well_formed(text) for text in texts]
        windows = self._windows(readable)
        answers: dict[int, Probabilities] = {}
        lengths = [len(window.ids) for window in windows]
        longest_first = sorted(range(len(windows)), key=lambda i: -lengths[i])
        for batch in padded_batches(longest_first, lengths.__getitem__, _BATCH_TOKENS):
            answers |= zip(batch, self._ask([windows[i].ids for i in batch]), strict=True)
        tokens: list[list[Token]] = [[] for _ in texts]
        for i, window in enumerate(windows):
            tokens[window.text] += window.decided(answers[i])
        return [
            decode_tags(text, found, self._tags, self._threshold)
            for text, found in zip(readable, tokens, strict=True)
        ]

    def _windows(self, texts: Sequence[str]) -> list[_Window]:
        """Tokenize; split a text that is too long into windows that overlap by half."""
        if not texts:
            return []
        margin = (self._room // 2) // 2
        with self._lock:
            encoded = self._tokenizer(
                list(texts),
                truncation=True,
                max_length=self._length,
                stride=2 * margin,
                return_overflowing_tokens=True,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
                return_attention_mask=False,
            )
        owners = encoded["overflow_to_sample_mapping"]
        windows = []
        for i, text in enumerate(owners):
            places = [
                place
                for place, special in zip(
                    enumerate(encoded["offset_mapping"][i]),
                    encoded["special_tokens_mask"][i],
                    strict=True,
                )
                if not special
            ]
            before = margin if i and owners[i - 1] == text else 0
            after = margin if i + 1 < len(owners) and owners[i + 1] == text else 0
            decides = places[before : len(places) - after]
            windows.append(_Window(text, encoded["input_ids"][i], decides))
        return windows

    @torch.inference_mode()
    def _ask(self, rows: Sequence[list[int]]) -> list[Probabilities]:
        """Return a (tokens, labels) table of probabilities for each row of token ids."""
        longest, padding = max(map(len, rows)), self._tokenizer.pad_token_id or 0
        ids = torch.tensor([row + [padding] * (longest - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        logits = self._model(
            input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
        ).logits
        table = logits.float().softmax(-1).cpu().numpy()
        return [table[i, : len(row)] for i, row in enumerate(rows)]


@dataclass(frozen=True, slots=True)
class _Window:
    """A row of token ids; `decides`: the tokens that this window decides, with their offsets."""

    text: int
    ids: list[int]
    decides: list[tuple[int, tuple[int, int]]]

    def decided(self, answer: Probabilities) -> list[Token]:
        return [Token(start, end, answer[i]) for i, (start, end) in self.decides]
