"""The texts of the study: novels, training cases, and held-out cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import rows
from sage_rag.eval.probes.probe import Probe
from sage_rag.eval.studies.cache import CachedRecognizer, StudyCache
from sage_rag.eval.studies.controlled.settings import ControlledSettings
from sage_rag.eval.studies.corpora import prompts
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.words import tokenize
from sage_rag.training.controlled.codes import AnnotatedDocument
from sage_rag.training.controlled.documents import pieces_of, read_annotated, recognized
from sage_rag.training.controlled.spellings import MIN_PART

CASES = "tab_echr_english/tab.jsonl"
NOVELS = "english_novels"
_HELD_OUT = "test"
_NOVEL_PART = 4_000
"""Characters of one training text of a novel: about a row."""


@dataclass(frozen=True)
class StudyTexts:
    """The texts, read from the folder of data sets. `home` keeps the spans that are recognised."""

    data: Path
    home: Path
    settings: ControlledSettings

    @cached_property
    def _cases(self) -> tuple[list[AnnotatedDocument], list[AnnotatedDocument]]:
        path = self.data / CASES
        if not path.is_file():
            raise InputError(f"`{self.data}` has no `{CASES}`", hint="name the data: --data")
        splits = [row["split"] == _HELD_OUT for row in rows(path)]
        whole = list(zip(splits, read_annotated(path, None), strict=True))
        training = [document for held, document in whole if not held]
        return training[: self.settings.cases], [document for held, document in whole if held]

    @property
    def training_cases(self) -> list[AnnotatedDocument]:
        """The whole training cases."""
        return self._cases[0]

    @cached_property
    def known(self) -> list[AnnotatedDocument]:
        """Pieces of the training cases, with the annotators' values."""
        return self._pieces(self._cases[0])

    @cached_property
    def recognised(self) -> list[AnnotatedDocument]:
        """The same pieces, with the values that the default recognizer finds."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        cache = StudyCache(self.home / "cache.sqlite")
        recognizer = CachedRecognizer(self._recognizer, cache)
        try:
            return [recognized(piece.id, piece.text, recognizer) for piece in self.known]
        finally:
            cache.close()

    @cached_property
    def _recognizer(self) -> Recognizer:
        return default_recognizer()

    def names_in(self, text: str) -> frozenset[str]:
        """Return the words of three letters or more in names that the recognizer finds."""
        spans = self._recognizer.recognize(text)
        names = [text[s.start : s.end] for s in spans if s.entity_type is EntityType.PERSON]
        words = (word for name in names for word in tokenize(name))
        return frozenset(word for word in words if len(word) >= MIN_PART)

    @cached_property
    def held_out(self) -> list[str]:
        """Pieces of cases that no model reads: the reference of perplexity and MAUVE."""
        return [piece.text for piece in self._pieces(self._cases[1])]

    @cached_property
    def prompts(self) -> tuple[Probe, ...]:
        """The prompts that attack an index, targeted and untargeted."""
        return prompts(self.data, "wiki")

    def novels(self) -> Iterator[str]:
        """Yield parts of novels, taken in turn, up to the study's number of characters."""
        files = sorted((self.data / NOVELS).glob("*.jsonl.gz"))
        if not files:
            raise InputError(f"`{self.data}` has no `{NOVELS}`", hint="name the data: --data")
        texts = [row["text"] for file in files for row in rows(file)]
        each = self.settings.novel_characters // len(texts)
        for text in texts:
            for start in range(0, each, _NOVEL_PART):
                yield text[start : min(start + _NOVEL_PART, each)]

    def _pieces(self, documents: list[AnnotatedDocument]) -> list[AnnotatedDocument]:
        own = self.settings
        found = [p for d in documents for p in pieces_of(d, own.paragraphs, own.pieces)]
        return [piece for piece in found if piece.spans]
