"""Views: values are hidden, headings stand before their lines, and answers keep their place."""

from __future__ import annotations

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.reading.questions import QuestionedRecord, RecordQuestion
from sage_rag.training.reading.views import viewed

NOTE = """\
VISIT
Seen: Ole Lind, 3 May

PLAN:
• Rest for two days.
• Ice, then heat
Ole Lind comes again when he has finished the tablets, and before that if
he has a fever.

SIGNED BY A NURSE"""


def asked(question: str, answer: str | None) -> RecordQuestion:
    place = None if answer is None else (NOTE.index(answer), NOTE.index(answer) + len(answer))
    return RecordQuestion(question, place)


RECORD = QuestionedRecord(
    "visits",
    NOTE,
    (
        asked("Who was seen?", "Ole Lind, 3 May"),
        asked("What comes first for Ole Lind?", "Rest"),
        asked("What for when the ice is over?", "heat\nOle"),
        asked("When does he come early?", "if\nhe has a fever"),
        asked("What is written first?", "VISIT"),
        asked("Who wrote it?", None),
    ),
)
TABLE = TableRecognizer({"Ole Lind": EntityType.PERSON, "3 May": EntityType.DATE_TIME})
PROTECTOR = Protector(TABLE, preset("soe-all"), default_cipher(Keyset.generate(), "test"))
VIEWS = viewed(RECORD, PROTECTOR)


def answers(record: QuestionedRecord) -> dict[str, str | None]:
    return {q.text: q.answer and record.text[slice(*q.answer)] for q in record.questions}


def test_headings_stand_before_their_lines_and_lines_are_joined() -> None:
    assert VIEWS.plain.text.splitlines() == [
        "VISIT: Seen: Ole Lind, 3 May",
        "PLAN: Rest for two days.",
        "Ice, then heat",
        "Ole Lind comes again when he has finished the tablets, and before that if he has a fever.",
        "SIGNED BY A NURSE",
    ]


def test_answers_keep_their_place_and_those_in_a_heading_are_left_out() -> None:
    assert answers(VIEWS.plain) == {
        "Who was seen?": "Ole Lind, 3 May",
        "What comes first for Ole Lind?": "Rest",
        "What for when the ice is over?": "heat\nOle",
        "When does he come early?": "if he has a fever",
        "Who wrote it?": None,
    }


def test_one_value_has_one_placeholder_in_record_and_questions() -> None:
    assert VIEWS.hidden.text.count("[PERSON_1]") == 2
    assert answers(VIEWS.hidden) == {
        "Who was seen?": "[PERSON_1], [DATE_TIME_1]",
        "What comes first for [PERSON_1]?": "Rest",
        "What for when the ice is over?": "heat\n[PERSON_1]",
        "When does he come early?": "if he has a fever",
        "Who wrote it?": None,
    }


def test_a_line_with_a_value_is_no_heading() -> None:
    assert VIEWS.hidden.text.splitlines()[0] == "VISIT: Seen: [PERSON_1], [DATE_TIME_1]"
    note = QuestionedRecord("visits", "Ole Lind:\nHe takes aspirin.", RECORD.questions[-1:])
    shown = viewed(note, PROTECTOR)
    assert shown.plain.text == "Ole Lind: He takes aspirin."
    assert shown.hidden.text == "[PERSON_1]:\nHe takes aspirin."
