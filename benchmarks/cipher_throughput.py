"""Measure how many megabytes of text the polyalphabetic cipher encrypts per second on one core.

    python benchmarks/cipher_throughput.py TEXTS [TEXTS ...]

`TEXTS`: files .jsonl, .jsonl.gz or .txt, or folders of these; a text is a document. A megabyte is
10^6 bytes of UTF-8. Times are processor time of one thread, the best of a few passes. Returns 1
below 20 megabytes per second. The paper reports 1.01 s for 1,000 texts (Kobashi et al., Crypto-LLM,
§4.5.2), on another machine and other texts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from timing import best_s

from sage_rag.training.ciphers.polyalphabetic import ALPHABET, PolyalphabeticCipher
from sage_rag.training.pretraining.corpus import read_texts

_LEAST = 20.0
_KEY_LENGTHS = (1, 10, 100)
_MEGABYTE = 1e6


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 when a key length is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("texts", type=Path, nargs="+")
    texts = list(read_texts(parser.parse_args(arguments).texts))
    megabytes = sum(len(text.encode()) for text in texts) / _MEGABYTE
    print(f"{len(texts)} texts, {megabytes:.1f} MB\n")
    print("| key length | encrypt, MB/s | decrypt, MB/s |\n| ---: | ---: | ---: |")
    slowest = float("inf")
    for length in _KEY_LENGTHS:
        key = "".join(ALPHABET[(7 * i + 3) % len(ALPHABET)] for i in range(length))
        cipher = PolyalphabeticCipher(key)
        encrypted = cipher.encrypt_all(texts)
        if cipher.decrypt_all(encrypted) != texts:
            raise ValueError("decrypting does not give the texts")
        rates = (
            megabytes / best_s(partial(cipher.encrypt_all, texts)),
            megabytes / best_s(partial(cipher.decrypt_all, encrypted)),
        )
        slowest = min(slowest, *rates)
        print(f"| {length} | {rates[0]:.0f} | {rates[1]:.0f} |")
    return int(slowest < _LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
