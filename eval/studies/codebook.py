"""Measure how many model tokens a pseudonym of the codebook takes, and a token of AES-SIV.

    python -m sage_rag.eval.studies.codebook --ranks llama-3=tokenizer.model \\
        --ranks qwen2.5=qwen.tiktoken --ranks tekken=tekken_240911.json \\
        --tokenizer minilm=tokenizer.json --out codebook.md

`--ranks`: a vocabulary as tiktoken stores it, or Mistral's Tekken file; the name says how text is
cut before (`llama-3`, `qwen2.5`, `cl100k`, `o200k`, `tekken`). `--tokenizer`: a `tokenizer.json` of
the library tokenizers. A token of the model counts when it covers any character of the pseudonym.

The count is a sum over parts: the type after what stands before it, the first word, the second,
and the bracket with what follows. So the greatest of the sums is that of all codes, and no code
need be left out. That counts do add up is verified on random pseudonyms; where they do not, the
study fails.
"""

from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.eval.studies.environment import environment
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
"""How each family cuts a text into words before merging bytes, as its own release has it."""

BEFORE = {
    "at a line's start": "x\n",
    "after a space": "x ",
    "after a space and `(`": "x (",
    "after `(` alone": "x\n(",
}
AFTER = ("", " x", ".", ",", ":", "?", "'s", ")", '"', "\n")
_SAMPLE = 3000

Offsets = Callable[[str], Sequence[tuple[int, int]]]
"""From an ASCII text to the `[start, end)` of each of its tokens."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Tokens per pseudonym for one tokenizer: by context the mean over types, and the greatest.

    `worst`: the types that reach the greatest; `siv`: the mean for names under AES-SIV.
    """

    mean: Mapping[str, float]
    greatest: Mapping[str, int]
    worst: Mapping[str, Sequence[EntityType]]
    siv: float


def count(offsets: Offsets, before: str, token: str, after: str) -> int:
    """Return how many tokens of the model cover any character of `token`."""
    start, end = len(before), len(before) + len(token)
    return sum(1 for a, b in offsets(before + token + after) if a < end and b > start)


def measure(offsets: Offsets) -> Counts:
    """Measure one tokenizer.

    Raises:
        InputError: where the counts of the parts do not add up to that of the whole.
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
    words = max(by_first.values()) + max(by_second.values())
    mean_words = _mean(by_first.values()) + _mean(by_second.values())
    greatest = {
        b: words + max(n for p, n in by_place.items() if p[1] == b) for b in BEFORE.values()
    }
    return Counts(
        {b: mean_words + _mean(n for p, n in by_place.items() if p[1] == b) for b in greatest},
        greatest,
        {
            b: sorted({p[0] for p, n in by_place.items() if p[1] == b and words + n == top})
            for b, top in greatest.items()
        },
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
            raise InputError(f"the tokens of {place[0]}_[{f}_{s}] are not those of its parts")


def _siv(offsets: Offsets) -> float:
    cipher = default_cipher(Keyset.generate(), "study")
    names = (f"Ada Novak {number}" for number in range(200))
    return _mean(count(offsets, "x ", cipher.encrypt(n, EntityType.PERSON), ".") for n in names)


def _mean(numbers: Iterable[float]) -> float:
    values = list(numbers)
    return sum(values) / len(values)


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
        raise InputError(f"`{name}` is none of {', '.join(CUTS)}, tekken")
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


def markdown(measured: Mapping[str, Counts], command: str) -> str:
    """Return the document."""
    return "\n".join(_lines(measured, command)) + "\n"


def _lines(measured: Mapping[str, Counts], command: str) -> Iterator[str]:
    where = environment()
    firsts, seconds = word_lists()
    yield from ("# Model tokens per pseudonym", "", _NOTE, "", "```", command, "```", "")
    yield f"Commit {where.commit}, {where.date}, {where.hardware}."
    yield ""
    yield f"All {code_count(EntityType.PERSON)} codes ({len(firsts)} first words, {len(seconds)}"
    yield f"second words), all {len(EntityType)} entity types, {len(AFTER)} contexts after. A cell:"
    yield "mean over codes, types and contexts; the greatest in brackets."
    yield ""
    yield f"| tokenizer | {' | '.join(BEFORE)} | a name under AES-SIV |"
    yield "| --- | " + "--- | " * len(BEFORE) + "--- |"
    for name, counts in measured.items():
        cells = [f"{counts.mean[b]:.2f} ({counts.greatest[b]})" for b in BEFORE.values()]
        yield f"| {name} | {' | '.join(cells)} | {counts.siv:.1f} |"


_NOTE = """\
`PERSON_[river_length]`: the words were chosen for the vocabularies of Llama-3 and Qwen2.5, and
types whose name takes these three or more tokens show the name of their family (`ID`, `MISC`). The
goal is at most 6 there. After an opening bracket without a space before it those vocabularies
merge the bracket with the beginning of the type's name, which can cost one token more. Other
vocabularies were not aimed at."""


def main(
    out: Annotated[Path, typer.Option(help="Where the Markdown goes.")],
    ranks: Annotated[list[str] | None, typer.Option(help="NAME=FILE, of byte pairs.")] = None,
    tokenizer: Annotated[list[str] | None, typer.Option(help="NAME=FILE, JSON.")] = None,
) -> None:
    """Measure pseudonyms on tokenizers."""
    found: dict[str, Counts] = {}
    names: list[str] = []
    for option, given in (("--ranks", ranks or []), ("--tokenizer", tokenizer or [])):
        for pair in given:
            name, _, file = pair.partition("=")
            path = Path(file)
            found[name] = measure(
                ranks_offsets(name, path) if option == "--ranks" else json_offsets(path)
            )
            names.append(f"{option} {name}={path.name}")
            typer.echo(f"{name} done", err=True)
    command = f"python -m sage_rag.eval.studies.codebook {' '.join(names)} --out {out.name}"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(found, command), "utf-8")


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
