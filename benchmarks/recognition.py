"""Time recognising and protecting against Presidio, on your own corpus and on dense records.

    python benchmarks/recognition.py CORPUS.jsonl [--texts 200] [--passes 5]

Needs the extra `presidio` and `presidio-anonymizer`. Each line of the corpus is an object; its
strings are the text. Dense records are invented: 18 lines, each with one value. These ways run in
one process, in turn within every pass:

- Presidio: its own `AnalyzerEngine` with its default recognizers (a spaCy pipeline that only splits
  words), then `AnonymizerEngine` with its default operator, which writes the type's name;
- the same with spaCy's recognizer of names, as people run it: without training, since no model
  could be downloaded; a trained one of its shape costs the same;
- Presidio's default recognizers in this package's engine, then deterministic encryption to tokens;
- this package's default structured recognizers, then the same encryption;
- this package's default recognizer, which finds names too, then the same encryption.

Figures are medians of the passes; a ratio is Presidio's time (without names) divided by the time of
the row.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from presidio_anonymizer import AnonymizerEngine
from timing import Work, dense_records, median_s, records_as_text

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.chain import ChainRecognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED
from sage_rag.privacy.recognizers.presidio.engine import PresidioEngine, installed_patterns
from sage_rag.privacy.recognizers.presidio.recognizer import PresidioRecognizer
from sage_rag.privacy.recognizers.presidio.table import COMPARISON_ROWS, DEFAULT_ROWS

Step = Callable[[str], object]

PRESIDIO = "Presidio, no names"
WITH_NAMES = "Presidio, with names"
SAME = "same recognizers here"
OWN_SET = "own structured set"
DEFAULT = "own default, with names"
_WARM_UP = "Aadhaar 234123412346, card 4539 1488 0343 6467, a.b@example.org, +44 20 7946 0958"
"""Holds many shapes of values, so that nothing is imported or compiled during the timing."""


def steps() -> dict[str, Step]:
    """Return the ways by name; each takes one text."""
    presidio, with_names = PresidioEngine(), PresidioEngine()
    pipeline = with_names.engine.nlp_engine.nlp["en"]
    names = pipeline.add_pipe("ner")
    for label in ("PERSON", "GPE", "ORG", "DATE"):
        names.add_label(label)
    pipeline.initialize()
    rows = [r for r in (*DEFAULT_ROWS, *COMPARISON_ROWS) if r.name in presidio.recognizers]
    own = ChainRecognizer((PatternRecognizer(STRUCTURED), PresidioRecognizer()))
    return {
        PRESIDIO: scrubbing(presidio),
        WITH_NAMES: scrubbing(with_names),
        SAME: protecting(PresidioRecognizer(tuple(rows), installed_patterns)),
        OWN_SET: protecting(own),
        DEFAULT: protecting(default_recognizer()),
    }


def scrubbing(presidio: PresidioEngine) -> Step:
    """Return a step that recognises with Presidio and replaces each value by its type."""
    anonymizer = AnonymizerEngine()  # type: ignore[no-untyped-call]

    def step(text: str) -> object:
        return anonymizer.anonymize(text, presidio.engine.analyze(text, language="en"))

    return step


def protecting(recognizer: Recognizer) -> Step:
    """Return a step that recognises and encrypts every value."""
    cipher = default_cipher(Keyset.generate(), "benchmark")
    return Protector(recognizer, load_policy("soe-all"), cipher).pseudonymize


def main() -> None:
    """Print milliseconds per text and the ratio to Presidio, for the corpus and dense records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args()
    texts = records_as_text(options.corpus)[: options.texts]
    if not texts:
        sys.exit(f"error: no texts in `{options.corpus}`")
    ways = steps()
    for name, some in {"corpus": texts, "dense records": dense_records(options.texts)}.items():
        print(f"{name}: {len(some)} texts, {sum(map(len, some))} characters")
        show(ways, some, options.passes)


def show(ways: dict[str, Step], texts: Sequence[str], passes: int) -> None:
    """Print a table of all ways on some texts."""
    works: dict[str, Work] = {}
    for name, step in ways.items():
        step(_WARM_UP)
        works[name] = partial(_apply, step, texts)
    times = median_s(works, passes)
    print(f"{'':24} {'ms a text':>10} {'times Presidio':>15}")
    for name, seconds in times.items():
        milliseconds = 1000 * seconds / len(texts)
        print(f"{name:24} {milliseconds:10.3f} {times[PRESIDIO] / seconds:15.1f}")


def _apply(step: Step, texts: Sequence[str]) -> None:
    for text in texts:
        step(text)


if __name__ == "__main__":
    main()
