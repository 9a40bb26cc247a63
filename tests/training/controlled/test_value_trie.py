import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.training.controlled.value_trie import Kind, ValueTrie, border, squeezed

VALUES = (
    "$1,000",
    "Mr. A. Quist",
    "O'Neil",
    "McDonald",
    "Anna Keller",
    "36244/06",
    "Łódź",
    "Groß",
    "张伟",
    "12 May 2011",
)
TRIE = ValueTrie(VALUES)


@pytest.mark.parametrize(
    "text",
    [
        "He paid 1 000 in all",
        "$1.000",
        "of USD1,000!",
        "mr a quist",
        "MR. A.QUIST'S house",
        "o neil",
        "ONEIL",
        "O’Neil’s",
        "O\u02bcNeil",
        "\u041e'N\u0435il",
        "O'\u039deil",
        "Mc Donald",
        "mc-donald",
        "Anna\nKeller",
        "an-na kel ler",
        "An\u00adna Kel\u200bler",
        "no.36244/06",
        "no36244-06",
        "Lodz",
        "ŁO\u0301DZ\u0301",
        "GROSS",
        "他叫张伟。",
        "12May2011",
        "ＡＮＮＡ ＫＥＬＬＥＲ",
        "anNA keLLer",
        "withAnna KellerInside",
        "ofO'Neil",
        "atŁódźThe",
        "byO'NEIL.",
        "$１،٠٠٠",
        "𝐀nna 𝐊eller",
        "An\u2060na K\ufe0feller",
        "An-\nna Kel-\nler",
        "GRO\u1e9e",
    ],
)
def test_every_spelling_is_found(text: str) -> None:
    assert TRIE.found_in(text)


@pytest.mark.parametrize(
    "text",
    [
        *("$21,000", "film ra quiste", "Hanna Kellermann", "136244/06", "grossly", "112 May 2011"),
        *("A.", "Engrosser", "GROSSLY", "JOANNA KELLER", "McDonaldson", "ONEILLS"),
    ],
)
def test_other_words_are_not_found(text: str) -> None:
    assert not TRIE.found_in(text)


def test_single_characters_are_left_out() -> None:
    assert ValueTrie(["A.", "7", "€", "AB"]).size == 1


def test_a_capital_after_a_small_letter_is_a_border_and_no_other_capital() -> None:
    assert border(Kind.LETTER, Kind.CAPITAL)
    assert not border(Kind.CAPITAL, Kind.LETTER)
    assert not border(Kind.CAPITAL, Kind.CAPITAL)
    assert squeezed("Łódź ẞ") == "lodzss"


@given(
    value=st.sampled_from(VALUES),
    before=st.sampled_from(["", "x. ", "(", "—", "\n"]),
    after=st.sampled_from(["", ".", " x", "\n", "'s"]),
    case=st.integers(0, (1 << 40) - 1),
    gaps=st.lists(st.sampled_from(["", " ", "-", ".", "\u200b", "_"]), min_size=40, max_size=40),
)
def test_case_and_separators_do_not_hide_a_value(
    value: str, before: str, after: str, case: int, gaps: list[str]
) -> None:
    cased = [c.upper() if case >> n & 1 else c.lower() for n, c in enumerate(value)]
    spelled = "".join(letter + gap for letter, gap in zip(cased, gaps, strict=False))
    assert TRIE.found_in(before + spelled.rstrip() + after)
