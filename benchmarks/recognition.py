"""Time recognising and protecting structured values against Presidio, on a corpus of your own.

    python benchmarks/recognition.py CORPUS.jsonl [--texts 200] [--passes 5] [--json out.json]

Needs the extra `presidio` and `presidio-anonymizer`. Each line of the corpus is an
object; its strings are the text. Three ways in one process, in turn within every pass:

- Presidio: `AnalyzerEngine` (patterns only, a spaCy pipeline that only cuts words), then
  `AnonymizerEngine` with its default operator, which writes the type's name;
- the same recognizers through this package's engine, then deterministic encryption to tokens;
- this package's own structured recognizers, default set, then the same.

Medians of the passes; a ratio says how often the package fits into Presidio's time.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from presidio_anonymizer import AnonymizerEngine

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
"""Holds many shapes, so that nothing is imported or compiled inside the timing."""


def texts_of(path: Path, count: int) -> list[str]:
    """Return the strings of the first records, joined."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return ["\n".join(v for v in row.values() if isinstance(v, str)) for row in rows[:count]]


def steps() -> dict[str, Step]:
    """Return what to time, by name: each takes one text."""
    presidio, anonymizer = PresidioEngine(), AnonymizerEngine()

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


def medians(timed: dict[str, Step], texts: Sequence[str], passes: int) -> dict[str, float]:
    """Return milliseconds per text by name."""
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for step in timed.values():
        step(_WARM_UP)
    for _ in range(passes):
        for name, step in timed.items():
            start = time.perf_counter()
            for text in texts:
                step(text)
            seconds[name].append(time.perf_counter() - start)
    return {name: 1000 * statistics.median(s) / len(texts) for name, s in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    texts = texts_of(arguments.corpus, arguments.texts)
    if not texts:
        sys.exit(f"error: no texts in `{arguments.corpus}`")
    found = medians(steps(), texts, arguments.passes)
    ratios = {name: found[PRESIDIO] / found[name] for name in found}
    print(f"{len(texts)} texts, {sum(map(len, texts))} characters, {arguments.passes} passes")
    print(f"{'':24} {'ms a text':>10} {'times Presidio':>15}")
    for name, milliseconds in found.items():
        print(f"{name:24} {milliseconds:10.3f} {ratios[name]:15.1f}")
    if arguments.json:
        report = {
            "texts": len(texts),
            "characters": sum(map(len, texts)),
            "passes": arguments.passes,
            "recognizers": len(DEFAULT_ROWS) + len(COMPARISON_ROWS),
            "ms_per_text": found,
            "ratio": ratios,
            "presidio": version("presidio-analyzer"),
            "python": platform.python_version(),
        }
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
