import re
from itertools import pairwise
from re import _constants as constants
from re import _parser as parser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import Anchor, Pattern, PatternRecognizer
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED
from sage_rag.privacy.spans import resolve_overlaps

RECOGNIZER = PatternRecognizer(STRUCTURED)


def found(text, entity_type):
    spans = resolve_overlaps(RECOGNIZER.recognize(text))
    return [text[s.start : s.end] for s in spans if s.entity_type == entity_type]


TABLE = [
    ("CREDIT_CARD", "card 4111.1111.1111.1111.", ["4111.1111.1111.1111"]),
    (
        "CRYPTO",
        "to 0x52908400098527886E0F7030069857D2E4169EE7 now",
        ["0x52908400098527886E0F7030069857D2E4169EE7"],
    ),
    ("US_SSN", "123456789 is my social security number", ["123456789"]),
    ("ID", "registered as 4155550132788 since then", ["4155550132788"]),
    ("ID", "the card ending in 4242, and my account ended with 0917.", ["4242", "0917"]),
    ("ID", "a count of 250000000.5 or 123456789%", []),
    ("ID", "the week ending in 2021", []),
    ("US_SSN", "on file as xxx-xx-6789.", ["xxx-xx-6789"]),
    ("NATIONAL_ID", "AHV 756.9217.0769.85,", ["756.9217.0769.85"]),
    ("MAC_ADDRESS", "MAC address 001A2B3C4D5E", ["001A2B3C4D5E"]),
    ("EMAIL_ADDRESS", "write to mo.lindt+gp@mail.example.org.", ["mo.lindt+gp@mail.example.org"]),
    ("EMAIL_ADDRESS", "post@münzhof.example", ["post@münzhof.example"]),
    ("EMAIL_ADDRESS", "it is petra at example dot com, thanks", ["petra at example dot com"]),
    ("EMAIL_ADDRESS", "petra [at] example [dot] org", ["petra [at] example [dot] org"]),
    ("EMAIL_ADDRESS", "we met at noon, dot the i", []),
    ("EMAIL_ADDRESS", "5 @ 3 euros", []),
    ("URL", "see https://example.org/a?b=c, then call", ["https://example.org/a?b=c"]),
    ("URL", "see www.example.net.", ["www.example.net"]),
    ("URL", "look at example.co.uk/page now", ["example.co.uk/page"]),
    ("URL", "for 10 days.I took it, e.g. at night, i.e.late", []),
    ("IP_ADDRESS", "from 192.0.2.17 and 2001:db8::1.", ["192.0.2.17", "2001:db8::1"]),
    ("IP_ADDRESS", "at 12:30:45 on 1.2.2024, ratio 1::", []),
    ("MAC_ADDRESS", "00:1B:44:11:3a:b7 is", ["00:1B:44:11:3a:b7"]),
    ("MAC_ADDRESS", "00:1B:44:11:3a is short", []),
    ("CREDIT_CARD", "paid by 4539 1488 0343 6467.", ["4539 1488 0343 6467"]),
    ("CREDIT_CARD", "number 4539148803436468 fails its checksum", []),
    ("CREDIT_CARD", "a typo: 4539 1488 0343 6468.", ["4539 1488 0343 6468"]),
    ("CREDIT_CARD", "on my credit card 4539148803436468", ["4539148803436468"]),
    ("CREDIT_CARD", "amex 378282246310006", ["378282246310006"]),
    ("CREDIT_CARD", "I have 12 cards and 500 mg", []),
    ("CREDIT_CARD", "IMEI no. 356938035643809, SIM ICCID: 89441000300012345678", []),
    ("IBAN_CODE", "to GB82 WEST 1234 5698 7654 32 please", ["GB82 WEST 1234 5698 7654 32"]),
    ("IBAN_CODE", "to DE89370400440532013000.", ["DE89370400440532013000"]),
    ("IBAN_CODE", "to DE89370400440532013001.", ["DE89370400440532013001"]),
    ("IBAN_CODE", "IBAN NL91 ABNA 0417 1643 00 was not refused", ["NL91 ABNA 0417 1643 00"]),
    ("IBAN_CODE", "IBAN NL91 ABNA 0417 1643 00 MUST NOT BE USED", ["NL91 ABNA 0417 1643 00"]),
    ("IBAN_CODE", "iban is nl91abna0417164300 and more", ["nl91abna0417164300"]),
    ("IBAN_CODE", "to DE8937040044053201300 or XX89370400440532013000.", []),
    ("US_SSN", "his is 219-09-9999, hers too", ["219-09-9999"]),
    ("US_SSN", "SSN: 219099999", ["219099999"]),
    ("US_SSN", "000-12-3456 and 219-00-1234", []),
    ("UK_NHS", "NHS number 943 476 5919", ["943 476 5919"]),
    ("UK_NHS", "NHS number 943 476 5918", []),
    ("MEDICAL_RECORD", "MRN 4471-22 was", ["4471-22"]),
    ("MEDICAL_RECORD", "hospital no. BX 771 205, thanks", ["BX 771 205"]),
    ("CASE_NUMBER", "Case number: 2024-CV-9711", ["2024-CV-9711"]),
    ("ID", "my policy is QD-5520-18.", ["QD-5520-18"]),
    ("PASSPORT", "passport X1234567", ["X1234567"]),
    ("MEDICAL_RECORD", "patient id 884213 on file", ["884213"]),
    ("ID", "In my case 2 of 3 tests, patient 120/80, record 500 mg, file 2019", []),
    ("ID", "COVID-19, ICD-10, type 2, HbA1c, T4, B12", []),
    ("ID", "I am registered with them", []),
    ("PHONE_NUMBER", "call (713) 555-0134 or 713.555.0134", ["(713) 555-0134", "713.555.0134"]),
    ("PHONE_NUMBER", "+44 20 7946 0123, 020 7946 0123", ["+44 20 7946 0123", "020 7946 0123"]),
    ("PHONE_NUMBER", "+49 (0)151 23456789 ext. 12", ["+49 (0)151 23456789 ext. 12"]),
    ("PHONE_NUMBER", "06 12 34 56 78 or 9876543210", ["06 12 34 56 78", "9876543210"]),
    ("PHONE_NUMBER", "Ph. 555-0134, graph 555-0134", ["555-0134"]),
    ("PHONE_NUMBER", "tel 138 0013 8000", ["138 0013 8000"]),
    ("PHONE_NUMBER", "(aged 35 07700 900417)", ["07700 900417"]),
    ("PHONE_NUMBER", "office: 555-0134 x22", ["555-0134 x22"]),
    ("PHONE_NUMBER", "on 12.10.2024, 2024-10-12, 165/89, 0.5 mg, 1 000 000 cells", []),
    ("PHONE_NUMBER", "from 1990 to 2005, 120 80 72 99, weight 13.5", []),
]


