"""Policies, presets and spans."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import TAGGED, EntityType, Identifiability, identifiability
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import (
    Operator,
    Policy,
    load_policy,
    parse_policy,
    preset,
    preset_names,
)
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.spans import GENERIC, SPECIFIC, Span, resolve_overlaps
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.privacy.tokens import TOKEN
from sage_rag.privacy.words import normalize

T = EntityType
KEYSET = Keyset.generate()
CIPHER, SURROGATES = SivCipher(KEYSET, "clinic"), Surrogates(KEYSET, "clinic")
EXAMPLES = {
    T.PERSON: "Maria Keller", T.USERNAME: "mkeller84", T.EMAIL_ADDRESS: "maria@keller.de",
    T.PHONE_NUMBER: "+1 202 481 7734", T.URL: "https://keller.de/me", T.IP_ADDRESS: "10.1.2.3",
    T.MAC_ADDRESS: "aa:bb:cc:00:11:22", T.CREDIT_CARD: "4111 1111 1111 1111",
    T.IBAN_CODE: "DE89370400440532013000", T.BANK_ACCOUNT: "0044719123",
    T.CRYPTO: "0x52908400098527886E0F7030069857D2E4169EE7", T.US_SSN: "123-45-6789",
    T.UK_NHS: "943 476 5919", T.NATIONAL_ID: "85073003328", T.PASSPORT: "C01X00T47",
    T.DRIVER_LICENSE: "F255-921-50", T.MEDICAL_LICENSE: "BB1388568", T.MEDICAL_RECORD: "MRN-4471902",
    T.CASE_NUMBER: "4711/05", T.VEHICLE: "ABC 1234", T.SECRET: "hunter2hunter2", T.ID: "EMP-00912",
    T.LOCATION: "Austin, TX", T.ORGANIZATION: "Lake Clinic", T.DATE_TIME: "12 March 2021",
    T.AGE: "aged 93", T.QUANTITY: "EUR 12,345", T.DEMOGRAPHIC: "nurse", T.MISC: "the Mercy Act",
    T.SPECIAL_CATEGORY: "Turkish", T.SOURCE: "file-77", T.LITERAL: "LIT-1",
}  # fmt: skip
DIRECT = {t for t in T if identifiability(t) is Identifiability.DIRECT}
TECHNICAL = {T.SOURCE, T.LITERAL}
TOLD = {T.QUANTITY, T.DEMOGRAPHIC, T.MISC}
EXPECTED: dict[str, tuple[str, dict[str, set[T]], dict[T, str]]] = {
    "sage": ("token", {"keep": TOLD}, {T.AGE: "aged 90 or more", T.DATE_TIME: "March 2021"}),
    "soe-pl": ("keep", {"token": {T.PERSON, T.LOCATION}}, {}),
    "soe-all": ("token", {}, {}),
    "redact-all": ("mark", {}, {}),
    "hipaa-safe-harbor": (
        "mark", {"keep": TOLD | {T.SPECIAL_CATEGORY}},
        {T.AGE: "aged 90 or more", T.DATE_TIME: "2021", T.LOCATION: "Texas"},
    ),
    "surrogates": ("surrogate", {"keep": TOLD, "mark": {T.SPECIAL_CATEGORY}}, {}),
    "control-codes": ("surrogate", {"keep": {T.MISC}}, {}),
    "court": (
        "token", {},
        {T.AGE: "aged 90 or more", T.DATE_TIME: "day 0", T.QUANTITY: "about EUR 10,000"},
    ),
    "hospital": (
        "token", {"keep": {T.QUANTITY}}, {T.AGE: "aged 90 or more", T.DATE_TIME: "day 0"},
    ),
}  # fmt: skip
"""What happens to most types, to which others what else, and the text where it is fixed."""


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("entity_type", T)
def test_every_preset_does_to_every_type_what_it_says(name: str, entity_type: T) -> None:
    value = EXAMPLES[entity_type]
    protector = Protector(TableRecognizer({value: entity_type}), preset(name), CIPHER, SURROGATES)
    found = protector.pseudonymize(f"<< {value} >>").removeprefix("<< ").removesuffix(" >>")
    default, others, fixed = EXPECTED[name]
    if entity_type in fixed:
        assert found == fixed[entity_type]
        return
    fate = next((fate for fate, types in others.items() if entity_type in types), default)
    if entity_type in TECHNICAL:
        fate = "token"
    if fate == "keep":
        assert found == value
    elif fate == "mark":
        assert found == f"<{entity_type}>"
    elif fate == "token":
        assert CIPHER.decrypt(found) == value
    else:
        assert normalize(found) != normalize(value)
        assert not TOKEN.search(found)
        assert "<" not in found


def test_all_presets_are_walked() -> None:
    assert set(EXPECTED) == set(preset_names())
    assert set(EXAMPLES) == set(T)


def test_only_the_policy_that_says_so_keeps_direct_identifiers() -> None:
    keeping = {
        n for n in preset_names() if any(preset(n).operator(t) is Operator.KEEP for t in DIRECT)
    }
    assert keeping == {"soe-pl"}


def test_mentions_are_linked_by_default_and_exact_where_texts_must_come_back() -> None:
    assert preset("sage").mentions == "linked"
    assert preset("soe-pl").mentions == preset("soe-all").mentions == "exact"


@pytest.mark.parametrize("source", [
    '[operators]\nPERSON = "keep"\n',
    '[operators]\nPERSON = { operator = "keep" }\n',
    'default = "keep"',
])  # fmt: skip
def test_a_policy_that_keeps_direct_identifiers_needs_an_explicit_word(source: str) -> None:
    with pytest.raises(InputError, match="PERSON") as caught:
        parse_policy("mine", source)
    assert "allow_plain_direct_identifiers = true" in str(caught.value.hint)
    parse_policy("mine", "allow_plain_direct_identifiers = true\n" + source)


@pytest.mark.parametrize(
    ("source", "message", "hint"),
    [
        ("= x", "not valid TOML", None),
        ("defualt = 'encrypt'", "unknown `defualt`", "default"),
        ("default = 3", "no operator", "encrypt"),
        ('default = "hide"', "unknown `hide`", "surrogate"),
        ('default = "generalize"', "PERSON: cannot be generalized", "DATE_TIME"),
        ('default = "surrogate"', "MISC: has no surrogates", "another"),
        ('mentions = "some"', "unknown `some`", "linked"),
        ("mentions = 1", "unknown `1`", "linked"),
        ("allow_plain_direct_identifiers = 'yes'", "true or false", None),
        ("operators = 1", "not a table", "operators"),
        ('[operators]\nNAME = "encrypt"', "unknown `NAME`", "PERSON"),
        ('[operators]\nLITERAL = "encrypt"', "unknown `LITERAL`", "PERSON"),
        ('[operators]\nAGE = { to = "band" }', "AGE: no operator", "encrypt"),
        (
            '[operators]\nAGE = { operator = "generalize", too = "band" }',
            "AGE: unknown `too`",
            "to",
        ),
        (
            '[operators]\nAGE = { operator = "generalize", to = "year" }',
            "AGE: unknown `year`",
            "band",
        ),
        ('[operators]\nAGE = { operator = "generalize", to = 3 }', "AGE: `to`", None),
        ('[operators]\nAGE = { operator = "redact", to = "band" }', "`to` belongs", None),
        ('[operators]\nAGE = { operator = ["redact"] }', "unknown", "redact"),
        ('[operators]\nAGE = { operator = "generalize", figures = 2 }', "`figures` belongs", None),
        ('[operators]\nQUANTITY = { operator = "generalize", figures = 0 }', "from 1 to 15", None),
        (
            '[operators]\nQUANTITY = { operator = "generalize", figures = true }',
            "whole number",
            None,
        ),
        ('[operators]\nDATE_TIME = { operator = "generalize", days = 3 }', "`days` belongs", None),
        ('[operators]\nDATE_TIME = { operator = "surrogate", days = 99999 }', "36500", None),
    ],
)
def test_a_faulty_policy_is_one_clear_error(source: str, message: str, hint: str | None) -> None:
    with pytest.raises(InputError, match="policy `mine`") as caught:
        parse_policy("mine", source)
    assert message in caught.value.message
    assert hint is None or hint in str(caught.value.hint)


@given(st.text(max_size=60))
def test_any_text_is_a_policy_or_our_error(source: str) -> None:
    with suppress(InputError):
        parse_policy("mine", source)


WORDS = st.one_of(
    st.sampled_from([*Operator, "year", "band", "to", *T]), st.booleans(), st.integers()
)


@given(
    st.dictionaries(
        st.sampled_from(["default", "mentions", "allow_plain_direct_identifiers", "x"]),
        st.one_of(WORDS, st.lists(WORDS, max_size=2)),
    ),
    st.dictionaries(
        st.sampled_from(T),
        st.one_of(
            WORDS,
            st.dictionaries(st.sampled_from(["operator", "to", "days", "figures"]), WORDS),
        ),
    ),
)
def test_any_toml_is_a_policy_or_our_error(top: dict[str, object], table: dict[T, object]) -> None:
    lines = [f"{k} = {toml(v)}" for k, v in top.items()]
    lines += ["[operators]", *(f"{k} = {toml(v)}" for k, v in table.items())]
    try:
        policy = parse_policy("mine", "\n".join(lines))
    except InputError:
        return
    assert {policy.operator(t) for t in T} <= set(Operator)


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    return str(value)


def test_equal_policies_are_equal_and_every_setting_changes_the_fingerprint() -> None:
    assert preset("sage") == preset("sage")
    assert hash(preset("sage")) == hash(preset("sage"))
    quantity = '[operators]\nQUANTITY = {{ operator = "generalize", figures = {} }}'
    sources = [
        "",
        'mentions = "linked"',
        'default = "redact"',
        '[operators]\nDATE_TIME = "generalize"',
        '[operators]\nDATE_TIME = { operator = "generalize", to = "year" }',
        '[operators]\nDATE_TIME = { operator = "surrogate", days = 30 }',
        quantity.format(1),
        quantity.format(3),
    ]
    assert len({parse_policy("p", s).fingerprint for s in sources}) == len(sources)


def test_a_policy_can_be_ones_own_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('default = "redact"\n')
    assert load_policy(str(file)).operator(T.PERSON) is Operator.REDACT
    assert load_policy(str(file)).name == "mine"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert load_policy(str(file)).operator(T.PERSON) is Operator.REDACT
    assert load_policy("sage") == preset("sage")
    with pytest.raises(InputError, match=r"none\.toml"):
        load_policy(str(tmp_path / "none.toml"))


def test_an_unknown_preset_names_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        preset("none")
    assert "sage" in str(caught.value.hint)


SPANS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 8), st.sampled_from(EntityType)).map(
        lambda s: Span(s[0], s[0] + s[1], s[2])
    ),
    max_size=8,
)


@given(SPANS)
def test_resolving_keeps_every_character_covered_and_no_overlap(spans: list[Span]) -> None:
    kept = resolve_overlaps(spans)
    covered = [place for span in kept for place in range(span.start, span.end)]
    assert len(covered) == len(set(covered))
    assert set(covered) == {place for s in spans for place in range(s.start, s.end)}
    assert kept == sorted(kept, key=lambda s: s.start)


def test_a_specific_type_beats_every_generic_one_of_about_the_same_extent() -> None:
    """Card, SSN, IBAN, IP address and the rest: what a tagger calls them does not count."""
    assert {*SPECIFIC, *TAGGED, T.SPECIAL_CATEGORY} == set(T)
    assert T.ID not in SPECIFIC
    for specific, generic in product(SPECIFIC, GENERIC):
        value = Span(10, 21, specific, 0.3)
        for start, end in ((10, 21), (6, 21), (10, 22), (9, 24), (12, 21), (5, 16), (15, 26)):
            other = Span(start, end, generic, 1.0)
            kept = next(s for s in resolve_overlaps([other, value]) if s.entity_type is specific)
            assert kept.start <= 10, (specific, generic, start, end)
            assert kept.end >= 21, (specific, generic, start, end)


def test_no_other_span_cuts_a_specific_one() -> None:
    for specific, other in product(SPECIFIC, TAGGED):
        value, longer = Span(30, 49, specific, 0.5), Span(0, 34, other, 1.0)
        expected = [Span(0, 30, other, 1.0), value]
        assert resolve_overlaps([longer, value]) == expected, (specific, other)


def test_a_name_around_a_specific_value_is_not_cut() -> None:
    """The account holder Vilma Holm is no user called Vilma."""
    name, user = Span(0, 10, T.PERSON, 0.8), Span(0, 5, T.USERNAME, 0.85)
    assert resolve_overlaps([name, user]) == [name]


def test_a_generic_span_that_is_much_longer_wins_over_a_specific_one() -> None:
    address, number = Span(0, 40, T.LOCATION, 0.9), Span(20, 32, T.PHONE_NUMBER, 0.9)
    assert resolve_overlaps([number, address]) == [address]


def test_a_specific_value_takes_the_whole_of_the_code_around_it() -> None:
    spans = [Span(0, 11, T.ID, 0.99), Span(4, 11, T.MEDICAL_RECORD, 0.85), Span(0, 3, T.PERSON)]
    assert resolve_overlaps(spans) == [Span(0, 11, T.MEDICAL_RECORD, 0.85)]


def test_a_sure_form_wins_over_a_name_that_contains_little_else() -> None:
    """A tagger calls "IBAN DE89..." a PERSON."""
    name, account = Span(0, 27, T.PERSON, 0.99), Span(5, 27, T.IBAN_CODE, 0.97)
    assert resolve_overlaps([name, account]) == [Span(0, 27, T.IBAN_CODE, 0.97)]


def test_the_longer_span_wins_and_the_rest_stays_covered() -> None:
    name, mail = Span(0, 9, EntityType.PERSON), Span(6, 20, EntityType.EMAIL_ADDRESS)
    assert resolve_overlaps([name, mail]) == [Span(0, 6, EntityType.PERSON), mail]


def test_thresholds_are_read_and_change_no_protected_text_of_the_policy_itself() -> None:
    plain = parse_policy("mine", 'default = "encrypt"')
    lower = parse_policy("mine", 'default = "encrypt"\n[thresholds]\nPERSON = 0.05\nAGE = 1')
    assert lower.thresholds == {T.PERSON: 0.05, T.AGE: 1.0}
    assert (plain.thresholds, plain.fingerprint) == ({}, lower.fingerprint)


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ("thresholds = 3", "not a table"),
        ("[thresholds]\nPERSN = 0.1", "unknown `PERSN`"),
        ("[thresholds]\nEMAIL_ADDRESS = 0.1", "unknown `EMAIL_ADDRESS`"),
        ("[thresholds]\nPERSON = 0", "above 0"),
        ("[thresholds]\nPERSON = 1.5", "1 at most"),
        ("[thresholds]\nPERSON = true", "is a number"),
        ('[thresholds]\nPERSON = "low"', "is a number"),
        ("[thresholds]\nPERSON = nan", "is a number"),
    ],
)
def test_faulty_thresholds_are_refused(table: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_policy("mine", table)


@pytest.mark.parametrize("name", preset_names())
def test_a_policy_is_read_back_from_json(name: str) -> None:
    policy = preset(name)
    found = Policy.from_json(json.loads(json.dumps(policy.to_json())))
    assert found == policy
    assert (found.mentions, found.part_words) == (policy.mentions, policy.part_words)


def test_a_type_that_a_stored_policy_does_not_know_is_encrypted() -> None:
    stored = preset("soe-pl").to_json()
    del stored["choices"]["QUANTITY"]
    assert preset("soe-pl").operator(EntityType.QUANTITY) is not Operator.ENCRYPT
    assert Policy.from_json(stored).operator(EntityType.QUANTITY) is Operator.ENCRYPT


@pytest.mark.parametrize("name", preset_names())
def test_a_policy_can_be_made_no_weaker_than_another(name: str) -> None:
    least = preset("sage")
    found = preset(name).no_weaker_than(least)
    hides = {Operator.ENCRYPT, Operator.REDACT, Operator.SURROGATE}
    for t, choice in found.choices.items():
        own = preset(name).choices[t].operator
        assert choice.operator not in {Operator.KEEP} - {least.choices[t].operator}
        assert (choice.operator in hides) == (own in hides or least.choices[t].operator in hides)
