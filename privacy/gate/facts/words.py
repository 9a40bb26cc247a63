"""Canonical forms of words: inflected forms and synonyms are the same word."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

_SUFFIXES = (
    *("ational", "ations", "ation", "itions", "ition", "ions", "ion", "ments", "ment", "nesses"),
    *("ness", "ances", "ance", "ences", "ence", "ities", "ity", "ically", "ical", "ously", "ous"),
    *("ively", "ive", "ally", "al", "ic"),
)
_WITH_OUR = ("behaviour", "colour", "labour", "tumour", "odour", "flavour", "favour", "neighbour")
_NO_SUFFIX = ("ceive", "vive")
"""Ends of verbs that look like a suffix: receive, survive."""
_SHORTEST_STEM = 4
_KEPT_WORDS = 65_536
"""Words of a corpus whose forms are kept: more than most corpora have, but a long run must not keep
every number and misspelling."""


@cache
def word_lists() -> Mapping[str, Any]:
    """Return the tables of `words.toml`."""
    return _table("words.toml")


@cache
def mark_lists() -> Mapping[str, Any]:
    """Return the tables of `marks.toml`."""
    return _table("marks.toml")


def _table(name: str) -> Mapping[str, Any]:
    return tomllib.loads((files(__package__) / name).read_text("utf-8"))


@lru_cache(maxsize=_KEPT_WORDS)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; the forms of one verb or noun share it.

    Different words may share a stem, as in every stemmer.
    """
    word = _irregular().get(word, word)
    if len(word) <= 3 or not word.isalpha():
        return word
    plain = _without_inflection(_american(word))
    word = _irregular().get(plain, plain)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word if word.endswith(_NO_SUFFIX) else word[: -len(suffix)]
            break
    word = word.removesuffix("e") if len(word) > 3 else word
    if word.endswith(("at", "iz", "is")) and len(word) > 5:
        word = word[:-2]
    return word[:-1] + "y" if word.endswith("i") and len(word) > 3 else word


def _american(word: str) -> str:
    """Return the American spelling of a long word: estrogen, anemia, color."""
    if len(word) > 5:
        word = word.replace("ae", "e").replace("oe", "e")
        word = word.replace("our", "or") if word.startswith(_WITH_OUR) else word
    return word


def _without_inflection(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix, shortest in (("ing", 6), ("ied", 5), ("ed", 5), ("ly", 5)):
        if word.endswith(suffix) and len(word) >= shortest and not word.endswith(("eed", "ply")):
            word = word[: -len(suffix)] + ("y" if suffix == "ied" else "")
            doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "elsz"
            return word[:-1] if doubled else word
    return word


@cache
def _irregular() -> Mapping[str, str]:
    rows = [line.split() for line in word_lists()["irregular"].split("\n")]
    return {form: row[0] for row in rows if row for form in row}


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """Return the groups of synonyms of each stem; a group is named by its first word."""
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for line in word_lists()["groups"].split("\n"):
        row = line.split()
        for word in row:
            groups[phrase_stem(word)].add(f"={row[0]}")
    return {word: frozenset(names) for word, names in groups.items()}


def phrase_stem(phrase: str) -> str:
    """Return the stem of a word, or the stems of a phrase, joined by `_`."""
    return "_".join(map(stem, phrase.split("_")))


@lru_cache(maxsize=_KEPT_WORDS)
def word_keys(word: str) -> frozenset[str]:
    """Return the keys of a word or a phrase joined by `_`: two that share one can mean the same."""
    own = phrase_stem(word)
    return frozenset({own, *_groups().get(own, ())})


@cache
def phrases_of_synonyms() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return the synonyms of several words by the stem of their first word, longest first."""
    found: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for phrase in _groups():
        parts = tuple(phrase.split("_"))
        if len(parts) > 1:
            found[parts[0]].add(parts)
    return {first: tuple(sorted(rest, key=lambda p: (-len(p), p))) for first, rest in found.items()}


@cache
def stop_stems() -> frozenset[str]:
    """Return the stems of words without content of their own."""
    return frozenset(map(stem, word_lists()["stop"].split()))


@cache
def function_stems() -> frozenset[str]:
    """Return the stems of words that only relate other words."""
    return frozenset(map(stem, word_lists()["function"].split()))


@cache
def courtesies() -> frozenset[str]:
    """Return the stems of words of greetings, thanks and closings."""
    return frozenset(map(phrase_stem, word_lists()["courtesy"].split()))


@cache
def imperatives() -> frozenset[str]:
    """Return the verbs that begin an instruction."""
    return frozenset(word_lists()["imperative"].split())


@cache
def poles() -> Mapping[str, tuple[tuple[int, int], ...]]:
    """Return the poles of each key of a word: the number of a pair of opposites, and its side.

    A side, 0 or 1, is that of its words and of the groups of synonyms that they name.
    """
    found: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    for number, line in enumerate(filter(str.strip, word_lists()["poles"].split("\n"))):
        for side, words in enumerate(line.split("/")):
            for word in words.split():
                found[phrase_stem(word)].add((number, side))
                found[f"={word}"].add((number, side))
    return {key: tuple(sorted(at)) for key, at in found.items()}


@cache
def contrasts() -> Mapping[str, str]:
    """Return the closed set of each stem that belongs to one."""
    sets: Mapping[str, str] = word_lists()["contrasts"]
    return {stem(word): name for name, words in sets.items() for word in words.split()}


@lru_cache(maxsize=_KEPT_WORDS)
def is_drug(word: str) -> bool:
    """Return whether a word in lower case is a drug or a substance, by list or by its ending."""
    lists = mark_lists()["drug"]
    if word in _drugs():
        return True
    return len(word) > 6 and word.endswith(tuple(lists["suffix"].split()))


@cache
def _drugs() -> frozenset[str]:
    return frozenset(mark_lists()["drug"]["word"].split())
