import re
import tomllib
from importlib import resources

import pytest

from sage_rag.agents.rules.wording import Wording
from sage_rag.privacy.gate.leakage import Original

LONG = (
    "I would suggest you to take the tablet with a glass of water every morning before breakfast "
    "because the stomach absorbs it better when it is empty."
)
TABLES = tomllib.loads(
    resources.files("sage_rag.agents.rules").joinpath("wording.toml").read_text("utf-8")
)


def reword(seed, sentences):
    return Wording(seed).reword(sentences, Original(" ".join(sentences)))


def test_the_same_seed_gives_the_same_words():
    assert reword("a", [LONG]) == reword("a", [LONG])


def test_seeds_vary_the_words():
    long = "The knee was swollen again a week later because of heavy boots from the mountain shop."
    assert len({" ".join(reword(str(seed), [long])) for seed in range(20)}) > 1


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_no_run_of_ten_words_stays(seed):
    assert Original(LONG).longest_shared_run(" ".join(reword(seed, [LONG]))) < 10


@pytest.mark.parametrize("table", ["swap", "loosen", "resort", "terse"])
def test_no_alternative_is_the_phrase_itself(table):
    for phrase, options in TABLES[table].items():
        assert all(option != phrase for option in options), phrase
        assert not any(re.search(r"\d", option.replace("\\0", "")) for option in options), phrase


def test_what_holds_no_run_stays_as_it_is():
    assert reword("a", ["The rash is on my left arm."]) == ["The rash is on my left arm."]


def test_varying_changes_no_more_content_than_allowed():
    sentence = "Usually the physician rarely sees such a severe rash."
    said = Wording("a").vary(sentence, 0)
    assert {"physician", "rarely", "severe", "rash"} <= set(re.findall(r"\w+", said))
