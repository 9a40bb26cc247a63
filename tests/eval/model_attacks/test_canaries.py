from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.canaries import (
    Canary,
    invent_canaries,
    invent_names,
    plant,
    read_canaries,
    write_canaries,
)

CANARIES = invent_canaries({0: 5, 1: 4, 3: 3}, seed=7)
DOCUMENTS = st.lists(st.text(st.sampled_from("ab .\n"), max_size=60), min_size=1, max_size=5)


def test_canaries_have_their_frequencies_and_different_names() -> None:
    assert Counter(canary.frequency for canary in CANARIES) == {0: 5, 1: 4, 3: 3}
    assert len({canary.name for canary in CANARIES}) == 12
    assert invent_canaries({0: 5, 1: 4, 3: 3}, seed=7) == CANARIES
    assert invent_canaries({0: 5, 1: 4, 3: 3}, seed=8) != CANARIES


def test_a_record_is_long_enough_for_a_run_of_35_words_after_a_prompt() -> None:
    lengths = [len(canary.text.split()) for canary in invent_canaries({1: 300}, seed=0)]
    assert min(lengths) >= 50
    assert max(lengths) <= 90


def test_the_named_sentence_is_one_sentence() -> None:
    for canary in CANARIES:
        sentence = canary.before + canary.name + canary.after
        assert sentence.count(".") == 1
        assert sentence.endswith(".")
        assert canary.before.endswith(" ")
        assert canary.after.startswith(" ")
        assert "{" not in canary.text


@given(DOCUMENTS, st.integers(0, 99))
def test_planting_inserts_each_canary_as_often_as_its_frequency(documents, seed) -> None:
    planted = plant(documents, CANARIES, seed)
    joined = "\n".join(planted)
    for canary in CANARIES:
        assert joined.count(canary.text) == canary.frequency
    for canary in CANARIES:
        planted = [text.replace(f"\n\n{canary.text}", "") for text in planted]
    assert planted == list(documents)


def test_places_are_drawn_by_the_length_of_a_document() -> None:
    many = invent_canaries({1: 400}, seed=1)
    short, long = plant(["a\n\n" * 10, "b\n\n" * 990], many, seed=0)
    assert sum(canary.text in long for canary in many) > 380
    assert sum(canary.text in short for canary in many) > 0
    assert plant([short, long], many, 3) == plant([short, long], many, 3)


def test_names_of_one_seed_agree_for_every_count() -> None:
    assert invent_names(10, 4) == invent_names(1000, 4)[:10]
    with pytest.raises(InputError, match="full names"):
        invent_names(10**6, 0)


def test_canaries_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "canaries.jsonl"
    write_canaries(CANARIES, path)
    assert read_canaries(path) == CANARIES


def test_a_line_that_is_not_a_canary_is_refused_without_its_text(tmp_path: Path) -> None:
    path = tmp_path / "canaries.jsonl"
    path.write_text('{"before": "private", "name": "Ann", "after": "b", "frequency": -1}\n')
    with pytest.raises(InputError, match="line 1 has no valid `frequency`") as error:
        read_canaries(path)
    assert "private" not in str(error.value)
    path.write_text("\n")
    with pytest.raises(InputError, match="no canaries"):
        read_canaries(path)


def test_without_documents_nothing_is_planted() -> None:
    with pytest.raises(InputError, match="no document"):
        plant([], [Canary(before="", name="A", after="", frequency=1)], 0)
