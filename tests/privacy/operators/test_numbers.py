"""Surrogates of numbers and of addresses of the net."""

from __future__ import annotations

import ipaddress
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sage_rag.privacy.operators.keyed import KeyedChoice, Ring
from sage_rag.privacy.operators.network import (
    surrogate_email,
    surrogate_ip,
    surrogate_mac,
    surrogate_url,
    surrogate_username,
)
from sage_rag.privacy.operators.numbers import (
    surrogate_card,
    surrogate_code,
    surrogate_iban,
    surrogate_national_id,
    surrogate_nhs,
    surrogate_ssn,
    surrogate_wallet,
)
from sage_rag.privacy.operators.phones import surrogate_phone
from sage_rag.privacy.recognizers.forms.checksums import iban, luhn, nhs, only_digits

CHOICE = KeyedChoice(bytes(32))


def shape(value: str) -> str:
    value = re.sub(r"\d", "9", value)
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", value))


@pytest.mark.parametrize(
    "value",
    ["+1 (202) 555-0134", "202-555-0134", "+49 30 1234567", "0044 20 7946 0018", "13812345678",
     "+86 138 1234 5678", "(713) 555-0190 x12", "030/1234567", "911"],
)  # fmt: skip
def test_a_phone_number_keeps_its_punctuation(value: str) -> None:
    found = surrogate_phone(value, CHOICE)
    assert found != value
    assert shape(found) == shape(value)


def test_phone_numbers_keep_country_and_agree_however_they_are_written() -> None:
    assert surrogate_phone("+49 30 1234567", CHOICE).startswith("+49 3")
    assert surrogate_phone("+852 2123 4567", CHOICE).startswith("+852 ")
    written = ["+1 (202) 481-7734", "202-481-7734", "1.202.481.7734"]
    assert len({only_digits(surrogate_phone(v, CHOICE))[-10:] for v in written}) == 1
    assert "555" in surrogate_phone("202-481-7734", CHOICE)
    local, abroad = (
        surrogate_phone("030 1234567", CHOICE),
        surrogate_phone("+49 30 1234567", CHOICE),
    )
    assert local[-7:] == abroad[-7:]


def test_a_chinese_mobile_number_stays_one() -> None:
    assert re.fullmatch(r"13\d{9}", surrogate_phone("13812345678", CHOICE))


@given(st.integers(0, 10**14 - 1))
def test_a_card_stays_valid(number: int) -> None:
    body = f"4{number:014d}"
    card = next(body + str(d) for d in range(10) if luhn(body + str(d)))
    found = surrogate_card(card, CHOICE)
    assert luhn(found)
    assert found != card
    assert len(found) == len(card)


