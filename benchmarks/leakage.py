"""Time the leakage measures against the package rouge-score, on a corpus of your own.

    python benchmarks/leakage.py CORPUS [--pairs 300]

Each pair is two documents of the corpus. Both sides take plain strings; "prepared" leaves out
reading the original, which a run does once per document. Each row is the best of five passes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer
from timing import best_s

from sage_rag.indexer.corpus import read_corpus
from sage_rag.privacy.gate.leakage import Original

_STRIDE = 7
_LONG_TOKENS = 20_000
_RUN = 10

Pair = tuple[str, str]


def pairs_of(texts: Sequence[str], count: int) -> list[Pair]:
    """Pair each text with another one."""
    last = len(texts)
    return [(texts[i % last], texts[(i * _STRIDE + 3) % last]) for i in range(min(count, last))]


def seconds_per_pair(measure: Callable[[str, str], object], pairs: Sequence[Pair]) -> float:
    """Return the mean time of a pair in the best pass."""
    return best_s(lambda: [measure(original, draft) for original, draft in pairs]) / len(pairs)


def all_measures(original: Original, draft: str) -> None:
    """Take the measures of the gate."""
    comparison = original.compare(draft)
    comparison.rouge_l, comparison.longest_shared_run  # noqa: B018 - computed on access
    comparison.shared_runs(at_least=_RUN)


def dialogues(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return seconds per pair by measure."""
    scorer = RougeScorer(["rougeL"])
    prepared = {text: Original(text) for text, _ in pairs}
    for original in prepared.values():
        all_measures(original, "")
    return {
        "rouge-score ROUGE-L": seconds_per_pair(scorer.score, pairs),
        "ROUGE-L": seconds_per_pair(lambda o, d: Original(o).rouge_l(d), pairs),
        "longest run": seconds_per_pair(lambda o, d: Original(o).longest_shared_run(d), pairs),
        "runs of 10": seconds_per_pair(
            lambda o, d: Original(o).shared_runs(d, at_least=_RUN), pairs
        ),
        "all three": seconds_per_pair(lambda o, d: all_measures(Original(o), d), pairs),
        "all three, prepared": seconds_per_pair(lambda o, d: all_measures(prepared[o], d), pairs),
    }


def long_pair(texts: Sequence[str]) -> float:
    """Return the seconds that all measures take on two texts of 20,000 words each."""
    words = " ".join(texts).split()
    words *= -(-2 * _LONG_TOKENS // len(words))
    one, other = words[:_LONG_TOKENS], words[_LONG_TOKENS : 2 * _LONG_TOKENS]
    return seconds_per_pair(
        lambda o, d: all_measures(Original(o), d), [(" ".join(one), " ".join(other))]
    )


def main() -> None:
    """Print seconds per pair, and the ratio to rouge-score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--pairs", type=int, default=300)
    options = parser.parse_args()
    texts = [document.text for document in read_corpus(options.corpus, None)]
    pairs = pairs_of(texts, options.pairs)
    times = dialogues(pairs)
    base = times["rouge-score ROUGE-L"]
    print(f"{len(pairs)} pairs of {options.corpus.name}\n")
    print("| measure | µs a pair | times rouge-score |\n| --- | ---: | ---: |")
    for name, seconds in times.items():
        print(f"| {name} | {seconds * 1e6:.1f} | {base / seconds:.1f} |")
    print(f"\ntwo texts of 20,000 words, all measures: {long_pair(texts):.3f} s")


if __name__ == "__main__":
    main()
