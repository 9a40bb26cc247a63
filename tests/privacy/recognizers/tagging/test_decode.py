"""From answers to spans: runs, borders, signs at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.minilm.base import base_tokenizer
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.tagging.decode import decode_pieces
from sage_rag.privacy.recognizers.tagging.pieces import pieces_of

PERSON, LOCATION = EntityType.PERSON, EntityType.LOCATION


def found(
    text: str, *private: str, begins: str = "", entity_type: EntityType = PERSON
) -> list[str]:
    """Return the values of the spans when every piece of the given parts is private."""
    pieces = pieces_of(text, base_tokenizer())
    ranges = [(text.index(part), text.index(part) + len(part)) for part in private]
    inside = [
        any(s < e and a < b for a, e in ranges if a <= s) and any(a <= s < e for a, e in ranges)
        for s, b in pieces.offsets
    ]
    scores = np.array([[0.9 if hit else 0.1] for hit in inside], dtype=np.float32)
    opening = text.index(begins) if begins else -1
    opens = np.array([[s == opening] for s, _ in pieces.offsets])
    spans = decode_pieces(text, pieces.offsets, pieces.words, scores, opens, [(entity_type, 0.5)])
    return [text[s.start : s.end] for s in spans]


@pytest.mark.parametrize(
    ("text", "private", "expected"),
    [
        ("I saw Maria Keller today", ("Maria Keller",), ["Maria Keller"]),
        ("I saw Maria and Tom", ("Maria", "Tom"), ["Maria", "Tom"]),
        ("Anna O'Brien called", ("Anna O", "Brien"), ["Anna O'Brien"]),
        ("Jean-Luc called", ("Jean", "Luc"), ["Jean-Luc"]),
        ("seen by (Maria),", ("(Maria),",), ["Maria"]),
        ("Maria's chart", ("Maria's",), ["Maria"]),
        ("seen by J. R. Smith.", ("J. R. Smith.",), ["J. R. Smith"]),
        ("signed J. R.", ("J. R.",), ["J. R."]),
        ("in Gadsby. BK-30 is", ("Gadsby. BK-30",), ["Gadsby", "BK-30"]),
        ("in Flat No. A12 is", ("Flat No. A12",), ["Flat No. A12"]),
        ("in Gadsby. Norton is", ("Gadsby. Norton",), ["Gadsby. Norton"]),
        ("in York. Mob 07700 900112 now", ("York. Mob 07700 900112",), ["York", "07700 900112"]),
        ("Tel.: 555-0112\nGate code", ("Tel.: 555-0112\nGate code",), ["555-0112", "Gate code"]),
        ("at Mob Lane 12 York", ("Mob Lane 12 York",), ["Mob Lane 12 York"]),
        ("nothing here", (), []),
        ("before the Court of Oslo", ("the", "of Oslo"), ["of Oslo"]),
        ("Mr A called", ("A",), ["A"]),
        ("Mr A called", ("Mr",), []),
        ("... , ...", ("... , ...",), []),
        ("I saw Maria and Tom", ("Maria and",), ["Maria"]),
        ("I saw Maria and Tom", ("and",), []),
        ("I turned thirty one today", ("thirty",), ["thirty one"]),
        ("he is Ninety-three", ("Ninety",), ["Ninety-three"]),
        ("at seventy one day", ("seventy",), ["seventy one"]),
        ("twenty onerous days", ("twenty",), ["twenty"]),
        ("Maria one day left", ("Maria",), ["Maria"]),
    ],
)
def test_spans(text: str, private: tuple[str, ...], expected: list[str]) -> None:
    assert found(text, *private) == expected


@pytest.mark.parametrize(
    ("text", "private", "expected"),
    [
        ("wrote to his ex-wife", ("ex",), ["ex-wife"]),
        ("wrote to his sister-in-law", ("law",), ["sister-in-law"]),
        ("a non-smoker - since May", ("smoker",), ["non-smoker"]),
        ("a smoker -she said", ("smoker",), ["smoker"]),
        ("grade-2 smoker", ("grade",), ["grade"]),
    ],
)
def test_a_description_is_hidden_with_its_whole_compound(
    text: str, private: tuple[str, ...], expected: list[str]
) -> None:
    assert found(text, *private, entity_type=EntityType.DEMOGRAPHIC) == expected


def test_a_name_ends_at_a_hyphen() -> None:
    assert found("the Keller-owned house", "Keller") == ["Keller"]


def test_a_word_is_private_as_a_whole_when_one_of_its_pieces_is() -> None:
    text = "Oluwaseun called"
    pieces = pieces_of(text, base_tokenizer())
    assert pieces.words.count(0) > 2, "the name should fall into pieces"
    scores = np.zeros((len(pieces), 1), dtype=np.float32)
    scores[1] = 0.9
    opens = np.zeros((len(pieces), 1), dtype=bool)
    spans = decode_pieces(text, pieces.offsets, pieces.words, scores, opens, [(PERSON, 0.5)])
    assert [(s.start, s.end) for s in spans] == [(0, len("Oluwaseun"))]


def test_a_new_value_begins_where_the_network_says_so() -> None:
    assert found("Maria Keller Tom Adams", "Maria Keller Tom Adams", begins="Tom") == [
        "Maria Keller",
        "Tom Adams",
    ]


def test_types_are_judged_apart_and_may_overlap() -> None:
    text = "Paris called"
    pieces = pieces_of(text, base_tokenizer())
    scores = np.array([[0.6, 0.4], [0.1, 0.1]], dtype=np.float32)
    opens = np.zeros((2, 2), dtype=bool)
    types = [(PERSON, 0.5), (LOCATION, 0.3)]
    spans = decode_pieces(text, pieces.offsets, pieces.words, scores, opens, types)
    assert [(s.entity_type, round(s.score, 2)) for s in spans] == [(PERSON, 0.6), (LOCATION, 0.4)]


@given(st.text(max_size=80), st.randoms(use_true_random=False))
def test_any_answers_to_any_text_give_spans_inside_it(text: str, random: st.DataObject) -> None:
    pieces = pieces_of(text, base_tokenizer())
    draw = np.random.default_rng(random.randint(0, 2**32))  # type: ignore[attr-defined]
    scores = draw.random((len(pieces), 2), dtype=np.float32)
    opens = draw.random((len(pieces), 2)) > 0.5
    types = [(PERSON, 0.5), (LOCATION, 0.5)]
    for span in decode_pieces(text, pieces.offsets, pieces.words, scores, opens, types):
        assert span.end <= len(text)
        assert text[span.start : span.end].strip() == text[span.start : span.end]


def test_a_likely_word_beside_a_value_joins_it() -> None:
    text = "at Alder Mill Surgery today"
    pieces = pieces_of(text, base_tokenizer())
    by_word = (0.1, 0.6, 0.6, 0.25, 0.1)
    scores = np.array([[by_word[word]] for word in pieces.words], dtype=np.float32)
    opens = np.zeros((len(pieces), 1), dtype=bool)
    (span,) = decode_pieces(text, pieces.offsets, pieces.words, scores, opens, [(PERSON, 0.5)])
    assert text[span.start : span.end] == "Alder Mill Surgery"
    alone = np.full_like(scores, 0.25)
    assert decode_pieces(text, pieces.offsets, pieces.words, alone, opens, [(PERSON, 0.5)]) == []
