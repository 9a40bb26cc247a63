"""Reading mentions of people."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sage_rag.privacy.people.names import NICKNAMES, Gender, abbreviates, is_initial, parse_name

F, M = Gender.FEMALE, Gender.MALE


@pytest.mark.parametrize(
    ("mention", "parts"),
    [
        ("Maria Keller", ("maria", "keller")),
        ("maria  keller", ("maria", "keller")),
        ("MARIA KELLER", ("maria", "keller")),
        ("KELLER Maria", ("maria", "keller")),
        ("Keller, Maria", ("maria", "keller")),
        ("van der Berg, Anna", ("anna", "van der berg")),
        ("Anna van der Berg", ("anna", "van der berg")),
        ("Ana de la Cruz", ("ana", "de la cruz")),
        ("M. Keller", ("m.", "keller")),
        ("M Keller", ("m.", "keller")),
        ("M.K.", ("m.", "k.")),
        ("Mr Z.M. Okafor", ("z.", "m.", "okafor")),
        ("J.-P. Martin", ("j.", "martin")),
        ("Maria K.", ("maria", "k.")),
        ("Jean-Pierre Martin", ("jean-pierre", "martin")),
        ("Zoë Núñez", ("zoe", "nunez")),
        ("Zoe\u0308 Nu\u0301n\u0303ez", ("zoe", "nunez")),
        ("Ke\u00adl\u200bler", ("keller",)),
        ("Keller's", ("keller",)),
        ("Maria Keller’s", ("maria", "keller")),
        ("Mr James'", ("james",)),
        ("Bob Keller", ("robert", "keller")),
        ("Bob", ("bob",)),
        ("Maria Keller, MD", ("maria", "keller")),
        ("Keller, Maria, PhD", ("maria", "keller")),
        ("Maria Keller Ph.D.", ("maria", "keller")),
        ("JK Rowan", ("jk", "rowan")),
        ("艳 赵", ("艳", "赵")),
        ("Мария Келлер", ("мария", "келлер")),
        ("Mr", ("mr",)),
        ("42", ("42",)),
        ("", ("",)),
    ],
)
def test_parts_are_read(mention: str, parts: tuple[str, ...]) -> None:
    assert parse_name(mention).parts == parts


@pytest.mark.parametrize(
    ("mention", "gender", "title", "suffix", "plain"),
    [
        ("Ms Keller", F, "civil", "", "Keller"),
        ("Mr. Keller", M, "civil", "", "Keller"),
        ("Frau Dr. Keller", F, "profession", "", "Keller"),
        ("Prof. Dr. Ina Keller", None, "profession", "", "Ina Keller"),
        ("Sister Ruth", F, "", "", "Ruth"),
        ("Sam Keller Jr.", None, "", "jr", "Sam Keller Jr."),
        ("Keller, Sam, III", None, "", "iii", "Keller, Sam, III"),
        ("Don Keller", None, "", "", "Don Keller"),
        ("Mrs Keller's", F, "civil", "", "Keller"),
    ],
)
def test_titles_and_suffixes_are_read(
    mention: str, gender: Gender | None, title: str, suffix: str, plain: str
) -> None:
    name = parse_name(mention)
    assert (name.gender, name.title, name.suffix, name.plain) == (gender, title, suffix, plain)


@given(st.text(max_size=40))
@example("¯¸")  # spacing marks: without them a space is left
def test_any_text_is_read(mention: str) -> None:
    name = parse_name(mention)
    assert name.parts
    assert all(part.strip() or mention.strip() == "" or part == "" for part in name.parts)


def test_a_read_name_does_not_show_itself() -> None:
    assert "eller" not in repr(parse_name("Ms Maria Keller"))


def test_initials_abbreviate_and_words_do_not() -> None:
    assert abbreviates("m.", "maria")
    assert abbreviates("maria", "maria")
    assert not abbreviates("maria", "m.")
    assert not abbreviates("mar", "maria")
    assert is_initial("m.")


def test_no_nickname_is_a_long_form_too() -> None:
    assert not NICKNAMES.keys() & set(NICKNAMES.values())
