import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.disguise.aligned_text import AlignedText
from sage_rag.privacy.recognizers.disguise.characters import seen
from sage_rag.privacy.recognizers.disguise.encoding import encoding_edits
from sage_rag.privacy.recognizers.disguise.recognizer import DisguiseRecognizer, without_disguises
from sage_rag.privacy.spans import Span, resolve_overlaps
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer
from tests.growth import LINEAR, growth

DOCUMENT = Path(__file__).parents[4] / "docs" / "recognition.md"
ROW = re.compile(
    r"\| (?P<name>[^|]+) \| `(?P<text>[^`]+)` \| `(?P<value>[^`]+)` \| (?P<covered>yes|no) \|"
)
ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|U[0-9a-f]{8}|n|\\)")
ROWS = list(ROW.finditer(DOCUMENT.read_text("utf-8")))
PIECES = [
    "\u200b",
    "\u00ad",
    "\u0301",
    "😀",
    "&#64;",
    "%40",
    "j o h n",
    " (at) ",
    " dot ",
    "@",
    ".",
]
PIECES += [
    "\n",
    "=\n",
    "<b>",
    "ｊ",
    "а",
    "ο",
    "five ",
    "double ",
    "4111 ",
    "-\n",
    "\ufe0f",
    "ﬁ",
    "é",
    "张",
    "\x00",
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30).map("".join)


def written(escaped):
    return ESCAPE.sub(lambda m: m.group().encode().decode("unicode_escape"), escaped)


def covered(text, spans):
    return {i for span in spans for i in range(span.start, span.end)}


def test_the_table_has_not_shrunk():
    assert len(ROWS) >= 57


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_row_of_the_table(row):
    text, value = written(row["text"]), written(row["value"])
    start = text.index(value)
    telling = {i for i in range(start, start + len(value)) if text[i].isalnum()}
    assert (telling <= covered(text, default_recognizer().recognize(text))) == (
        row["covered"] == "yes"
    )


@given(TEXTS)
def test_the_view_knows_where_every_character_came_from(text):
    view = without_disguises(text)
    assert len(view.text) == len(view.starts) == len(view.ends)
    assert all(0 <= s < e <= len(text) for s, e in zip(view.starts, view.ends, strict=True))
    assert list(view.starts) == sorted(view.starts)
    assert list(view.ends) == sorted(view.ends)
    for i, character in enumerate(view.text):
        if view.ends[i] - view.starts[i] == 1 and character.isalpha() and character.isascii():
            source = text[view.starts[i]]
            assert (
                character == source
                or seen(source) != source
                or not source.isascii()
                or source in "0oOlI|"
            )


@given(TEXTS, st.data())
def test_what_is_mapped_back_shows_what_was_seen(text, data):
    view = without_disguises(text)
    if not view.text:
        return
    start = data.draw(st.integers(0, len(view.text) - 1))
    end = data.draw(st.integers(start + 1, len(view.text)))
    span = view.original_span(Span(start, end, EntityType.PERSON, 0.5))
    inside = [
        i
        for i in range(len(view.text))
        if span.start <= view.starts[i] and view.ends[i] <= span.end
    ]
    # The range may hold more where one character stands for several, never less or with gaps.
    assert inside == list(range(inside[0], inside[-1] + 1))
    assert inside[0] <= start
    assert inside[-1] >= end - 1
    assert view.text[start:end] in "".join(view.text[i] for i in inside)


@given(TEXTS)
def test_nothing_that_the_inner_recognizer_finds_is_lost(text):
    table = TableRecognizer({"john": EntityType.PERSON, "4111": EntityType.ID, "@": EntityType.URL})
    found = DisguiseRecognizer(table).recognize(text)
    assert set(table.recognize(text)) <= set(found)
    assert len(found) == len(set(found))


@given(st.text(alphabet="abc É’“”—…»ñüł€™😀\u00a0°", max_size=40))
def test_text_that_was_read_in_the_wrong_encoding_is_repaired(text):
    misread = "".join(
        bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in text.encode()
    )
    view = AlignedText.unchanged(misread).edited(encoding_edits(misread))
    assert view.text == text
    assert [*AlignedText.unchanged(text).edited(encoding_edits(text)).text] == [*text]


def test_values_in_misread_text_are_found_and_its_apostrophes_are_no_names():
    text = "Iâ€™m JosÃ© NuÃ±ez and itâ€™s worse, donâ€™t know why."
    spans = resolve_overlaps(default_recognizer().recognize(text))
    assert [text[s.start : s.end] for s in spans] == ["JosÃ© NuÃ±ez"]


def test_a_mapped_span_covers_what_is_hidden_inside():
    table = DisguiseRecognizer(TableRecognizer({"Maria": EntityType.PERSON}))
    (span,) = table.recognize("I am M\u200ba\u00adri\u0336a.")
    assert (span.start, span.end) == (5, 13)


class Counting:
    fingerprint = "counting"

    def __init__(self):
        self.texts = []

    def recognize(self, text):
        self.texts.append(text)
        return []


@pytest.mark.parametrize(
    "text",
    [
        "Plain words, e.g. U.S. law & more; 50% of 12 = 6 <b>bold</b> (see above).",
        "Ça va très bien, “naïve” René — dit-il… 25 °C ½",
        "Сегодня он был дома.",
        "他说：“今天（周五）很好。”",
        "日本語のテキストです。",
        "Hello 😀 world 👍\nnew line - and 3 x 4",
    ],
)
def test_a_text_without_disguise_is_read_once(text):
    inner = Counting()
    DisguiseRecognizer(inner).recognize(text)
    assert inner.texts == [text]


@pytest.mark.parametrize(
    "text",
    [
        "met me @ noon. Then we left",
        "sales\n1200\n3400\n5600\n",
        "Meet at the dot of noon",
        "He is one of two or three people",
        "write to a@b.org.\nThen call",
    ],
)
def test_ordinary_writing_is_not_taken_for_a_disguise(text):
    assert without_disguises(text).text == text


def test_russian_words_of_look_alikes_stay_russian():
    assert without_disguises("Он видел сон").text == "Он видел сон"


@pytest.mark.parametrize(
    "unit", ["a ", "a.b", "five ", "&", "%4", "(at) ", "@ . ", "1O", "a\u0301", "<b", "- \n",
             "a dot ", "=\n", "x"]
)  # fmt: skip
def test_hostile_text_takes_linear_time(unit):
    assert growth(lambda size: without_disguises(unit * size + "@"), 3_000) < LINEAR


def test_a_failure_of_the_inner_recognizer_passes_through():
    with pytest.raises(RuntimeError):
        DisguiseRecognizer(FailingRecognizer()).recognize("x")


def test_an_edit_in_the_middle_maps_each_new_character_to_what_it_replaced():
    view = AlignedText.unchanged("abcd").edited([(1, 3, "xyz")])
    assert view.text == "axyzd"
    assert list(zip(view.starts, view.ends, strict=True)) == [
        (0, 1),
        (1, 3),
        (1, 3),
        (1, 3),
        (3, 4),
    ]


def test_fingerprint_tells_the_inner_recognizer():
    table, counting = DisguiseRecognizer(TableRecognizer({})), DisguiseRecognizer(Counting())
    assert table.fingerprint != counting.fingerprint
    assert table.fingerprint.endswith("(table)")