@pytest.mark.parametrize(("entity_type", "text", "values"), TABLE)
def test_structured_values_are_found_exactly(entity_type, text, values):
    assert found(text, EntityType(entity_type)) == values


def test_every_part_of_a_table_row_survives_its_surroundings():
    for entity_type, text, values in TABLE:
        embedded = f"Hello doctor, {text} Thank you."
        assert set(values) <= set(found(embedded, EntityType(entity_type))), text


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_spans_lie_within_any_text(text):
    for span in RECOGNIZER.recognize(text):
        assert 0 <= span.start < span.end <= len(text)


@given(st.text(alphabet="0123456789.-/@:+() aA,", max_size=200))
@settings(max_examples=200, deadline=None)
def test_spans_lie_within_text_of_digits_and_signs(text):
    for span in RECOGNIZER.recognize(text):
        assert 0 <= span.start < span.end <= len(text)


REPEATS = {constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT}


def nested(code, value):
    """Yield the parts of one item of a parsed expression."""
    if code in REPEATS:
        yield value[2]
    elif code in {constants.ASSERT, constants.ASSERT_NOT}:
        yield value[1]
    elif code is constants.SUBPATTERN:
        yield value[-1]
    elif code is constants.ATOMIC_GROUP:
        yield value
    elif code is constants.BRANCH:
        yield from value[1]
    elif code is constants.GROUPREF_EXISTS:
        yield from filter(None, value[1:])


