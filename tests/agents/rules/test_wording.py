import re
import tomllib
from importlib import resources

import pytest

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
    long = "The knee was swollen again a week later because of heavy boots from the mountain shop."
    assert len({" ".join(Wording(str(seed)).reword([long])) for seed in range(20)}) > 1


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_no_run_of_ten_words_stays(seed):
    assert Original(LONG).longest_shared_run(" ".join(Wording(seed).reword([LONG]))) < 10


def test_a_frame_turns_the_whole_sentence_round():
    said = Wording("a").turn("It may be due to an allergy.")
    assert said.endswith("an allergy.") or said.startswith("An allergy")
    assert "may be due" not in said


def test_a_frame_is_not_worn_out():
    wording = Wording("a")
    said = [wording.turn(f"You should take tablet {n}") for n in range(8)]
    assert len({re.sub(r"\d", "", s) for s in said}) > 2


@pytest.mark.parametrize("table", ["swap", "loosen", "resort", "terse", "curt"])
def test_no_alternative_is_the_phrase_itself(table):
    for phrase, options in TABLES[table].items():
        assert all(option != phrase for option in options), phrase
        assert not any(re.search(r"\d", option.replace("\\0", "")) for option in options), phrase


def test_what_holds_no_run_stays_as_it_is():
    assert Wording("a").reword(["The rash is on my left arm."]) == ["The rash is on my left arm."]


def test_varying_changes_no_more_content_than_allowed():
    sentence = "Usually the physician rarely sees such a severe rash."
    said = Wording("a").vary(sentence, 0)
    assert {"physician", "rarely", "severe", "rash"} <= set(re.findall(r"\w+", said))