@pytest.mark.parametrize("value", ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"])
def test_an_iban_stays_valid(value: str) -> None:
    found = surrogate_iban(value, CHOICE)
    assert iban(found.replace(" ", ""))
    assert found[:2] == value[:2]
    assert found != value
    assert shape(found) == shape(value)


@given(st.integers(0, 10**9 - 1))
def test_a_social_security_number_keeps_its_shape(number: int) -> None:
    found = surrogate_ssn(f"{number:09d}", CHOICE)
    area, group, serial = int(found[:3]), int(found[3:5]), int(found[5:])
    assert 0 < area < 900
    assert area != 666
    assert group
    assert serial


def test_a_health_number_is_valid_and_of_the_range_for_tests() -> None:
    found = surrogate_nhs("943 476 5919", CHOICE)
    assert nhs(found)
    assert re.fullmatch(r"999 \d{3} \d{4}", found)


def test_a_chinese_resident_id_keeps_a_checksum_and_a_date() -> None:
    found = surrogate_national_id("11010519491231002X", CHOICE)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    assert (
        "10X98765432"[sum(int(c) * w for c, w in zip(found, weights, strict=False)) % 11]
        == found[-1]
    )
    assert 1940 <= int(found[6:10]) <= 2009
    assert found != "11010519491231002X"


@pytest.mark.parametrize(
    "value",
    ["AB-1234/19", "Application no. 4711/05", "MRN 0044719", "京A12345", "x7", "KA 19 EQ 1316"],
)
def test_a_code_keeps_its_pattern(value: str) -> None:
    found = surrogate_code(value, CHOICE)
    assert found != value
    assert shape(found)[1:] == shape(value)[1:]
    assert not set(re.findall(r"\d{3,}", found)) & set(re.findall(r"\d{3,}", value))


def test_words_that_say_what_a_code_is_stay() -> None:
    assert surrogate_code("Application no. 4711/05", CHOICE).startswith("Application no. ")


def test_a_uuid_stays_hexadecimal() -> None:
    found = surrogate_code("123e4567-e89b-12d3-a456-426614174000", CHOICE)
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", found)


def test_codes_that_differ_in_case_and_punctuation_only_agree() -> None:
    one, other = surrogate_code("AB 12-34", CHOICE), surrogate_code("ab1234", CHOICE)
    assert re.sub(r"\W", "", one).lower() == other


@example("ID:")
@example("no. of the plate")
@given(st.text(min_size=1, max_size=20))
def test_a_code_is_never_itself_unless_it_holds_nothing(value: str) -> None:
    if re.search(r"[^\W_]", value):
        assert surrogate_code(value, CHOICE) != value or not any(c.isalnum() for c in value)


def test_a_wallet_keeps_its_kind() -> None:
    found = surrogate_wallet("0x52908400098527886E0F7030069857D2E4169EE7", CHOICE)
    assert re.fullmatch("0x[0-9a-f]{40}", found)


def test_an_email_address_lies_in_a_domain_for_examples() -> None:
    found = surrogate_email("maria.keller@clinic.de", CHOICE)
    assert re.fullmatch(r"[a-z]+\.[a-z]+@example\.(com|net|org)", found)
    assert surrogate_email("Maria.Keller@Clinic.DE", CHOICE) == found


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("https://www.keller-clinic.de/a?id=3", r"https://www\.\w+\.example\.\w{3}/[0-9a-f]{10}"),
        ("keller-clinic.de", r"\w+\.example\.\w{3}"),
        ("ftp://keller.de/", r"ftp://\w+\.example\.\w{3}/"),
    ],
)
def test_a_web_address_lies_in_a_domain_for_examples(value: str, pattern: str) -> None:
    assert re.fullmatch(pattern, surrogate_url(value, CHOICE))


@given(st.ip_addresses())
def test_an_ip_address_lies_in_a_range_for_documentation(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    nets = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"]
    found = ipaddress.ip_address(surrogate_ip(str(address), CHOICE))
    assert found != address
    assert any(found in ipaddress.ip_network(net) for net in nets)


def test_a_port_and_a_prefix_length_stay() -> None:
    assert surrogate_ip("10.0.0.1:8080", CHOICE).endswith(":8080")
    assert surrogate_ip("10.0.0.0/8", CHOICE).endswith("/8")
    assert re.fullmatch(r"[\d.]+", surrogate_ip("not an address", CHOICE))


def test_a_hardware_address_is_nobodys() -> None:
    assert surrogate_mac("AA:BB:CC:00:11:22", CHOICE).startswith("02:")
    assert re.fullmatch(
        r"02[0-9a-f]{2}\.[0-9a-f]{4}\.[0-9a-f]{4}", surrogate_mac("aabb.cc00.1122", CHOICE)
    )


def test_a_user_name_keeps_its_at_sign_and_number_of_digits() -> None:
    assert re.fullmatch(r"@[a-z]+\d\d", surrogate_username("@jdoe92", CHOICE))


def test_a_ring_moves_few_values_when_a_candidate_comes() -> None:
    names = [f"name{i}" for i in range(200)]
    before, after = Ring(names), Ring([*names, "newcomer"])
    points = [CHOICE.digest("t", str(i)) for i in range(2000)]
    moved = [p for p in points if before.pick(p, "") != after.pick(p, "")]
    assert {after.pick(p, "") for p in moved} <= {"newcomer"}
    assert len(moved) < 100


def test_a_ring_avoids_the_value_and_needs_a_choice() -> None:
    assert {Ring(["a", "b"]).pick(CHOICE.digest(str(i)), "A") for i in range(20)} == {"b"}
    with pytest.raises(ValueError, match="two"):
        Ring(["a"])
