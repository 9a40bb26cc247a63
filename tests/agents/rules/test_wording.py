import re
import tomllib
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.rules.wording import Wording
from privacy.leakage import Original

LONG = (
    "I would suggest you to take the tablet with a glass of water every morning before breakfast "
    "because the stomach absorbs it better when it is empty."
)
TABLES = tomllib.loads(resources.files("agents.rules").joinpath("wording.toml").read_text("utf-8"))


def test_the_same_seed_gives_the_same_words():
    assert Wording("a").reword([LONG]) == Wording("a").reword([LONG])


def test_seeds_vary_the_words():
    assert len({" ".join(Wording(str(seed)).reword([LONG])) for seed in range(20)}) > 1


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_no_run_of_ten_words_stays(seed):
    assert Original(LONG).longest_shared_run(" ".join(Wording(seed).reword([LONG]))) < 10


def test_a_frame_turns_the_whole_sentence_round():
    said = Wording("a").turn("It may be due to an allergy")
    assert said.endswith("an allergy") or said.startswith("an allergy")
    assert "may be due" not in said


def test_a_frame_is_not_worn_out():
    wording = Wording("a")
    said = [wording.turn(f"You should take tablet {n}") for n in range(8)]
    assert len({re.sub(r"\d", "", s) for s in said}) > 2


@given(
    st.lists(
        st.sampled_from(
            [
                "[PERSON_1]",
                "because of",
                "very",
                "started",
                "my left arm",
                "[ID_2]",
                "usually",
                "40",
            ]
        ),
        min_size=1,
        max_size=12,
    )
)
def test_swapping_keeps_placeholders_and_numbers(pieces):
    said = Wording("x").swap(" ".join(pieces))
    kept = [p for p in pieces if p[0] in "[4"]
    assert re.findall(r"\[[A-Z]+_\d\]|40", said) == kept


@pytest.mark.parametrize(
    ("text", "said"),
    [("for 2 weeks", "two weeks"), ("three days", "3 days"), ("2 tablets", "2 tablets")],
)
def test_only_counts_of_time_are_respelled(text, said):
    assert said in Wording("x").swap(text)


@pytest.mark.parametrize("table", ["swap", "loosen", "resort"])
def test_no_alternative_is_the_phrase_itself(table):
    for phrase, options in TABLES[table].items():
        assert all(option != phrase for option in options), phrase
        assert not any(re.search(r"\d", option.replace("\\0", "")) for option in options), phrase
