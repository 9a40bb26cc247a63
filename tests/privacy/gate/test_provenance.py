"""Each draft sentence is linked with the sentences that it comes from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.gate.provenance import align, read
from tests.growth import LINEAR, growth
from tests.privacy.gate.test_meaning import SENTENCES


def sources(record: dict[str, str], draft: dict[str, str]) -> list[tuple[int, ...]]:
    return [link.sources for link in align(read(record), read(draft))]


@given(st.permutations(range(len(SENTENCES))))
def test_a_copied_sentence_has_itself_as_source(order: list[int]) -> None:
    record = {"text": "\n".join(SENTENCES)}
    whole = read(record)
    draft = {"text": "\n".join(SENTENCES[i] for i in order)}
    for facts, link in zip(read(draft).sentences, align(whole, read(draft)), strict=True):
        assert whole.sentences[link.sources[0]].sentence.text == facts.sentence.text


def test_a_merged_sentence_has_two_sources() -> None:
    record = {"text": "The boiler leaks. The landlord is abroad."}
    (linked,) = sources(record, {"text": "While the landlord is abroad the boiler leaks."})
    assert sorted(linked) == [0, 1]


def test_a_sentence_of_the_same_field_comes_first() -> None:
    record = {"question": "The knee is swollen.", "answer": "The knee is swollen."}
    assert sources(record, {"question": "", "answer": "The knee is swollen."}) == [(1,)]


def test_an_unknown_sentence_has_no_source() -> None:
    assert sources({"text": "The boiler leaks."}, {"text": "Giraffes sleep upright."}) == [()]


@pytest.mark.parametrize("words", ["{} ", "if it hurts {}, rest and ", "it burns {}, should i go "])
def test_a_table_without_stops_is_read_in_linear_time(words: str) -> None:
    def record(size: int) -> None:
        read({"text": "".join(words.format(number) for number in range(size))})

    assert growth(record, 8_000 // len(words)) < LINEAR


def test_a_long_sentence_is_cut_at_white_space() -> None:
    words = [f"word{number}" for number in range(1_000)]
    found = read({"text": " ".join(words)}).sentences
    assert len(found) > 1
    assert [t.text for f in found for t in f.sentence.tokens if t.kind == "word"] == [
        "word"
    ] * 1_000
