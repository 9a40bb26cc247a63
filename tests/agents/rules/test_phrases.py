"""Phrases are found as one pattern of all of them would find them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.rules.phrases import Phrases, phrases

TABLE = {
    "at night": ("by night",),
    "at": ("in",),
    "(?:mainly|mostly)": ("for the most part",),
    "(?<=once )daily": ("a day",),
    "(?:(?<=days )|(?<=the (?:last|next) ))a": ("per",),
    "a lot of": ("much",),
    "over(?= \\d)": ("more than",),
}
WORDS = (
    "at night mainly mostly once twice daily days a lot of over 7 the next At-night AT, a,".split()
)


def in_one_pattern(text: str) -> list[tuple[int, int, str]]:
    """Return the matches of one pattern of all phrases, in their order of preference."""
    listed = sorted(TABLE, key=lambda phrase: (-phrase.count(" "), -len(phrase), phrase))
    groups = "|".join(f"(?P<g{number}>{phrase})" for number, phrase in enumerate(listed))
    pattern = re.compile(rf"(?<![\w'’-])(?:{groups})(?![\w'’-])", re.IGNORECASE)
    found = pattern.finditer(text)
    return [(*m.span(), TABLE[listed[int((m.lastgroup or "")[1:])]][0]) for m in found]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_the_matches_are_those_of_one_pattern(text: str) -> None:
    found = [(*match.span(), options[0]) for match, options in Phrases(TABLE).find(text)]
    assert found == in_one_pattern(text)


def test_the_longer_phrase_comes_first() -> None:
    ((match, options),) = Phrases(TABLE).find("It itches At Night.")
    assert (match.group(), options) == ("At Night", ("by night",))


@pytest.mark.parametrize("phrase", ["(?<=once ) daily", "[a-z]+ day", "7 days"])
def test_a_phrase_begins_with_a_letter(phrase: str) -> None:
    with pytest.raises(ValueError, match="does not begin with a small letter"):
        Phrases({phrase: ("x",)})


def test_every_phrase_of_the_table_is_read() -> None:
    assert [match.group() for match, _ in phrases().find("It hurts every day.")] == ["every day"]
