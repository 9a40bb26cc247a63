"""Time recognising and protecting structured values against Presidio, on your own corpus.

    python benchmarks/recognition.py CORPUS.jsonl [--texts 200] [--passes 5]

Needs the extra `presidio` and `presidio-anonymizer`. Each line of the corpus is an object; its
strings are the text. Three ways run in one process, in turn within every pass:

- Presidio: `AnalyzerEngine` (patterns only, a spaCy pipeline that only splits words), then
  `AnonymizerEngine` with its default operator, which writes the type's name;
- the same recognizers in this package's engine, then deterministic encryption to tokens;
- this package's default structured recognizers, then the same encryption.

Figures are medians of the passes; a ratio is Presidio's time divided by the time of the row.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from presidio_anonymizer import AnonymizerEngine
from timing import Work, median_s, records_as_text

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.chain import ChainRecognizer
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED
from sage_rag.privacy.recognizers.presidio.engine import PresidioEngine, installed_patterns
from sage_rag.privacy.recognizers.presidio.recognizer import PresidioRecognizer
from sage_rag.privacy.recognizers.presidio.table import COMPARISON_ROWS, DEFAULT_ROWS

Step = Callable[[str], object]

PRESIDIO = "Presidio"
SAME = "same recognizers here"
OWN_SET = "own structured set"
_WARM_UP = "Aadhaar 234123412346, card 4539 1488 0343 6467, a.b@example.org, +44 20 7946 0958"
"""Holds many shapes of values, so that nothing is imported or compiled during the timing."""


def steps() -> dict[str, Step]:
    """Return the ways by name; each takes one text."""
    presidio, anonymizer = PresidioEngine(), AnonymizerEngine()  # type: ignore[no-untyped-call]

    def presidio_step(text: str) -> object:
        found = presidio.engine.analyze(text, language="en")
        return anonymizer.anonymize(text, analyzer_results=found)

    same = PresidioRecognizer((*DEFAULT_ROWS, *COMPARISON_ROWS), installed_patterns)
    own = ChainRecognizer((PatternRecognizer(STRUCTURED), PresidioRecognizer()))
    return {PRESIDIO: presidio_step, SAME: protecting(same), OWN_SET: protecting(own)}


def protecting(recognizer: Recognizer) -> Step:
    """Return a step that recognises and encrypts every value."""
    cipher = default_cipher(Keyset.generate(), "benchmark")
    return Protector(recognizer, load_policy("soe-all"), cipher).pseudonymize


def main() -> None:
    """Print milliseconds per text, and the ratio to Presidio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args()
    texts = records_as_text(options.corpus)[: options.texts]
    if not texts:
        sys.exit(f"error: no texts in `{options.corpus}`")
    works: dict[str, Work] = {}
    for name, step in steps().items():
        step(_WARM_UP)
        works[name] = partial(_apply, step, texts)
    times = median_s(works, options.passes)
    print(f"{len(texts)} texts, {sum(map(len, texts))} characters, {options.passes} passes")
    print(f"{'':24} {'ms a text':>10} {'times Presidio':>15}")
    for name, seconds in times.items():
        milliseconds = 1000 * seconds / len(texts)
        print(f"{name:24} {milliseconds:10.3f} {times[PRESIDIO] / seconds:15.1f}")


def _apply(step: Step, texts: Sequence[str]) -> None:
    for text in texts:
        step(text)


if __name__ == "__main__":
    main()
