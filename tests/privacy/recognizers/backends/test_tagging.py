"""From probabilities to spans, in every label scheme."""

from __future__ import annotations

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme
from sage_rag.privacy.recognizers.backends.models import types_of
from sage_rag.privacy.recognizers.backends.tagging import TagSet, Token, decode_tags

TEXT = "Ada Quist met Bo of Bern-Nord"


def tag_set(*names: str, labels: object = Scheme.UNER) -> TagSet:
    return TagSet.of(names, lambda kinds: types_of(kinds, labels))  # type: ignore[arg-type]


def tokens(
    text: str, tags: dict[str, str], names: tuple[str, ...], sure: float = 0.9
) -> list[Token]:
    """One token per piece of `tags`, in order; the tag gets `sure`, the rest share what is left."""
    found, position = [], 0
    for piece, tag in tags.items():
        start = text.index(piece, position)
        position = start + len(piece)
        answer = np.full(len(names), (1 - sure) / (len(names) - 1), dtype=np.float32)
        answer[names.index(tag)] = sure
        found.append(Token(start, position, answer))
    return found


SCHEMES = {
    "IO": {"Ada": "PER", "Quist": "PER", "met": "O", "Bo": "PER", "of": "O", "Bern": "LOC"},
    "BIO": {"Ada": "B-PER", "Quist": "I-PER", "met": "O", "Bo": "B-PER", "of": "O", "Bern": "B-LOC"},
    "IOB1": {"Ada": "I-PER", "Quist": "I-PER", "met": "O", "Bo": "I-PER", "of": "O", "Bern": "I-LOC"},
    "BIOES": {"Ada": "B-PER", "Quist": "E-PER", "met": "O", "Bo": "S-PER", "of": "O", "Bern": "S-LOC"},
    "BILOU": {"Ada": "B-PER", "Quist": "L-PER", "met": "O", "Bo": "U-PER", "of": "O", "Bern": "U-LOC"},
}  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_label_scheme_gives_the_same_spans(scheme: str) -> None:
    tags = SCHEMES[scheme]
    names = tuple(dict.fromkeys(["O", *tags.values()]))
    spans = decode_tags(TEXT, tokens(TEXT, tags, names), tag_set(*names), 0.5)
    assert [(TEXT[s.start : s.end], s.entity_type.value) for s in spans] == [
        ("Ada Quist", "PERSON"), ("Bo", "PERSON"), ("Bern", "LOCATION"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["B-PER", "B-PER"], ["Ada", "Quist"]),
        (["S-PER", "I-PER"], ["Ada", "Quist"]),
        (["E-PER", "I-PER"], ["Ada", "Quist"]),
        (["I-PER", "I-LOC"], ["Ada", "Quist"]),
        (["I-PER", "E-PER"], ["Ada Quist"]),
        (["O", "I-PER"], ["Quist"]),
    ],
)
def test_neighbours_are_one_value_or_two(tags: list[str], expected: list[str]) -> None:
    names = ("O", "B-PER", "I-PER", "E-PER", "S-PER", "I-LOC")
    pieces = dict(zip(["Ada", "Quist"], tags, strict=True))
    spans = decode_tags(TEXT, tokens(TEXT, pieces, names), tag_set(*names), 0.5)
    assert [TEXT[s.start : s.end] for s in spans] == expected


def test_pieces_of_a_word_make_one_span_judged_by_the_first() -> None:
    text, names = "Quisteborg naps", ("O", "B-PER", "I-PER")
    pieces = {"Qui": "B-PER", "ste": "O", "borg": "O", "naps": "O"}
    spans = decode_tags(text, tokens(text, pieces, names), tag_set(*names), 0.5)
    assert [text[s.start : s.end] for s in spans] == ["Quisteborg"]


@pytest.mark.parametrize(
    ("text", "pieces", "expected"),
    [
        ("Qu\u200bist", ["Qu", "ist"], ["Qu\u200bist"]),  # the tokenizer left the mark out
        ("a Ada", ["a", " Ada"], ["a", "Ada"]),  # and here it counts the space to the word
        ("张伟", ["张", "伟"], ["张", "伟"]),
    ],
)
def test_words_end_where_writing_ends_them(
    text: str, pieces: list[str], expected: list[str]
) -> None:
    names = ("O", "B-PER")
    found = decode_tags(
        text, tokens(text, dict.fromkeys(pieces, "B-PER"), names), tag_set(*names), 0.5
    )
    assert [text[s.start : s.end] for s in found] == expected


def test_probability_that_is_split_between_private_labels_counts_together() -> None:
    names = ("O", "B-PER", "B-LOC", "B-ORG")
    answer = np.array([0.4, 0.25, 0.2, 0.15], dtype=np.float32)
    token = [Token(0, 3, answer)]
    (span,) = decode_tags(TEXT, token, tag_set(*names), 0.5)
    assert (span.entity_type, round(span.score, 3)) == (EntityType.PERSON, 0.6)
    assert decode_tags(TEXT, token, tag_set(*names), 0.61) == []


def test_a_span_is_as_sure_as_its_least_sure_word() -> None:
    names = ("O", "B-PER", "I-PER")
    pair = [
        *tokens(TEXT, {"Ada": "B-PER"}, names, 0.9),
        *tokens(TEXT, {"Quist": "I-PER"}, names, 0.6),
    ]
    (span,) = decode_tags(TEXT, pair, tag_set(*names), 0.5)
    assert span.score == pytest.approx(0.6 + 0.2)


def test_labels_left_out_on_purpose_count_as_outside() -> None:
    names = ("O", "B-PER", "B-DRUG")
    tags = tag_set(*names, labels={"PER": EntityType.PERSON, "DRUG": None})
    assert decode_tags(TEXT, tokens(TEXT, {"Ada": "B-DRUG"}, names), tags, 0.5) == []


def test_a_label_that_nobody_mapped_is_an_error_and_so_are_labels_without_an_outside() -> None:
    with pytest.raises(InputError, match="DRUG"):
        tag_set("O", "B-DRUG")
    with pytest.raises(InputError, match="`DRUG` is not mapped"):
        tag_set("O", "B-DRUG", labels={"PER": EntityType.PERSON})
    for names in [("LABEL_0", "LABEL_1"), ("PER", "LOC"), ("O",)]:
        with pytest.raises(InputError):
            tag_set(*names)


def test_our_own_names_need_no_map_and_hyphens_need_not_be_prefixes() -> None:
    assert tag_set("O", "B-PERSON", "I-MEDICAL_RECORD").types[1:] == (
        EntityType.PERSON, EntityType.MEDICAL_RECORD,
    )  # fmt: skip
    plain = tag_set("O", "PER", "E-MAIL", labels={"PER": EntityType.PERSON, "E-MAIL": None})
    assert plain.types == (None, EntityType.PERSON, None)
