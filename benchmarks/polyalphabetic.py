"""Time polyalphabetic encryption of 1,000 texts against a loop, and against Presidio's scrubbing.

    python benchmarks/polyalphabetic.py CORPUS [--presidio 50]

Every text field of a record is a text. The loop encrypts one character at a time in Python, with a
dictionary, and has the same output. Presidio runs its AnalyzerEngine with its recognizers for
English, then its AnonymizerEngine, on the first `--presidio` texts; the ratio is per character. In
one row its spaCy pipeline only splits words; in the other it has an untrained entity recognizer
of spaCy's default shape, which costs the same as a trained one, and less than Presidio's default,
which also tags and parses. Times are processor time of one thread. The paper's figures are 1.01 s
and 251 s for 1,000 texts (Kobashi et al., Crypto-LLM, §4.2), on another machine and other texts.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from timing import best_s

from sage_rag.indexer.corpus import read_corpus
from sage_rag.training.ciphers.polyalphabetic import ALPHABET, PolyalphabeticCipher

_TEXTS = 1000
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


def presidio_seconds(texts: Sequence[str], *, entities: bool) -> float:
    """Return the seconds that Presidio takes to find and replace personal data."""
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
            recognizer.add_label(label)
        pipeline.initialize()
    nlp.nlp = {"en": pipeline}
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=nlp)
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=["en"])
    anonymizer = AnonymizerEngine()  # type: ignore[no-untyped-call]

    def scrub() -> None:
        for text in texts:
            anonymizer.anonymize(text, analyzer.analyze(text, language="en"))

    scrub()  # the first pass compiles patterns
    return best_s(scrub, passes=1)


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 if the cipher is less than 20 times as fast as the loop."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--presidio", type=int, default=50, help="texts; 0 leaves Presidio out")
    options = parser.parse_args(arguments)
    found = (text for d in read_corpus(options.corpus) for text in d.fields.values())
    texts = [text for text, _ in zip(found, range(_TEXTS), strict=False)]
    characters = sum(map(len, texts))
    cipher = PolyalphabeticCipher(_KEY)
    if cipher.encrypt_all(texts) != [loop(text, _KEY) for text in texts]:
        raise ValueError("cipher and loop differ")
    batch = best_s(lambda: cipher.encrypt_all(texts))
    rows = {
        "loop over characters": best_s(lambda: [loop(text, _KEY) for text in texts]),
        "PolyalphabeticCipher.encrypt, text by text": best_s(
            lambda: [cipher.encrypt(text) for text in texts]
        ),
        "PolyalphabeticCipher.encrypt_all": batch,
        "PolyalphabeticCipher.decrypt_all": best_s(lambda: cipher.decrypt_all(texts)),
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
