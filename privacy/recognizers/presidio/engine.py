"""The installed Presidio: its own engine, as the comparison in studies and benchmarks.

No default needs it: `PresidioRecognizer` finds the same kinds of values from the table that ships,
without spaCy.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from sage_rag.common.exceptions import extra
from sage_rag.privacy.labels import Scheme, type_of_label
from sage_rag.privacy.recognizers.presidio.patterns import Match, Patterns
from sage_rag.privacy.spans import Span

with extra("presidio", needed_by="PresidioEngine"):
    import presidio_analyzer
    import spacy
    from presidio_analyzer.nlp_engine import SpacyNlpEngine


class PresidioEngine:
    """`AnalyzerEngine` with Presidio's own default recognizers for English, as people run it.

    Does not guarantee: names and places, which Presidio leaves to a spaCy model: the pipeline here
    only cuts words and writes them in small letters for the search of context words.
    """

    def __init__(self) -> None:
        _library()  # before any recognizer makes a network request
        pipeline = _pipeline()
        registry = presidio_analyzer.RecognizerRegistry(supported_languages=["en"])
        registry.load_predefined_recognizers(languages=["en"], nlp_engine=pipeline)
        self.engine: Any = presidio_analyzer.AnalyzerEngine(
            registry=registry, nlp_engine=pipeline, supported_languages=["en"]
        )
        self.recognizers = tuple(type(r).__name__ for r in registry.recognizers)

    @property
    def fingerprint(self) -> str:
        """Presidio's version and the number of recognizers."""
        return f"presidio-engine-{version('presidio-analyzer')}-{len(self.recognizers)}"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return what the engine returns with its default threshold."""
        return [
            Span(r.start, r.end, entity_type, r.score)
            for r in self.engine.analyze(text, language="en")
            if (entity_type := type_of_label(r.entity_type, Scheme.PRESIDIO)) is not None
        ]


def presidio_recognizer(name: str) -> Any:
    """Return a new instance of one of Presidio's recognizers; it makes no network request.

    Its e-mail recognizer would fetch the list of public suffixes; the copy in `tldextract` serves.
    Its log is switched off: the IBAN recognizer writes what it cannot check into it.
    """
    return getattr(_library(), name)()


def installed_patterns(name: str) -> Patterns:
    """Return what one of Presidio's recognizers searches for, with the checks of the package."""
    recognizer = presidio_recognizer(name)

    def check(value: str) -> bool | None:
        valid: bool | None = recognizer.validate_result(value)
        return False if recognizer.invalidate_result(value) else valid

    def find(text: str) -> Iterator[Match]:
        for result in recognizer.analyze(text, recognizer.supported_entities, None):
            yield result.start, result.end, result.score

    searches = type(recognizer).analyze is not presidio_analyzer.PatternRecognizer.analyze
    return Patterns(
        tuple((p.regex, p.score) for p in _linear(recognizer)),
        tuple(recognizer.context or ()),
        check,
        find if searches else None,
    )


def _linear(recognizer: Any) -> list[Any]:
    """Return the patterns that do not read the rest of the text at every place: no `.*`."""
    return [p for p in getattr(recognizer, "patterns", ()) if ".*" not in p.regex]


@cache
def _library() -> Any:
    suffixes: Any = import_module("tldextract.tldextract")
    suffixes.TLD_EXTRACTOR = suffixes.TLDExtract(suffix_list_urls=(), cache_dir=None)
    logging.getLogger("presidio-analyzer").disabled = True
    return import_module("presidio_analyzer.predefined_recognizers")


def _pipeline() -> Any:
    """Return an NLP engine with spaCy's tokenizer and no model: there is nothing to download."""
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    pipeline = spacy.blank("en")
    pipeline.add_pipe("small_letters")
    engine.nlp = {"en": pipeline}
    return engine


@spacy.Language.component("small_letters")  # type: ignore[untyped-decorator]
def _small_letters(words: Any) -> Any:
    """Take each word in small letters as its lemma, which Presidio compares with context words."""
    for word in words:
        word.lemma_ = word.lower_
    return words
