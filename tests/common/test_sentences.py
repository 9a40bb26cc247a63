"""Sentence borders in running text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.sentences import sentence_spans, unwrapped_spans
from tests.growth import LINEAR, growth


def sentences(text: str, *, full_width: bool = True) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, full_width=full_width)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?  four", ["One.", "Two!", "Three?", "four"]),
        ('"Run!" he said. “Why?” she asked. "No." They ran.', ['"Run!" he said.', "“Why?” she asked.", '"No."', "They ran."]),
        ("See Dr. Novak, e.g. on Monday. Then rest.", ["See Dr. Novak, e.g. on Monday.", "Then rest."]),
        ("Ask Mrs. Olsen. Or [PERSON_1]?", ["Ask Mrs. Olsen.", "Or [PERSON_1]?"]),
        ("We meet on Feb. 5. Not in Feb. Then in May.", ["We meet on Feb. 5.", "Not in Feb.", "Then in May."]),
        ("It is case no. 12. Did it help? No. It did not.", ["It is case no. 12.", "Did it help?", "No.", "It did not."]),
        ("The N.P. Olsen saw J. R. Novak. She called the N.P. She came.", ["The N.P. Olsen saw J. R. Novak.", "She called the N.P.", "She came."]),
        ("See section s. 78 of it, etc. and rest.", ["See section s. 78 of it, etc. and rest."]),
        ("She took notes, ref. 4471/25. Then she left.", ["She took notes, ref. 4471/25.", "Then she left."]),
        ("Tel. +44 20 7946. Fax. (020) 7946, ext. 12.", ["Tel. +44 20 7946.", "Fax. (020) 7946, ext. 12."]),
        ("The frame no. ID_[ab] is new. Tel. PHONE_NUMBER_[cd].", ["The frame no. ID_[ab] is new.", "Tel. PHONE_NUMBER_[cd]."]),
        ("Was it paid? No. PERSON_[ab] forgot.", ["Was it paid?", "No.", "PERSON_[ab] forgot."]),
        ("It holds max. 70 kg, est. 60, cf. Table 2, see figs. 3 and 4.", ["It holds max. 70 kg, est. 60, cf. Table 2, see figs. 3 and 4."]),
        ("She had an op. It went well. He has no tel. We wrote.", ["She had an op.", "It went well.", "He has no tel.", "We wrote."]),
        ("Ask Rev. Fell or Revd. Moss. Sgt. PERSON_[ab] came.", ["Ask Rev. Fell or Revd. Moss.", "Sgt. PERSON_[ab] came."]),
        ("Apt. B is let. Tel. PERSON_[ab], Ext. LOCATION_[cd].", ["Apt. B is let.", "Tel. PERSON_[ab], Ext. LOCATION_[cd]."]),
        ("I quote ref. GX-9031. Policy no. AB/12 ends.", ["I quote ref. GX-9031.", "Policy no. AB/12 ends."]),
        ("We met the Rev. He left. In col. 3 is more. He is a gen. Fell knew.", ["We met the Rev.", "He left.", "In col. 3 is more.", "He is a gen.", "Fell knew."]),
        ("J. Fell, Esq. of Fell & Co. was told. J. Fell, Esq. She left.", ["J. Fell, Esq. of Fell & Co. was told.", "J. Fell, Esq.", "She left."]),
        ('He said "stop." Then (so.) he left… Gone.', ['He said "stop."', "Then (so.)", "he left…", "Gone."]),
        ("a line\n\n another ", ["a line", "another"]),
        ("It rose by 2.5 points. Good.", ["It rose by 2.5 points.", "Good."]),
        ("他走了。她说：“好。”然后呢？", ["他走了。", "她说：“好。”", "然后呢？"]),
        (" \n ", []),
        ("", []),
    ],
)  # fmt: skip
def test_borders(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_full_width_marks_can_be_ignored() -> None:
    assert sentences("他走了。她笑了。", full_width=False) == ["他走了。她笑了。"]


@given(st.text(alphabet="ab.!? \n\t。”Dr"))
def test_nothing_but_white_space_is_lost(text: str) -> None:
    spans = sentence_spans(text)
    position = 0
    for start, end in spans:
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize("mark", [".", "!", "…"])
def test_a_row_of_stops_is_read_in_linear_time(mark: str) -> None:
    assert growth(lambda size: sentence_spans(f"Contents{mark * size}4"), 1_000) < LINEAR


@given(
    st.sampled_from(["Rev", "Revd", "Capt", "Tel", "Ref", "Ext", "Apt"]),
    st.sampled_from(["Fell", "[PERSON_1]", "PERSON_[ab]", "ID_[ab]", "07700 900112", "GX-9031"]),
)
def test_an_abbreviation_ends_no_sentence_before_a_name_a_token_or_a_number(short, value):
    assert sentences(f"We know {short}. {value} well. Yes.") == [
        f"We know {short}. {value} well.",
        "Yes.",
    ]


@given(
    st.from_regex(r"[A-Z]?[a-z]{5,9}", fullmatch=True), st.sampled_from(["Fell", "12", "ID_[ab]"])
)
def test_a_whole_word_ends_a_sentence(word, following):
    assert sentences(f"We know {word}. {following} helps.") == [
        f"We know {word}.",
        f"{following} helps.",
    ]


def unwrapped(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in unwrapped_spans(text)]


def test_a_sentence_that_goes_on_after_a_line_is_one():
    mail = (
        "I will drive by the lots on Friday evening. Can you find out\n"
        " when they last changed hands and for what price? The bank that we\n"
        "Asked is in Austin.\n\nShort line\nanother line of the list below it\n"
        "- an item of the list that is as long as any line\n- and one more"
    )
    assert unwrapped(mail) == [
        "I will drive by the lots on Friday evening.",
        "Can you find out when they last changed hands and for what price?",
        "The bank that we Asked is in Austin.",
        "Short line",
        "another line of the list below it",
        "- an item of the list that is as long as any line",
        "- and one more",
    ]


def test_narrow_lines_of_prose_go_on():
    column = (
        "The miller looked up, and the mare\nwalked slowly back down\nthe lane. Nobody saw how she\n"
        'opened the gate.\n\n"It was me," the miller\nsaid.'
    )
    assert unwrapped(column) == [
        "The miller looked up, and the mare walked slowly back down the lane.",
        "Nobody saw how she opened the gate.",
        '"It was me," the miller said.',
    ]


def test_short_items_of_a_list_stay_apart():
    items = ["oats two cups a day", "hay as much as wanted", "salt one block a month"]
    text = "\n".join(items) + "\n\nThe mare eats well."
    assert unwrapped(text) == [*items, "The mare eats well."]


def test_an_amount_goes_on_with_the_line_above_it():
    mail = (
        "The miller has seen the barn on Sunday. He is offering\n$9,000 with a tenth\nas a deposit.\n"
        "His neighbour would give us a little more than he does:\n$9,500 in May."
    )
    assert unwrapped(mail) == [
        "The miller has seen the barn on Sunday.",
        "He is offering $9,000 with a tenth as a deposit.",
        "His neighbour would give us a little more than he does:",
        "$9,500 in May.",
    ]


@given(st.text(alphabet="aA. ,\n-the", max_size=80))
def test_unwrapped_sentences_leave_nothing_out(text):
    spans = unwrapped_spans(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert "".join("".join(text[a:b] for a, b in spans).split()) == "".join(text.split())


def test_a_quoted_line_goes_on_after_the_sign_of_the_quotation():
    text = "> They have not yet\n> received the report.\n> It is late."
    spans = unwrapped_spans(text)
    assert [text[a:b] for a, b in spans] == [
        "> They have not yet\n> received the report.",
        "> It is late.",
    ]
