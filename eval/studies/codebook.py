"""Measure how many model tokens a pseudonym of the codebook takes, and a token of AES-SIV.

    --ranks llama-3=tokenizer.model --ranks qwen2.5=qwen.tiktoken
    --ranks tekken=tekken_240911.json --tokenizer minilm=tokenizer.json

`--ranks`: a vocabulary in tiktoken's format, or Mistral's Tekken file. The name selects how text
is split first (`llama-3`, `qwen2.5`, `cl100k`, `o200k`, `tekken`). `--tokenizer`: a file
`tokenizer.json` of the library tokenizers. A model token counts if it covers any character of the
pseudonym.

The count is a sum over parts: the type with the context before it, the first word, the second word,
and the bracket with the context after it. So the largest sum is the maximum over all codes, and no
code is left out. The study checks on random pseudonyms that the counts add up, and fails otherwise.
"""

from __future__ import annotations

import base64
import json
import random
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.tables import table
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.training.ciphers.codewords import code_count, displayed_type, word_lists

_WORDS_LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
CUTS = {
    "llama-3": _WORDS_LLAMA,
    "cl100k": _WORDS_LLAMA,
    "qwen2.5": _WORDS_LLAMA.replace(r"\p{N}{1,3}", r"\p{N}"),
    "o200k": rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_SHORT}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_SHORT}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
"""How each family splits a text into words before it merges bytes, from its own release."""

BEFORE = {
    "at a line's start": "x\n",
    "after a space": "x ",
    "after a space and `(`": "x (",
    "after `(` alone": "x\n(",
}
AFTER = ("", " x", ".", ",", ":", "?", "'s", ")", '"', "\n")
_SAMPLE = 3000
_ABOUT = """\
`PERSON_[river_length]`: the words were chosen for the vocabularies of Llama-3 and Qwen2.5, and
types whose name takes these three or more tokens show the name of their family (`ID`, `MISC`). The
goal is at most 6 there. After an opening bracket without a space before it those vocabularies
merge the bracket with the beginning of the type's name, which can cost one token more. Other
vocabularies were not aimed at."""

Offsets = Callable[[str], Sequence[tuple[int, int]]]
"""Return the `[start, end)` of each token of an ASCII text."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens per pseudonym for one tokenizer: by context the mean over types, and the maximum.

    `siv`: the mean for names under AES-SIV.
    """

    mean: Mapping[str, float]
    greatest: Mapping[str, int]
    siv: float


def count(offsets: Offsets, before: str, token: str, after: str) -> int:
    """Return how many tokens of the model cover any character of `token`."""
    start, end = len(before), len(before) + len(token)
    return sum(1 for a, b in offsets(before + token + after) if a < end and b > start)


def measure(offsets: Offsets) -> TokenCounts:
    """Measure one tokenizer.

    Raises:
        InputError: if the counts of the parts do not add up to the count of the whole.
    """
    firsts, seconds = word_lists()
    known = f"PERSON_[{firsts[0]}_{seconds[0]}]"
    base = count(offsets, "x ", known, "")
    by_first = {f: count(offsets, "x ", f"PERSON_[{f}_{seconds[0]}]", "") - base for f in firsts}
    by_second = {s: count(offsets, "x ", f"PERSON_[{firsts[0]}_{s}]", "") - base for s in seconds}
    by_place = {
        (shown, before, after): count(offsets, before, known.replace("PERSON", shown), after)
        for shown in {displayed_type(entity_type) for entity_type in EntityType}
        for before in BEFORE.values()
        for after in AFTER
    }
    _verify(offsets, by_first, by_second, by_place)
    contexts = {b: [n for p, n in by_place.items() if p[1] == b] for b in BEFORE.values()}
    most = max(by_first.values()) + max(by_second.values())
    mean = fmean(by_first.values()) + fmean(by_second.values())
    return TokenCounts(
        {before: mean + fmean(counts) for before, counts in contexts.items()},
        {before: most + max(counts) for before, counts in contexts.items()},
        _siv(offsets),
    )


