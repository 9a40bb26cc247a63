"""Any spaCy pipeline that finds entities, by a trained component or by rules."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from sage_rag.common.exceptions import InputError, extra
from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.recognizers.backends.models import (
    LabelMap,
    folder_digest,
    settings_digest,
    types_of,
)
from sage_rag.privacy.recognizers.windows import Window, windows
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of the spans from the same answers of the model."""

with extra("spacy", needed_by="SpacyRecognizer"):
    import spacy

ONTONOTES: dict[str, T | None] = {
    "PERSON": T.PERSON,
    "PER": T.PERSON,
    "NORP": T.SPECIAL_CATEGORY,
    "FAC": T.LOCATION,
    "GPE": T.LOCATION,
    "LOC": T.LOCATION,
    "ORG": T.ORGANIZATION,
    "DATE": T.DATE_TIME,
    "TIME": T.DATE_TIME,
    "MONEY": T.QUANTITY,
    "PERCENT": T.QUANTITY,
    "QUANTITY": T.QUANTITY,
    "CARDINAL": None,
    "ORDINAL": None,
    "PRODUCT": None,
    "EVENT": T.MISC,
    "LAW": T.MISC,
    "LANGUAGE": T.DEMOGRAPHIC,
    "WORK_OF_ART": T.MISC,
    "MISC": T.MISC,
}
"""Labels of the pipelines that spaCy publishes. Source: Weischedel et al. (2013), OntoNotes 5.0,
LDC2013T19; PER and MISC from the pipelines of other languages. Bare numbers (CARDINAL, ORDINAL)
and products are left out: most identify no one, and the patterns find those that do."""

_FINDERS = {"ner", "beam_ner", "entity_ruler", "future_entity_ruler"}
_SCORE = 0.85
"""spaCy returns no probability. Below the patterns with checksums, above a single unknown word."""
_WINDOW_CHARS, _MARGIN_CHARS = 100_000, 1_000
"""Memory grows by about a kilobyte per character. No name is longer than the margin."""


class SpacyRecognizer:
    """Find what a spaCy pipeline finds.

    Guarantees: texts of any length, in windows; memory does not grow with the vocabulary of all
    texts. Safe to share between threads; one of them works at a time.
    Does not guarantee: a meaningful score; it is the same for every span.
    """

    def __init__(self, pipeline: str, *, labels: LabelMap = ONTONOTES) -> None:
        """Load a pipeline by the name of its package or from its folder.

        Raises:
            InputError: for a pipeline that is missing, finds no entities or has a label that
                `labels` does not map.
        """
        try:
            self._nlp = spacy.load(pipeline)
        except (OSError, ValueError) as error:
            raise InputError(
                f"spaCy cannot load `{pipeline}` ({type(error).__name__})",
                hint=f"python -m spacy download {pipeline}, or give a pipeline's folder",
            ) from None
        finders = [
            name
            for name in self._nlp.pipe_names
            if self._nlp.get_pipe_meta(name).factory in _FINDERS
        ]
        if not finders:
            raise InputError(f"the spaCy pipeline `{pipeline}` has no component for entities")
        names = dict.fromkeys(label for n in finders for label in self._nlp.pipe_labels[n])
        self._types = types_of(names, labels)
        self._lock = threading.Lock()
        settings = settings_digest(VERSION, version("spacy"), sorted(self._types.items(), key=str))
        self.fingerprint: Final = f"spacy-{folder_digest(Path(self._nlp.path))}-{settings}"
        """Digests of the pipeline's files and labels, our version and spaCy's."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of one text, in order."""
        readable = well_formed(text)
        parts = windows(len(text), size=_WINDOW_CHARS, margin=_MARGIN_CHARS)
        with self._lock:
            found = [span for part in parts for span in self._in(readable, part)]
        return list(dict.fromkeys(found))

    def _in(self, text: str, part: Window) -> list[Span]:
        # A memory zone frees its words at its end; otherwise every new word stays in memory.
        with self._nlp.memory_zone():
            entities = [
                (part.start + entity.start_char, part.start + entity.end_char, entity.label_)
                for entity in self._nlp(text[part.start : part.end]).ents
            ]
        return [
            Span(start, end, entity_type, _SCORE)
            for start, end, label in entities
            if part.decides(start, end) and (entity_type := self._types[label]) is not None
        ]
