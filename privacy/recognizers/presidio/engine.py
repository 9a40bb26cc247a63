"""Presidio's own engine over the same recognizers: the yardstick of studies and benchmarks.

Not part of any default: `PresidioRecognizer` finds the same kinds of values without tagging every
text first.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.presidio.recognizer import presidio_recognizer
from sage_rag.privacy.recognizers.presidio.table import ADOPTED, OWN, Adopted
from sage_rag.privacy.spans import Span


class PresidioEngine:
    """`AnalyzerEngine` with pattern recognizers only and a spaCy pipeline that only cuts words.

    Every row's recognizer runs on English text, whatever country its numbers are from, since a
    text does not say in which language its numbers are.
    """

    def __init__(self, rows: Sequence[Adopted] = (*ADOPTED, *OWN)) -> None:
        analyzer = import_module("presidio_analyzer")
        recognizers = [presidio_recognizer(row.name) for row in rows]
        for recognizer in recognizers:
            recognizer.supported_language = "en"
            # Quadratic in the text; our side leaves it out, too.
            recognizer.patterns = [
                p for p in getattr(recognizer, "patterns", ()) if ".*" not in p.regex
            ]
        registry = analyzer.RecognizerRegistry(recognizers=recognizers, supported_languages=["en"])
        self.engine: Any = analyzer.AnalyzerEngine(
            registry=registry, nlp_engine=_word_cutter(), supported_languages=["en"]
        )
        self._types = {
            entity: row.entity_type
            for row, recognizer in zip(rows, recognizers, strict=True)
            for entity in recognizer.supported_entities
        }

    @property
    def fingerprint(self) -> str:
        """Presidio's version and the number of recognizers."""
        return f"presidio-engine-{version('presidio-analyzer')}-{len(self._types)}"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return what the engine returns with its default threshold."""
        return [
            Span(found.start, found.end, self._type(found.entity_type), found.score)
            for found in self.engine.analyze(text, language="en")
        ]

    def _type(self, entity: str) -> EntityType:
        return self._types[entity]


def _word_cutter() -> Any:
    """Return an NLP engine with spaCy's tokenizer and no model: there is nothing to download."""
    spacy = import_module("spacy")
    nlp_engine = import_module("presidio_analyzer.nlp_engine")
    engine = nlp_engine.SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    engine.nlp = {"en": spacy.blank("en")}
    return engine