def _verify(
    offsets: Offsets,
    by_first: Mapping[str, int],
    by_second: Mapping[str, int],
    by_place: Mapping[tuple[EntityType, str, str], int],
) -> None:
    draw = random.Random(0)  # noqa: S311 - a sample, not a secret
    firsts, seconds, places = list(by_first), list(by_second), sorted(by_place)
    for _ in range(_SAMPLE):
        f, s, place = draw.choice(firsts), draw.choice(seconds), draw.choice(places)
        whole = count(offsets, place[1], f"{place[0]}_[{f}_{s}]", place[2])
        if whole != by_first[f] + by_second[s] + by_place[place]:
            raise InputError(f"the tokens of {place[0]}_[{f}_{s}] are not the sum of its parts")


def _siv(offsets: Offsets) -> float:
    cipher = default_cipher(Keyset.generate(), "study")
    names = (f"Ada Novak {number}" for number in range(200))
    return fmean(count(offsets, "x ", cipher.encrypt(n, EntityType.PERSON), ".") for n in names)


def ranks_offsets(name: str, path: Path) -> Offsets:
    """Return the offsets of a vocabulary of byte pairs.

    Raises:
        InputError: for an unknown name.
    """
    import tiktoken

    if path.suffix == ".json":
        content = json.loads(path.read_bytes())
        vocabulary = content["vocab"]
        size = (
            content["config"]["default_vocab_size"]
            - content["config"]["default_num_special_tokens"]
        )
        ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in vocabulary[:size]}
        cut = content["config"]["pattern"]
    elif name in CUTS:
        lines = (line.split() for line in path.read_bytes().splitlines() if line.strip())
        ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
        cut = CUTS[name]
    else:
        raise InputError(f"`{name}` is not one of {', '.join(CUTS)}, tekken")
    encoding = tiktoken.Encoding(name, pat_str=cut, mergeable_ranks=ranks, special_tokens={})

    def offsets(text: str) -> list[tuple[int, int]]:
        places, end = [], 0
        for token in encoding.encode_ordinary(text):
            start, end = end, end + len(encoding.decode_single_token_bytes(token))
            places.append((start, end))
        return places

    return offsets


def json_offsets(path: Path) -> Offsets:
    """Return the offsets of a `tokenizer.json`."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))

    def offsets(text: str) -> list[tuple[int, int]]:
        return list(tokenizer.encode(text, add_special_tokens=False).offsets)

    return offsets


def add_options(parser: ArgumentParser) -> None:
    """Add the vocabularies."""
    parser.add_argument("--ranks", action="append", default=[], help="NAME=FILE, of byte pairs")
    parser.add_argument("--tokenizer", action="append", default=[], help="NAME=FILE, JSON")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Measure pseudonyms on each vocabulary."""
    counts: dict[str, TokenCounts] = {}
    for argument in (*options.ranks, *options.tokenizer):
        name, _, file = argument.partition("=")
        path = Path(file)
        ranks = argument in options.ranks
        counts[name] = measure(ranks_offsets(name, path) if ranks else json_offsets(path))
        report(f"{name} done")
    return StudyResult(page("Model tokens per pseudonym", _ABOUT, run, *_tables(counts)), counts)


def _tables(counts: Mapping[str, TokenCounts]) -> tuple[str, str]:
    firsts, seconds = word_lists()
    measured = (
        f"All {code_count(EntityType.PERSON)} codes ({len(firsts)} first words, {len(seconds)}\n"
        f"second words), all {len(EntityType)} entity types, {len(AFTER)} contexts after. A cell:\n"
        "mean over codes, types and contexts; the greatest in brackets."
    )
    rows = (
        [name, *(f"{c.mean[b]:.2f} ({c.greatest[b]})" for b in BEFORE.values()), f"{c.siv:.1f}"]
        for name, c in counts.items()
    )
    return measured, table(("tokenizer", *BEFORE, "a name under AES-SIV"), rows)
