import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy.entities import EntityType
from privacy.recognizers.patterns import Pattern, PatternRecognizer
from privacy.recognizers.windows import WindowedRecognizer
from privacy.spans import Span
from privacy.testing import FailingRecognizer, TableRecognizer

VALUES = {
    "Ida": EntityType.PERSON,
    "Ida Brandt": EntityType.PERSON,
    "Kaltenbach": EntityType.LOCATION,
    "555 0123": EntityType.PHONE_NUMBER,
    "a b c d e f g h": EntityType.ORGANIZATION,
}
OVERLAP = 16
PIECES = st.lists(
    st.one_of(
        st.sampled_from([*VALUES, "\n", "  ", " ", ", ", ".", "und", "😀", "张三"]),
        st.text("abc 5-", max_size=12),
    ),
    max_size=120,
)
NUMBERS = PatternRecognizer([Pattern(EntityType.ID, re.compile(r"(?<!\d)\d{6,12}(?!\d)"))])


def windowed(inner, window_chars=64, overlap_chars=OVERLAP):
    return WindowedRecognizer(inner, window_chars=window_chars, overlap_chars=overlap_chars)


@given(PIECES)
def test_windows_find_what_reading_the_whole_text_finds(pieces):
    text = "".join(pieces)
    table = TableRecognizer(VALUES)
    found = windowed(table).recognize(text)
    assert len(found) == len(set(found))
    assert set(found) == set(table.recognize(text))


@given(st.text("01 x", max_size=400))
def test_a_number_cut_by_an_edge_is_not_taken_for_a_shorter_one(text):
    found = windowed(NUMBERS).recognize(text)
    whole = set(NUMBERS.recognize(text))
    runs = [m.span() for m in re.finditer(r"\d+", text)]
    for span in whole:
        assert span in found
    for span in set(found) - whole:  # only of runs longer than the overlap
        run = next(r for r in runs if r[0] <= span.start and span.end <= r[1])
        assert run[1] - run[0] > OVERLAP


def test_a_value_longer_than_window_and_overlap_is_put_together():
    address = "https://example.org/" + "x" * 300
    text = f"see {address} or ask"
    urls = PatternRecognizer([Pattern(EntityType.URL, re.compile(r"(?:https://)?[./\w]{10,}"))])
    assert [(s.start, s.end) for s in windowed(urls).recognize(text)] == [(4, 4 + len(address))]


def test_a_short_text_goes_to_the_inner_recognizer_as_it_is():
    class Once:
        fingerprint = "once"
        texts: list[str] = []  # noqa: RUF012

        def recognize(self, text):
            self.texts.append(text)
            return [Span(0, 1, EntityType.PERSON)]

    windowed(Once()).recognize("x" * 64)
    assert Once.texts == ["x" * 64]
    windowed(Once()).recognize("y " * 100)
    assert max(map(len, Once.texts)) == 64


def test_one_failing_window_fails_the_text():
    with pytest.raises(RuntimeError):
        windowed(FailingRecognizer()).recognize("x " * 200)


@pytest.mark.parametrize(("window_chars", "overlap_chars"), [(10, 0), (63, 16), (0, 1)])
def test_lengths_that_cannot_work_are_refused(window_chars, overlap_chars):
    with pytest.raises(ValueError, match="four times"):
        windowed(TableRecognizer({}), window_chars, overlap_chars)


def test_fingerprint_changes_with_the_lengths_and_the_inner_recognizer():
    assert windowed(TableRecognizer({})).fingerprint != windowed(NUMBERS).fingerprint
    assert windowed(NUMBERS).fingerprint != windowed(NUMBERS, window_chars=128).fingerprint