def endless(items, *, last=True):
    """Yield each repetition without an upper bound, and whether a match ends with it."""
    for place, (code, value) in enumerate(items):
        ends = last and place == len(items) - 1
        if code in REPEATS and value[1] is constants.MAXREPEAT:
            yield value[2], ends
        once = code not in REPEATS or value[1] == 1
        seen = code not in {constants.ASSERT, constants.ASSERT_NOT}  # what it reads is read again
        for part in nested(code, value):
            yield from endless(part, last=ends and once and seen)


def parsed(pattern):
    return parser.parse(pattern.regex.pattern, pattern.regex.flags)


def test_no_repetition_without_bound_holds_another_one():
    """Each of "(a+)+" doubles the ways to read one more character."""
    for pattern in STRUCTURED:
        for repeated, _ in endless(parsed(pattern)):
            assert not list(endless(repeated)), pattern.regex.pattern[:80]


def test_what_is_read_without_bound_is_read_once():
    """It ends a match, which the next one follows, or the text is the window of an anchor.

    Otherwise each place of a text reads all that follows, in vain: time grows with the square.
    """
    for pattern in STRUCTURED:
        if pattern.anchor is None:
            assert all(ends for _, ends in endless(parsed(pattern))), pattern.regex.pattern[:80]


@pytest.mark.parametrize(
    ("expression", "bounds"),
    [
        ("a{1,9}b", []),
        (r"www\.\S+", [True]),
        (r"(?:x|(?P<value>\d+))", [True]),
        (r"a(?:/\S*)?", [True]),
        (r"\d+x", [False]),
        (r"(?=\d+)", [False]),
        (r"(?:a+b?)", [False]),
        (r"(?:x\d++){0,3}", [False]),
        (r"(?>\w*)(?!\w)", [False]),
        (r"(?:\w+,)*", [True, False]),
    ],
)
def test_repetitions_without_bound_are_seen_where_they_are(expression, bounds):
    assert [ends for _, ends in endless(parser.parse(expression))] == bounds


def test_an_anchor_gives_disjoint_windows_that_end_at_white_space():
    anchor = Anchor(re.compile(r"\d"), before=2, after=1)
    text = "abcd 1efgh ij 2k lmn opq"
    windows = list(anchor.windows(text))
    assert [text[start:end] for start, end in windows] == ["d 1efgh", "j 2k"]
    assert list(anchor.windows("none")) == []


@given(st.text(alphabet="0123 ab:./-", max_size=150))
@settings(max_examples=200, deadline=None)
def test_windows_hold_every_anchor(text):
    anchor = Anchor(re.compile(r"\d+"), before=3, after=2)
    windows = list(anchor.windows(text))
    assert all(a[1] <= b[0] for a, b in pairwise(windows))
    for match in re.finditer(r"\d+", text):
        assert any(s <= match.start() and match.end() <= e for s, e in windows)


def test_words_of_a_match_can_name_its_type():
    pattern = Pattern(
        EntityType.ID, re.compile(r"(\w+) (?P<value>\d+)"), type_of=lambda m: EntityType(m[1])
    )
    assert [s.entity_type for s in pattern.find("AGE 12 US_SSN 34")] == ["AGE", "US_SSN"]


def test_fingerprint_changes_with_an_expression():
    one = Pattern(EntityType.ID, re.compile("a"))
    other = Pattern(EntityType.ID, re.compile("b"))
    first = PatternRecognizer([one]).fingerprint
    assert first == PatternRecognizer([one]).fingerprint
    assert first != PatternRecognizer([other]).fingerprint
