"""Time polyalphabetic encryption of 1,000 texts against a loop, and against Presidio's scrubbing.

    python benchmarks/polyalphabetic.py CORPUS [--presidio 50]

Every text field of a record counts as a text. The loop does one character at a time in Python,
with a dictionary, and gives the same output. Presidio runs its AnalyzerEngine with the
recognisers it brings for English, then its AnonymizerEngine, on the first `--presidio` texts; the
ratio is per character. Its spaCy pipeline only cuts words in one row; in the other it has an
entity recogniser of spaCy's default shape, untrained, since no model can be downloaded here: that
costs what a trained one does, and still less than Presidio's default, which tags and parses, too.
Processor time of one thread. The paper's figures are 1.01 s and 251 s for 1,000 texts (Kobashi et
al., Crypto-LLM, §4.2), on another machine and other texts.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from sage_rag.indexer.corpus import read_corpus
from sage_rag.training.ciphers.polyalphabetic import ALPHABET, PolyalphabeticCipher

_TEXTS = 1000
_ROUNDS = 5
_KEY = "".join(ALPHABET[(7 * i + 3) % len(ALPHABET)] for i in range(100))
_LEAST_RATIO = 20

_NUMBERS = {letter: number for number, letter in enumerate(ALPHABET)}


def loop(text: str, key: str) -> str:
    """Encrypt one character at a time."""
    shifts = [_NUMBERS[letter] + 1 for letter in key]
    result = []
    for position, character in enumerate(text):
        number = _NUMBERS.get(character)
        if number is None:
            result.append(character)
        else:
            result.append(ALPHABET[(number + shifts[position % len(shifts)]) % len(ALPHABET)])
    return "".join(result)


def seconds(work: Callable[[], object], rounds: int = _ROUNDS) -> float:
    """Return the best of some passes."""
    took = []
    for _ in range(rounds):
        began = process_time()
        work()
        took.append(process_time() - began)
    return min(took)


def presidio_seconds(texts: Sequence[str], *, entities: bool) -> float:
    """Return what finding and replacing personal data takes Presidio."""
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_anonymizer import AnonymizerEngine

    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    nlp = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "none"}])
    pipeline = spacy.blank("en")
    if entities:
        recognizer = pipeline.add_pipe("ner")
        for label in ("PERSON", "GPE", "ORG", "DATE"):
            recognizer.add_label(label)  # type: ignore[attr-defined]
        pipeline.initialize()
    nlp.nlp = {"en": pipeline}
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=nlp)
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=["en"])
    anonymizer = AnonymizerEngine()

    def scrub() -> None:
        for text in texts:
            anonymizer.anonymize(text, analyzer.analyze(text, language="en"))

    scrub()  # the first pass compiles patterns
    return seconds(scrub, rounds=1)


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 where the loop is not beaten by enough."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--presidio", type=int, default=50, help="texts; 0 leaves Presidio out")
    options = parser.parse_args(arguments)
    found = (text for d in read_corpus(options.corpus) for text in d.fields.values())
    texts = [text for text, _ in zip(found, range(_TEXTS), strict=False)]
    characters = sum(map(len, texts))
    cipher = PolyalphabeticCipher(_KEY)
    if cipher.encrypt_all(texts) != [loop(text, _KEY) for text in texts]:
        raise ValueError("the two do not agree")
    batch = seconds(lambda: cipher.encrypt_all(texts))
    rows = {
        "loop over characters": seconds(lambda: [loop(text, _KEY) for text in texts]),
        "PolyalphabeticCipher.encrypt, text by text": seconds(
            lambda: [cipher.encrypt(text) for text in texts]
        ),
        "PolyalphabeticCipher.encrypt_all": batch,
        "PolyalphabeticCipher.decrypt_all": seconds(lambda: cipher.decrypt_all(texts)),
    }
    if options.presidio:
        sample = texts[: options.presidio]
        for entities, name in ((False, "patterns only"), (True, "and spaCy's entity recogniser")):
            per_character = presidio_seconds(sample, entities=entities) / sum(map(len, sample))
            rows[f"Presidio, {name}, from {len(sample)} texts"] = per_character * characters
    print(f"{len(texts)} texts, {characters} characters, of {options.corpus.name}\n")
    print("| way | ms | times encrypt_all |\n| --- | ---: | ---: |")
    for name, took in rows.items():
        print(f"| {name} | {took * 1e3:.1f} | {took / batch:.1f} |")
    return int(rows["loop over characters"] < _LEAST_RATIO * batch)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
