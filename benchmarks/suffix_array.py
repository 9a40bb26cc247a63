"""Time the search of outputs of a model in its training text, by a suffix array over words.

    python benchmarks/suffix_array.py /path/to/texts [--outputs 100] [--copies 1]

The outputs are 256 words each: half of them copies of a passage of the corpus, half of them its
words in random order. `--copies` repeats the corpus, to see time and memory for a larger one. The
limit is 10 s for the index and the search of 100 outputs.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sage_rag.eval.model_attacks.suffix_array import WordSuffixArray, words_of
from sage_rag.training.pretraining.corpus import read_texts

_WORDS = 256
_LIMIT_S = 10


def outputs(texts: Sequence[str], count: int) -> list[str]:
    """Return passages of the texts; every second one is shuffled."""
    draw = random.Random(0)
    found = []
    for i in range(count):
        text = draw.choice(texts)
        start = draw.randrange(max(1, len(text) - 8 * _WORDS))
        words = words_of(text[start : start + 8 * _WORDS])[1 : _WORDS + 1]
        found.append(" ".join(words if i % 2 else draw.sample(words, len(words))))
    return found


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 when index and search together take over 10 s."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--outputs", type=int, default=100)
    parser.add_argument("--copies", type=int, default=1)
    options = parser.parse_args(arguments)
    texts = list(read_texts([options.corpus])) * options.copies
    asked = outputs(texts, options.outputs)
    started = time.process_time()
    array = WordSuffixArray(texts)
    built = time.process_time()
    runs = array.runs_in(asked)
    ended = time.process_time()
    if any(bool(found) != bool(i % 2) for i, found in enumerate(runs)):
        raise ValueError("the search does not find the passages of the corpus alone")
    characters = sum(map(len, texts))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{characters} characters, {len(array)} words with borders of texts; peak {peak:.0f} MiB\n"
    )
    print("| step | s |\n| --- | ---: |")
    print(f"| index | {built - started:.2f} |")
    print(f"| search of {len(asked)} outputs | {ended - built:.2f} |")
    return int(ended - started > _LIMIT_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
