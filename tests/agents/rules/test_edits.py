import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.lexicon import content_stems
from sage_rag.agents.rules.edits import NATURAL, STIFF, TERSE, apply_edit, edits


def said(text, tier=NATURAL):
    return {apply_edit(text, edit, option) for edit in edits(text, tier) for option in edit.options}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("it hurt for 2 weeks", "it hurt for two weeks"),
        ("it hurt for three days", "it hurt for 3 days"),
        ("a pain in my left arm", "a pain in the left arm"),
        ("I am tired", "I'm tired"),
        ("it's because of the heat", "it's owing to the heat"),
    ],
)
def test_a_natural_edit_is_known(text, other):
    assert other in said(text)


@pytest.mark.parametrize(
    ("text", "tier", "other"),
    [
        ("the error was confirmed", STIFF, "the error was verified"),
        ("it sits in the middle", TERSE, "it sits in middle"),
        ("we drain the old wound", TERSE, "we drain this old wound"),
        ("eight in ten recover", TERSE, "8 in 10 recover"),
        ("a fit, or drowsiness", STIFF, "a fit, or else drowsiness"),
        ("it heals, and most forget it", STIFF, "it heals, and also most forget it"),
        ("I take pills when I travel", STIFF, "I do take pills when I travel"),
    ],
)
def test_an_edit_waits_for_its_tier(text, tier, other):
    assert other in said(text, tier)
    assert other not in said(text, tier - 1)


@pytest.mark.parametrize(
    "text", ["2 tablets of 40 mg", "not really", "what matters to her", "how it rains"]
)
def test_what_must_stay_has_no_natural_edit(text):
    assert said(text) == set()


def test_an_edit_costs_the_content_words_it_takes_away():
    costs = {
        edit.options[0]: edit.cost for edit in edits("The physician is not rarely late", STIFF)
    }
    assert costs["doctor"] == costs["seldom"] == 1
    assert costs["isn't" if "isn't" in costs else "is n't"] == 0


pieces = st.lists(
    st.sampled_from(
        ["[PERSON_1]", "because of", "very", "and", "my left arm", "[ID_2]", "<AGE>", ", ", "40"]
    ),
    min_size=1,
    max_size=14,
).map(" ".join)


@given(pieces, st.sampled_from([NATURAL, STIFF, TERSE]))
def test_markup_and_doses_are_never_touched(text, tier):
    kept = re.findall(r"\[\w+\]|<AGE>|40", text)
    for other in said(text, tier):
        assert sorted(re.findall(r"\[\w+\]|<AGE>|40", other)) == sorted(kept)
        assert other.isprintable()


@given(pieces)
def test_what_costs_nothing_keeps_every_content_word(text):
    for edit in edits(text, TERSE):
        if edit.cost == 0:
            other = apply_edit(text, edit, edit.options[0])
            assert set(content_stems(text)) <= set(content_stems(other))


@pytest.mark.parametrize(
    "text",
    ["my phyſician told me to rest", "it hurt for ſix days", "it hurt for SİX days", "it'ſ cold"],
)
def test_letters_that_only_look_alike_without_case_break_nothing(text):
    assert isinstance(said(text, TERSE), set)
