"""The form of a draft."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.gate.form import SHORT_TOKENS, form_faults, too_long
from tests.growth import LINEAR, growth

RECORD = {
    "question": "My left knee swells in the evenings; what could that be?",
    "answer": "Most likely the meniscus, so rest it for ten days and cool it.",
    "remark": "",
}
DRAFT = {"question": "A knee swells at night.", "answer": "Rest and cool it.", "remark": ""}


def faults(record: Mapping[str, str] = RECORD, /, **changes: str) -> list[str]:
    return list(form_faults(record, {**DRAFT, **changes}))


def test_the_same_fields_are_no_fault() -> None:
    assert faults() == []
    assert list(form_faults(RECORD, {k: v for k, v in DRAFT.items() if k != "remark"})) == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"answer": ""}, "leaves `answer` blank"),
        ({"answer": " \n"}, "leaves `answer` blank"),
        ({"remark": "Nothing."}, "fills `remark`"),
        ({"note": "A knee."}, "has fields"),
        ({"question": "Patient: my knee. Doctor: rest it."}, "a speaker in `question`"),
        ({"question": "A knee swells.\n**Doctor:** rest it."}, "a speaker in `question`"),
        ({"question": "A knee swells. doctor : rest it."}, "a speaker in `question`"),
        ({"answer": "Q: a knee? A: rest."}, "a speaker in `answer`"),
        ({"answer": "患者：膝盖肿。医生：休息。"}, "a speaker in `answer`"),
    ],
)
def test_each_change_of_form_is_a_fault(changes: dict[str, str], fault: str) -> None:
    found = faults(**changes)
    assert len(found) == 1
    assert fault in found[0]
    assert not any(value.strip() and value in found[0] for value in changes.values())


@pytest.mark.parametrize(
    "question",
    [
        "The doctor said: rest it.",
        "A knee that the patient's doctor: no, a nurse looked at.",
        "Vitamin A: is it useful?",
        "Adr: 5",
        "Two matters: a knee, an ankle.",
    ],
)
def test_a_colon_alone_announces_nobody(question: str) -> None:
    assert faults(question=question) == []


def test_a_record_that_announces_speakers_may_be_retold_with_them() -> None:
    script = {"text": "Doctor: what is it? Patient: my knee swells every evening, since weeks."}
    assert list(form_faults(script, {"text": "Patient: a swollen knee. Doctor: since when?"})) == []


def test_a_field_of_thanks_may_be_left_blank() -> None:
    assert (
        list(form_faults({**RECORD, "answer": "Thanks a lot, doctor."}, {**DRAFT, "answer": ""}))
        == []
    )


@given(st.dictionaries(st.sampled_from("abc"), st.text(max_size=40), max_size=3))
def test_a_record_is_in_its_own_form(record: dict[str, str]) -> None:
    assert list(form_faults(record, record)) == []


@pytest.mark.parametrize("piece", [" ", "\n ", "\n\t*", ". Doctor ", "\nDoctor*_*_", "问 "])
def test_looking_for_speakers_is_linear(piece: str) -> None:
    def look(size: int) -> None:
        list(form_faults({"text": "a knee"}, {"text": piece * size}))

    assert growth(look, 20_000) < LINEAR


@pytest.mark.parametrize(
    ("before", "after", "long"),
    [(100, 200, False), (100, 201, True), (3, SHORT_TOKENS, False), (3, SHORT_TOKENS + 1, True)],
)
def test_twice_the_length_is_the_most_but_short_records_may_grow(
    before: int, after: int, long: bool
) -> None:
    assert too_long(before, after, 2.0) is long
