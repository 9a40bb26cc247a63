"""GLiNER: a small model that finds whatever kinds of value it is asked for in plain words."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import accumulate

from sage_rag.common.exceptions import InputError, extra
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.backends.models import (
    folder_digest,
    model_folder,
    quiet_loading,
    settings_digest,
    torch_device,
)
from sage_rag.privacy.recognizers.backends.plain_words import PLAIN_WORDS
from sage_rag.privacy.recognizers.windows import Window, windows
from sage_rag.privacy.recognizers.writing import well_formed
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of the spans from the same answers of the model."""

with extra("gliner", needed_by="GlinerRecognizer"):
    import gliner

_WORD_CHARS = 50
"""What is longer is no name: the model reads its beginning, and the whole is covered if found."""
_MARKS_PER_LABEL = 1
"""GLiNER puts a mark before every label."""
_BATCH = 8

Range = tuple[int, int]


class GlinerRecognizer:
    """Find what a GLiNER model takes for one of the labels.

    `labels`: what to look for, in plain words, and the type of what is found.

    Guarantees: texts of any length are read whole, in windows; GLiNER itself leaves out what goes
    beyond its longest input. Safe to share between threads, one of which works at a time.
    Does not guarantee: anything for scripts without spaces, unless the model has a splitter for
    them: it judges whole words.
    """

    def __init__(
        self,
        model: str,
        *,
        labels: Mapping[str, EntityType] = PLAIN_WORDS,
        threshold: float = 0.5,
    ) -> None:
        """Load a model from a folder or by its name on the hub.

        Raises:
            InputError: when it is not there, is no GLiNER model or cannot take so many labels.
        """
        quiet_loading()
        folder = model_folder(model)
        if not (folder / "gliner_config.json").is_file():
            raise InputError(f"model `{model}` is no GLiNER model: it has no gliner_config.json")
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
        self._fingerprint = f"gliner-{folder_digest(folder)}-{settings}"

    @property
    def fingerprint(self) -> str:
        """Digests of the model's files, and of labels, threshold, code and GLiNER's version."""
        return self._fingerprint

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
        """Return the words that the model can see, and how many tokens each takes.

        A word without tokens (a control character, say) would make GLiNER take every word after
        it for the one before.
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
    """The words of one window, a space between any two, and the way back to their places."""

    def __init__(
        self, text: str, words: Sequence[Range], ends: Sequence[int], window: Window
    ) -> None:
        # Words that the window's edge cuts lie whole in its neighbour: they overlap by more.
        first = bisect_right(ends, window.start - 1)
        last = bisect_right(ends, window.end) - 1
        self._words, self._ends = words[first:last], ends[first : last + 1]
        self._window = window
        shown = [text[start:end][:_WORD_CHARS] for start, end in self._words]
        self._starts = [0, *accumulate(len(word) + 1 for word in shown)]
        self.text = " ".join(shown)

    def original(self, start: int, end: int) -> Range | None:
        """Return a find's place in the whole text; `None` where another window decides."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        if not self._window.decides(self._ends[first], self._ends[last + 1]):
            return None
        return self._words[first][0], self._words[last][1]
