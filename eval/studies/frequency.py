"""Measure what part words give who searches, and what they give who steals an index.

    python -m sage_rag.eval.studies.frequency --mails mails.jsonl --out docs/results/frequency.md

Each line of `--mails` has a `body`. Nothing of it leaves this process but counts. Writes the
Markdown and, beside it, the same figures as JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.environment import Environment, environment
from sage_rag.eval.studies.finding import FindingScore, find_all
from sage_rag.eval.studies.frequency_tables import markdown
from sage_rag.eval.studies.guessing import AttackerKnowledge, by_parts, by_rank, by_structure
from sage_rag.eval.studies.people import cases, family_names, given_names
from sage_rag.eval.studies.sightings import CIPHERS, Sight, parts_of
from sage_rag.privacy.blind_index import PartWords
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.spans import resolve_overlaps

SIZES = (500, 5000)
_SEED = 0
_DICTIONARY = 20_000
"""The most frequent full names that an attacker looks among; no corpus here has as many values."""

Names = list[list[str]]
"""The distinct names of each record."""


class Recovery(BaseModel):
    """What one attacker recovered of one index: distinct values, and occurrences in records.

    `parts` counts part words whose name was recovered; `None` where the index holds none.
    """

    model_config = ConfigDict(frozen=True)
    corpus: str
    cipher: str
    part_words: PartWords
    attacker: str
    values: Proportion
    occurrences: Proportion
    parts: Proportion | None


class FrequencyStudy(BaseModel):
    """The whole study."""

    model_config = ConfigDict(frozen=True)
    command: str
    environment: Environment
    recoveries: tuple[Recovery, ...]
    found: tuple[FindingScore, ...]


def attack(corpus: str, names: Names, known: Mapping[str, AttackerKnowledge]) -> list[Recovery]:
    """Attack an index of the names under every cipher; `known`: what each attacker knows."""
    recoveries = [_no_information(corpus, names)]
    for cipher in CIPHERS:
        own_key = Sight(cipher, PartWords.NONE)
        for part_words in PartWords:
            for attacker, knowledge in known.items():
                recoveries.append(
                    _by_frequency(corpus, names, own_key, part_words, attacker, knowledge)
                )
            recoveries += [
                _with_the_list(corpus, names, cipher, part_words, counted=counted)
                for counted in (False, True)
            ]
    return recoveries


def _no_information(corpus: str, names: Names) -> Recovery:
    """Guess the corpus's most frequent name for every value, without looking at ciphertext."""
    (guess, _), *_ = Counter(name for record in names for name in record).most_common(1)
    right = {name: name == guess for record in names for name in record}
    return _recovery(corpus, "any", PartWords.NONE, "the most frequent name for all", names, right)


def _by_frequency(
    corpus: str,
    names: Names,
    own_key: Sight,
    part_words: PartWords,
    attacker: str,
    known: AttackerKnowledge,
) -> Recovery:
    cipher, sight = own_key.cipher, Sight(own_key.cipher, part_words)
    records = [[sight.of(name) for name in record] for record in names]
    whole = by_rank(records, known.names, lambda name: own_key.of(name).shape, _SEED)
    distinct = {name for record in names for name in record}
    if part_words is PartWords.NONE:
        right = {name: whole.get(sight.of(name).ciphertext) == name for name in distinct}
        return _recovery(corpus, cipher, part_words, attacker, names, right)
    guessed = by_parts(records, known, _SEED)
    hits = {word: guessed.get(word) == part for word, part in sight.truth.items()}
    right = {
        name: all(hits[word] for word in sight.of(name).parts)
        if len(sight.of(name).parts) == len(parts_of(name)) > 0
        else whole.get(sight.of(name).ciphertext) == name
        for name in distinct
    }
    parts = Proportion.of(sum(hits.values()), len(hits))
    return _recovery(corpus, cipher, part_words, attacker, names, right, parts)


def _with_the_list(
    corpus: str, names: Names, cipher: str, part_words: PartWords, *, counted: bool
) -> Recovery:
    """Attack with a list of exactly the people in the index, and how many records each has."""
    sight, own_key = Sight(cipher, part_words), Sight(cipher, part_words)
    counts = {n: c * counted for n, c in Counter(n for record in names for n in record).items()}
    guessed = by_structure(
        {sight.of(name): count for name, count in counts.items()},
        {name: (own_key.of(name), count) for name, count in counts.items()},
        _SEED,
    )
    right = {name: guessed.get(sight.of(name).ciphertext) == name for name in counts}
    attacker = "list of the names, with counts" if counted else "list of the names"
    return _recovery(corpus, cipher, part_words, attacker, names, right)


