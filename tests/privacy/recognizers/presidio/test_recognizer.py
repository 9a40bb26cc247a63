import re
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.presidio.patterns import shipped_patterns
from sage_rag.privacy.recognizers.presidio.recognizer import (
    PresidioRecognizer,
    _rules,
    _words,
)
from sage_rag.privacy.recognizers.presidio.table import COMPARISON_ROWS, DEFAULT_ROWS

pytestmark = pytest.mark.slow

RECOGNIZER = PresidioRecognizer()


def found(text):
    return {(text[s.start : s.end], s.entity_type) for s in RECOGNIZER.recognize(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A checksum or an unmistakable form is enough
        ("PESEL 44051401359.", ("44051401359", EntityType.NATIONAL_ID)),
        ("my DNI, 12345678Z", ("12345678Z", EntityType.NATIONAL_ID)),
        ("NIE X1234567L", ("X1234567L", EntityType.NATIONAL_ID)),
        ("hetu 131052-308T", ("131052-308T", EntityType.NATIONAL_ID)),
        ("TC 10000000146", ("10000000146", EntityType.NATIONAL_ID)),
        ("RRN 960121-1234567", ("960121-1234567", EntityType.NATIONAL_ID)),
        ("AB 12 34 56 C is hers", ("AB 12 34 56 C", EntityType.NATIONAL_ID)),
        ("code MRTMTT91D08F205J here", ("MRTMTT91D08F205J", EntityType.NATIONAL_ID)),
        ("ITIN 911-70-1234", ("911-70-1234", EntityType.NATIONAL_ID)),
        ("MORGA657054SM9IJ", ("MORGA657054SM9IJ", EntityType.DRIVER_LICENSE)),
        ("DEA BB1388568", ("BB1388568", EntityType.MEDICAL_LICENSE)),
        (
            "to 16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ",
            ("16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ", EntityType.CRYPTO),
        ),
        # What is only a number needs the word
        ("aadhaar 234123412346", ("234123412346", EntityType.NATIONAL_ID)),
        ("her tax file number: 876543210", ("876543210", EntityType.NATIONAL_ID)),
        ("provider NPI 1234567893", ("1234567893", EntityType.MEDICAL_LICENSE)),
        ("routing number 021000021", ("021000021", EntityType.BANK_ACCOUNT)),
        ("her passport, renewed in May, AB1234567", ("AB1234567", EntityType.PASSPORT)),
        ("the bank account is 123456789", ("123456789", EntityType.BANK_ACCOUNT)),
        ("vehicle registration AB12 CDE", ("AB12 CDE", EntityType.VEHICLE)),
    ],
)
def test_values_of_many_countries(text, expected):
    assert expected in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "PESEL 44051401358",  # last digit wrong
        "my DNI, 12345678A",
        "hetu 131052-308U",
        "TC 10000000147",
        "DEA BB1388569",
        "to 16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyA",
        "123456789012 cells",
        "876543210 molecules, 1234567893 of them, 021000021",
        "AB1234567 and B12 and 5 mg, 120/80, T4 N1 M0",
        "I did 123456789 steps",  # "id" within a word announces nothing
        "the 1994051401359x",  # not a whole word
        "about AB12 CDE",
    ],
)
def test_a_weak_form_needs_a_checksum_or_a_word(text):
    assert found(text) == set()


def test_no_row_is_there_twice():
    names = [row.name for row in (*DEFAULT_ROWS, *COMPARISON_ROWS)]
    assert len(names) == len(set(names))


@pytest.mark.slow
@pytest.mark.parametrize("row", DEFAULT_ROWS, ids=lambda row: row.name)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_text_without_the_shape_holds_no_value(row, data):
    """What Presidio's expression takes, the cheap look before it must not pass over."""
    expressions = [e for e, _ in shipped_patterns(row.name).expressions]
    # Presidio's expressions are tried with all letters alike; plates count in capitals only.
    flags = 0 if row.entity_type is EntityType.VEHICLE else re.IGNORECASE
    try:
        regex = re.compile(data.draw(st.sampled_from(expressions)), flags | re.ASCII)
    except re.error:
        pytest.skip("not in the standard library's syntax")
    value = data.draw(st.from_regex(regex, fullmatch=True))
    if any(c.isdigit() for c in value):
        assert re.search(row.shape, value), value


def test_presidio_is_never_imported():
    code = (
        "import sys; from sage_rag.privacy.recognizers.presidio.recognizer import PresidioRecognizer as P;"
        "r = P(); r.fingerprint; r.recognize('I am 47, BP 120/80, since 2019, 5 mg of T4.');"
        "assert 'regex' not in sys.modules; assert r.recognize('PESEL 44051401359');"
        "sys.exit('presidio_analyzer' in sys.modules or 'spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_fingerprint_names_the_release():
    assert RECOGNIZER.fingerprint.startswith("presidio-2.")
    assert RECOGNIZER.fingerprint == PresidioRecognizer().fingerprint
    assert RECOGNIZER.fingerprint != PresidioRecognizer(COMPARISON_ROWS).fingerprint


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_spans_lie_within_any_text(text):
    for span in RECOGNIZER.recognize(text):
        assert 0 <= span.start < span.end <= len(text)


@given(st.text(alphabet="0123456789٣६ABCſKİXZ -./", min_size=8, max_size=60))
@settings(max_examples=200, deadline=None)
def test_no_checksum_fails_on_exotic_digits_and_letters(text):
    RECOGNIZER.recognize(f"passport id account plate {text}")


HOSTILE = ["1", "1-", "a@", "A1-", "1 ", "12 ", "a", "A1", "1111-", "11/1", "x9", "AB12 ", "id 1"]


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_double_the_text_takes_about_double_the_time(unit):
    def seconds(count):
        times = []
        for _ in range(3):
            begin = time.process_time()
            RECOGNIZER.recognize(unit * count)
            times.append(time.process_time() - begin)
        return min(times)

    RECOGNIZER.recognize("44051401359")
    short = seconds(5_000)
    assert seconds(10_000) < 3 * short + 0.02


@given(
    st.lists(
        st.sampled_from(
            "Passports PASSPORT passport kİmlik KIMLIK ſin id plates, # of no. X1234567 12345678"
            " MH12AB1234 10000000146 AB12CDE".split()
        ),
        max_size=12,
    ).map(" ".join)
)
def test_the_look_at_words_skips_no_row_that_finds_something(text: str) -> None:
    for row, rule in _rules(DEFAULT_ROWS, shipped_patterns).items():
        if any(rule.find(text)):
            assert rule.is_possible(_words(text)), row.name
