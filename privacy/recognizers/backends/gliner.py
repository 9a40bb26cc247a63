"""GLiNER: a small model that finds the kinds of value that its labels describe."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import accumulate
from typing import Final

from sage_rag.common.exceptions import InputError, extra
from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.backends.default_labels import DEFAULT_LABELS
from sage_rag.privacy.recognizers.backends.models import (
    folder_digest,
    model_folder,
    quiet_loading,
    settings_digest,
    torch_device,
)
from sage_rag.privacy.recognizers.windows import Window, windows
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of the spans from the same answers of the model."""

with extra("gliner", needed_by="GlinerRecognizer"):
    import gliner

_WORD_CHARS = 50
"""A longer word is not a name. The model reads its beginning; a span covers all of it."""
_MARKS_PER_LABEL = 1
"""GLiNER puts a mark before every label."""
_BATCH = 8

Range = tuple[int, int]


class GlinerRecognizer:
    """Find values by a GLiNER model and labels in plain words.

    `labels`: what to look for, and the entity type of each.

    Guarantees: texts of any length are read whole, in windows (GLiNER itself drops what exceeds
    its longest input). Safe to share between threads; one of them works at a time.
    Does not guarantee: anything for scripts without spaces, unless the model has a splitter for
    them: the model classifies whole words.
    """

    def __init__(
        self,
        model: str,
        *,
        labels: Mapping[str, EntityType] = DEFAULT_LABELS,
        threshold: float = 0.5,
    ) -> None:
        """Load a model from a folder or by its name on the hub.

        Raises:
            InputError: when it is missing, is not a GLiNER model or has no room for the labels.
        """
        quiet_loading()
        folder = model_folder(model)
        if not (folder / "gliner_config.json").is_file():
            raise InputError(f"model `{model}` is not a GLiNER model: it has no gliner_config.json")
        self._labels = dict(labels)
        self._threshold = threshold
        self._model = gliner.GLiNER.from_pretrained(str(folder), map_location=torch_device())
        self._model.eval()
        processor = self._model.data_processor
        self._split, self._tokenizer = processor.words_splitter, processor.transformer_tokenizer
        asked = len(self._tokenizer(list(labels), is_split_into_words=True)["input_ids"])
        taken = asked + len(labels) * _MARKS_PER_LABEL + 2
        config = self._model.config
        self._size = min(config.max_len, self._tokenizer.model_max_length - taken)
        self._margin = max(config.max_width, self._size // 8)
        if self._size < 4 * self._margin:
            raise InputError(f"model `{model}` has no room for {len(labels)} labels")
        self._lock = threading.Lock()
        settings = settings_digest(VERSION, version("gliner"), threshold, list(labels.items()))
        self.fingerprint: Final = f"gliner-{folder_digest(folder)}-{settings}"
        """Digests of the model's files, labels and threshold; our version and GLiNER's."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of one text, in order."""
        readable = well_formed(text)
        with self._lock:
            words, lengths = self._words(readable)
            if not words:
                return []
            ends = [0, *accumulate(lengths)]
            parts = [_Part(readable, words, ends, w) for w in self._windows(ends[-1])]
            answers = self._model.inference(
                [part.text for part in parts],
                list(self._labels),
                threshold=self._threshold,
                batch_size=_BATCH,
            )
        found: dict[tuple[int, int, EntityType], float] = {}
        for part, answer in zip(parts, answers, strict=True):
            for entity in answer:
                place = part.original(entity["start"], entity["end"])
                if place is not None:
                    key = (*place, self._labels[entity["label"]])
                    found[key] = max(found.get(key, 0.0), min(1.0, float(entity["score"])))
        return [Span(*key, score) for key, score in sorted(found.items())]

    def _windows(self, tokens: int) -> list[Window]:
        return list(windows(tokens, size=self._size, margin=self._margin))

    def _words(self, text: str) -> tuple[list[Range], list[int]]:
        """Return the words that have tokens, and their numbers of tokens.

        A word without tokens (for example a control character) would shift the place of every
        later word by one in GLiNER.
        """
        words = [(start, end) for _, start, end in self._split(text)]
        encoded = self._tokenizer(
            [text[start:end][:_WORD_CHARS] for start, end in words],
            is_split_into_words=True,
            add_special_tokens=False,
            truncation=False,
            verbose=False,
        )
        lengths = Counter(encoded.word_ids())
        seen = sorted(lengths)
        return [words[i] for i in seen], [lengths[i] for i in seen]


class _Part:
    """The words of one window, joined by spaces, and their places in the whole text."""

    def __init__(
        self, text: str, words: Sequence[Range], ends: Sequence[int], window: Window
    ) -> None:
        # A word that the window's edge cuts is whole in the next window: they overlap by more.
        first = bisect_right(ends, window.start - 1)
        last = bisect_right(ends, window.end) - 1
        self._words, self._ends = words[first:last], ends[first : last + 1]
        self._window = window
        shown = [text[start:end][:_WORD_CHARS] for start, end in self._words]
        self._starts = [0, *accumulate(len(word) + 1 for word in shown)]
        self.text = " ".join(shown)

    def original(self, start: int, end: int) -> Range | None:
        """Return the place in the whole text; `None` where another window decides."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        if not self._window.decides(self._ends[first], self._ends[last + 1]):
            return None
        return self._words[first][0], self._words[last][1]