def _recovery(
    corpus: str,
    cipher: str,
    part_words: PartWords,
    attacker: str,
    names: Names,
    right: Mapping[str, bool],
    parts: Proportion | None = None,
) -> Recovery:
    occurrences = [right[name] for record in names for name in record]
    return Recovery(
        corpus=corpus,
        cipher=cipher,
        part_words=part_words,
        attacker=attacker,
        values=Proportion.of(sum(right.values()), len(right)),
        occurrences=Proportion.of(sum(occurrences), len(occurrences)),
        parts=parts,
    )


def census(*, alone: float) -> AttackerKnowledge:
    """Return weights of full names by census figures, `alone` of them of given names alone."""
    given, family = given_names(), family_names()
    scale = (1 - alone) / (sum(given.values()) * sum(family.values()))
    full = {f"{g} {f}": v * w * scale for g, v in given.items() for f, w in family.items()}
    likely = dict(sorted(full.items(), key=lambda item: -item[1])[:_DICTIONARY])
    singles = {g: v * alone / sum(given.values()) for g, v in given.items()} if alone else {}
    first, last = _spelled_as_parts(given), _spelled_as_parts(family)
    lone = {n: alone * first.get(n, 0.0) + (1 - alone) * last.get(n, 0.0) for n in {*first, *last}}
    return AttackerKnowledge(likely | singles, first, last, {n: w for n, w in lone.items() if w})


def _spelled_as_parts(weights: Mapping[str, float]) -> dict[str, float]:
    spelled: dict[str, float] = {}
    total = sum(weights.values())
    for name, weight in weights.items():
        for part in parts_of(name):
            spelled[part] = spelled.get(part, 0.0) + weight / total
    return spelled


def elsewhere(names: Names) -> AttackerKnowledge:
    """Return what other records teach: names by records, parts by distinct names that hold them.

    The last part of several is a family name, the first a given name, and so is one alone.
    """
    records = Counter(name for record in names for name in record)
    parts = [parts_of(name) for name in records]
    given = Counter(of[0] for of in parts if of)
    family = Counter(of[-1] for of in parts if len(of) > 1)
    lone = Counter(of[-1] for of in parts if of)
    return AttackerKnowledge(records, given, family, lone)


def people_in(bodies: Iterable[str], recognizer: Recognizer) -> Names:
    """Return the distinct people whom each text names, as recognised; none of texts without."""
    found = []
    for body in bodies:
        spans = resolve_overlaps(recognizer.recognize(body))
        people = [body[s.start : s.end] for s in spans if s.entity_type is EntityType.PERSON]
        found.append(list(dict.fromkeys(people)))
    return [people for people in found if people]


def attacks(mails: Sequence[Path]) -> Iterator[Recovery]:
    """Attack the invented corpora and the people of real mails."""
    for size in SIZES:
        names = [list(case.names) for case in cases(size, _SEED)]
        yield from attack(f"invented, {size} records", names, {"census": census(alone=0.0)})
    if mails:
        records = people_in(_bodies(mails), default_recognizer())
        # Every other mail, so that both halves hold the same threads and years.
        attacked, others = records[::2], records[1::2]
        known = {"census": census(alone=0.5), "the other half of the mails": elsewhere(others)}
        yield from attack(f"mails, {len(attacked)} that name people", attacked, known)


def _bodies(mails: Sequence[Path]) -> Iterator[str]:
    for path in mails:
        with path.open(encoding="utf-8") as lines:
            yield from (str(json.loads(line)["body"]) for line in lines)


def main(
    out: Annotated[Path, typer.Option(help="Markdown to write; JSON goes beside it.")],
    mails: Annotated[list[Path] | None, typer.Option(help="jsonl with `body`.")] = None,
) -> None:
    """Measure the gain and the leak of part words."""
    paths = mails or []
    shown = "".join(f" --mails {path.name}" for path in paths)
    study = FrequencyStudy(
        command=f"python -m sage_rag.eval.studies.frequency{shown} --out {out.name}",
        environment=environment(),
        recoveries=tuple(attacks(paths)),
        found=tuple(find_all()),
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(study), "utf-8")
    out.with_suffix(".json").write_text(study.model_dump_json(indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
