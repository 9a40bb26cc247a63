"""The shipped reader: what it says of records that no file of questions has."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.agents.reading.pairs import TEXT_PIECES
from sage_rag.agents.reading.reader import LONGEST_ANSWER, Reader
from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.base import piece_counts

LETTER = (
    "Dear person 1, the lighthouse lamp was changed on date time 1 by our electrician, because the"
    " old one flickered in rain. The new lamp needs no oil. Its cover must be wiped once a week with"
    " a dry cloth; never use soap, which leaves a film. The foghorn is still being repaired, and we"
    " do not know yet what that will cost. Visitors may climb the tower on Sundays until noon."
)
ANSWERED = {
    "When was the lamp changed?": "date time 1",
    "Why did they replace the old lamp?": "flickered",
    "How often does the cover have to be cleaned?": "once a week",
    "What should one never use on the cover?": "soap",
    "On which day can visitors go up the tower?": "Sundays",
    "Who put in the new lamp?": "electrician",
}
UNANSWERED = (
    "How much did the new lamp cost?",
    "What will the repair of the foghorn cost?",
    "Who repairs the foghorn?",
    "How high is the tower?",
    "How old is person 1?",
    "What does the climb cost for visitors?",
)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def test_it_separates_what_a_record_says_from_what_it_nearly_says(reader: Reader) -> None:
    answered = [reader.read(question, [LETTER])[0].probability for question in ANSWERED]
    others = [reader.read(question, [LETTER])[0].probability for question in UNANSWERED]
    in_order = sum(a > o for a in answered for o in others)
    assert in_order >= 0.8 * len(answered) * len(others), (answered, others)


def test_it_names_the_stretch(reader: Reader) -> None:
    found = 0
    for question, answer in ANSWERED.items():
        (reading,) = reader.read(question, [LETTER])
        found += answer in LETTER[max(0, reading.start - 20) : reading.end + 20]
    assert found >= 5


def test_an_answer_at_the_end_of_a_long_text_is_read(reader: Reader) -> None:
    filler = "The gulls were counted again and there were as many as in the year before. " * 30
    text = f"{filler}{LETTER}"
    assert piece_counts([text])[0] > 2 * TEXT_PIECES
    (reading,) = reader.read("How often does the cover have to be cleaned?", [text])
    assert reading.probability > 0.5
    assert "once a week" in text[reading.start - 20 : reading.end + 20]
    assert piece_counts([text[reading.start : reading.end]])[0] <= LONGEST_ANSWER


@pytest.mark.parametrize("text", ["", " \n ", "x", "\ud800 \x00", "[UNK] " * 3000, "?" * 5000])
@pytest.mark.parametrize("question", ["", "?", "\udfff", "why " * 5000])
def test_any_text_is_read(reader: Reader, question: str, text: str) -> None:
    (reading,) = reader.read(question, [text])
    assert 0 <= reading.probability <= 1
    assert 0 <= reading.start <= reading.end <= len(text)


def test_a_reading_does_not_depend_on_the_other_texts(reader: Reader) -> None:
    question = "Why did they replace the old lamp?"
    (alone,) = reader.read(question, [LETTER])
    together = reader.read(question, ["No gulls today.", LETTER, "Some gulls today."])[1]
    assert together.probability == pytest.approx(alone.probability, abs=0.02)
    assert reader.read(question, []) == []


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("no weights", "utf-8")
    with pytest.raises(InputError, match="not a reader's weights file"):
        Reader(tmp_path / "notes")
