"""Protecting and restoring."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import ProtectionError
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.calendar import WrittenDate
from sage_rag.privacy.operators.dates import Calendar
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import parse_policy, preset
from sage_rag.privacy.protect import ProtectedText, Protector, seal
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer

KEYSET = Keyset.generate()
CIPHER = SivCipher(KEYSET, "clinic")
RESTORER = Restorer(CIPHER)
TABLE = {
    "Ada Novak": EntityType.PERSON,
    "Ada": EntityType.PERSON,
    "Bern": EntityType.LOCATION,
    "ada@example.org": EntityType.EMAIL_ADDRESS,
    "44": EntityType.AGE,
    "12 May 2021": EntityType.DATE_TIME,
    "_[x]": EntityType.ID,
}
EVERYTHING = Protector(TableRecognizer(TABLE), preset("soe-all"), CIPHER)
TOKEN = CIPHER.encrypt("Eve", EntityType.PERSON)

HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *TABLE,
                TOKEN,
                "[PERSON_1]",
                "PERSON_[AAAA]",
                "PERSON_[",
                "[",
                "]",
                "PERSON",
                "SOURCE_",
            ]
        ),
        st.text(max_size=8),
    ),
    max_size=10,
).map("".join)


def test_white_space_that_an_overlap_leaves_over_stays_in_the_text() -> None:
    class Overlapping:
        fingerprint = "overlapping"

        def recognize(self, text: str) -> list[Span]:
            return [Span(0, 6, EntityType.PERSON), Span(4, 18, EntityType.ID)]

    found = Protector(Overlapping(), preset("redact-all"), CIPHER).protect(
        {"t": "Ada 44-55-66-77-88"}
    )
    assert found.protected.text == "<PERSON> <ID>"


@given(HOSTILE)
def test_restoring_gives_back_exactly_what_was_encrypted(text: str) -> None:
    assert RESTORER.restore(EVERYTHING.pseudonymize(text)) == text


@given(HOSTILE)
def test_sealing_placeholders_and_restoring_gives_back_the_record(text: str) -> None:
    protection = EVERYTHING.protect({"text": text})
    sealed = seal(protection.protected.text, protection.tokens)
    assert RESTORER.restore(sealed) == text


@pytest.mark.slow
@given(st.text(max_size=200))
def test_the_default_recognizer_round_trips_any_text(text: str) -> None:
    protector = Protector(default_recognizer(), preset("soe-all"), CIPHER)
    assert RESTORER.restore(protector.pseudonymize(text)) == text


def test_a_value_too_long_for_one_token_becomes_several() -> None:
    value = "\U0001f600" * 5000
    protector = Protector(TableRecognizer({value: EntityType.URL}), preset("sage"), CIPHER)
    sent = protector.pseudonymize(f"see {value}!")
    assert "\U0001f600" not in sent
    assert RESTORER.restore(sent) == f"see {value}!"


def test_equal_values_share_a_placeholder_across_fields() -> None:
    protection = EVERYTHING.protect({"question": "Ada of Bern", "answer": "Dear Ada"})
    assert protection.protected.fields == {
        "question": "[PERSON_1] of [LOCATION_1]",
        "answer": "Dear [PERSON_1]",
    }


def test_the_sage_policy_coarsens_ages_and_dates() -> None:
    protector = Protector(TableRecognizer(TABLE), preset("sage"), CIPHER)
    protected = protector.protect({"text": "seen 12 May 2021, aged 44"}).protected
    assert protected.text == "seen May 2021, aged 40-49"


@pytest.mark.parametrize(
    ("value", "entity_type", "text"),
    [
        ("68", EntityType.AGE, "the liver value was 68"),
        ("3", EntityType.AGE, "Session: 3"),
        ("212lbs", EntityType.AGE, "I am 212lbs"),
        ("10.5.20.19", EntityType.DATE_TIME, "login from 10.5.20.19"),
        ("10:30", EntityType.DATE_TIME, "the alarm rang at 10:30"),
        ("3rd of last month", EntityType.DATE_TIME, "since the 3rd of last month"),
    ],
)
def test_a_value_that_is_not_proven_to_be_of_its_type_is_restorable_or_left_out(
    value: str, entity_type: EntityType, text: str
) -> None:
    recognizer = TableRecognizer({value: entity_type})
    protection = Protector(recognizer, preset("sage"), CIPHER).protect({"text": text})
    assert protection.protected.text == text.replace(value, f"[{entity_type}_1]")
    assert RESTORER.restore(seal(protection.protected.text, protection.tokens)) == text
    surrogates = Surrogates(KEYSET, "clinic")
    irreversible = Protector(recognizer, preset("surrogates"), CIPHER, surrogates)
    assert irreversible.pseudonymize(text) == text.replace(value, f"<{entity_type}>")


def test_where_nothing_is_restorable_an_unread_date_is_redacted() -> None:
    recognizer = TableRecognizer({"3/4": EntityType.DATE_TIME, "95": EntityType.AGE})
    protector = Protector(recognizer, preset("hipaa-safe-harbor"), CIPHER)
    assert protector.pseudonymize("on 3/4 it was 95") == "on <DATE_TIME> it was <AGE>"


def test_redacting_leaves_nothing_to_restore() -> None:
    protector = Protector(TableRecognizer(TABLE), preset("redact-all"), CIPHER)
    assert protector.pseudonymize("Ada Novak of Bern") == "<PERSON> of <LOCATION>"


def test_a_kept_span_never_uncovers_a_shorter_private_one() -> None:
    policy = parse_policy("mine", '[operators]\nMISC = "keep"\nDATE_TIME = "keep"')
    table = {"the Ada Novak Act of 12 May 2021": EntityType.MISC, **TABLE}
    protector = Protector(TableRecognizer(table), policy, CIPHER)
    protection = protector.protect({"text": "see the Ada Novak Act of 12 May 2021"})
    assert protection.protected.text == "see the [PERSON_1] Act of 12 May 2021"
    assert [i.value for i in protection.identifiers] == ["Ada Novak"]


def test_a_kept_span_inside_a_private_one_stays_hidden() -> None:
    policy = parse_policy("mine", '[operators]\nAGE = "keep"')
    table = {"44": EntityType.AGE, "44 Elm Street": EntityType.LOCATION}
    sent = Protector(TableRecognizer(table), policy, CIPHER).pseudonymize("44, at 44 Elm Street")
    assert sent.startswith("44, at LOCATION_[")
    assert RESTORER.restore(sent) == "44, at 44 Elm Street"


LINKED = Protector(
    TableRecognizer(
        dict.fromkeys(["Maria Keller", "Keller", "Maria", "Paul Keller"], EntityType.PERSON)
    ),
    preset("sage"),
    CIPHER,
)


def test_linked_mentions_share_the_placeholder_of_the_fullest_name() -> None:
    protection = LINKED.protect({"a": "Ms Keller rang.", "b": "Maria Keller, or Maria"})
    assert protection.protected.fields == {
        "a": "Ms [PERSON_1] rang.",
        "b": "[PERSON_1], or [PERSON_1]",
    }
    assert CIPHER.decrypt(protection.tokens["[PERSON_1]"]) == "Maria Keller"
    assert {i.value for i in protection.identifiers} == {"Keller", "Maria Keller", "Maria"}


def test_titles_before_a_name_keep_a_couple_apart() -> None:
    text = "Maria Keller and Paul Keller: Mr Keller rang, Mrs Keller did not."
    fields = LINKED.protect({"text": text}).protected.fields
    assert fields["text"] == (
        "[PERSON_1] and [PERSON_2]: Mr [PERSON_2] rang, Mrs [PERSON_1] did not."
    )


def test_exact_mentions_and_texts_for_travel_keep_their_own() -> None:
    text = "Ms Keller is Maria Keller"
    exact = Protector(LINKED._recognizer, preset("soe-all"), CIPHER).protect({"text": text})
    assert len(exact.tokens) == 2
    assert RESTORER.restore(seal(exact.protected.text, exact.tokens)) == text
    assert RESTORER.restore(LINKED.pseudonymize(text)) == text


STAND_INS = Protector(
    TableRecognizer(TABLE | {"3 June 2021": EntityType.DATE_TIME}), preset("surrogates"), CIPHER,
    Surrogates(KEYSET, "clinic"),
)  # fmt: skip


def test_surrogates_are_the_same_in_every_record_and_known_to_the_owner() -> None:
    one = STAND_INS.protect({"text": "Ada Novak of Bern"})
    other = STAND_INS.protect({"text": "ask Ada Novak"})
    name = other.protected.text.removeprefix("ask ")
    assert one.protected.text.startswith(name + " of ")
    assert name in one.surrogates & other.surrogates
    assert "Novak" not in one.protected.text
    assert not one.tokens
    assert {i.value for i in one.identifiers} == {"Ada Novak", "Bern"}
    assert name not in repr(one)


def test_the_dates_of_a_record_move_together_and_those_of_another_apart() -> None:
    texts = [f"record {i}: 12 May 2021, then 3 June 2021" for i in range(8)]
    shifts = set()
    for text in texts:
        found = STAND_INS.protect({"text": text}).protected.text.split(": ")[1].split(", then ")
        first, second = (WrittenDate(d).named.as_date() for d in found)  # type: ignore[union-attr]
        assert first is not None
        assert second is not None
        assert (second - first).days == 22
        shifts.add((first - date(2021, 5, 12)).days)
    assert len(shifts) > 4
    assert 0 not in shifts


def test_days_count_from_the_first_date_of_the_record() -> None:
    policy = parse_policy(
        "p", '[operators]\nDATE_TIME = { operator = "generalize", to = "offset" }'
    )
    table = {"12 May 2021": EntityType.DATE_TIME, "24 May 2021": EntityType.DATE_TIME}
    protector = Protector(TableRecognizer(table), policy, CIPHER)
    fields = protector.protect({"a": "on 24 May 2021", "b": "since 12 May 2021"}).protected.fields
    assert fields == {"a": "on day 12", "b": "since day 0"}


def test_a_policy_with_surrogates_needs_them() -> None:
    with pytest.raises(ValueError, match="needs surrogates"):
        Protector(TableRecognizer({}), preset("surrogates"), CIPHER)


def test_the_fingerprint_changes_with_policy_and_where_it_counts_with_the_key() -> None:
    def fingerprint(policy: str, keyset: Keyset) -> str:
        surrogates = Surrogates(keyset, "clinic")
        return Protector(TableRecognizer({}), preset(policy), CIPHER, surrogates).fingerprint

    other = Keyset.generate()
    assert fingerprint("sage", KEYSET) == fingerprint("sage", other)
    assert fingerprint("sage", KEYSET) != fingerprint("soe-all", KEYSET)
    assert fingerprint("surrogates", KEYSET) != fingerprint("surrogates", other)


def test_an_operator_that_breaks_fails_closed_and_tells_nothing() -> None:
    class Broken(Surrogates):
        def surrogate(self, value: str, entity_type: EntityType, calendar: Calendar) -> str:
            raise RuntimeError(f"no idea about {value}")

    surrogates = Broken(KEYSET, "clinic")
    protector = Protector(TableRecognizer(TABLE), preset("surrogates"), CIPHER, surrogates)
    with pytest.raises(ProtectionError) as caught:
        protector.protect({"text": "Ada Novak"})
    assert "ada" not in str(caught.value).lower()
    assert caught.value.__suppress_context__


def test_a_failing_recognizer_fails_closed_and_tells_nothing() -> None:
    protector = Protector(FailingRecognizer(), preset("sage"), CIPHER)
    with pytest.raises(ProtectionError) as caught:
        protector.pseudonymize("Ada Novak")
    assert "Ada" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_recognizer_that_points_outside_the_text_fails_closed() -> None:
    class Astray:
        fingerprint = "astray"

        def recognize(self, text: str) -> list[Span]:
            return [Span(2, 2, EntityType.PERSON)]

    with pytest.raises(ProtectionError):
        Protector(Astray(), preset("sage"), CIPHER).pseudonymize("Ada")


def test_only_this_module_builds_protected_text() -> None:
    with pytest.raises(TypeError, match=r"only sage_rag\.privacy\.protect"):
        ProtectedText({"text": "Ada Novak"}, frozenset(), object())


def test_no_repr_shows_a_plain_value() -> None:
    protection = EVERYTHING.protect({"text": "Ada Novak"})
    assert "Ada" not in repr(protection) + repr(protection.identifiers) + repr(protection.protected)


def test_an_invented_placeholder_cannot_be_sealed() -> None:
    protection = EVERYTHING.protect({"text": "Ada"})
    with pytest.raises(ProtectionError, match=r"PERSON_7"):
        seal("[PERSON_1] met [PERSON_7]", protection.tokens)


def test_a_damaged_or_foreign_token_is_shown_as_unreadable() -> None:
    foreign = SivCipher(Keyset.generate(), "clinic").encrypt("Eve", EntityType.PERSON)
    assert RESTORER.restore(f"{foreign} and PERSON_[oops]") == (
        "[PERSON: unreadable] and [PERSON: unreadable]"
    )


class NeighbourRecognizer:
    """Takes "Ada" for a person, and "Grove" only where no name stands before it."""

    fingerprint = "neighbour"

    def recognize(self, text):
        table = {"Ada": EntityType.PERSON} if "Ada" in text else {"Grove": EntityType.PERSON}
        return TableRecognizer(table).recognize(text)


def test_text_that_is_published_as_it_stands_is_read_until_nothing_new_is_found():
    protector = Protector(NeighbourRecognizer(), preset("soe-all"), CIPHER)
    once = protector.protect({"q": "Ada Grove came, and the grove is green."})
    assert once.protected.text == "[PERSON_1] Grove came, and the grove is green."
    again = protector.protect({"q": "Ada Grove came, and the grove is green."}, passes=4)
    assert again.protected.text == "[PERSON_1] [PERSON_2] came, and the grove is green."
    assert [i.value for i in again.identifiers] == ["Ada", "Grove"]


def test_a_vague_time_is_no_stand_in_that_could_hide_a_name() -> None:
    values = {"nine days": EntityType.DATE_TIME, "Some Days Cafe": EntityType.ORGANIZATION}
    protector = Protector(
        TableRecognizer(values), preset("surrogates"), CIPHER, Surrogates(KEYSET, "clinic")
    )
    protection = protector.protect({"text": "For nine days I was at Some Days Cafe."})
    assert "For several days I was at" in protection.protected.text
    assert "several days" not in protection.surrogates
    assert len(protection.surrogates) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("2024-03-05 62.25.204.15 login failed", ["DATE_TIME", "IP_ADDRESS"]),
        ("DOB 07.08.1962 536-90-4399", ["DATE_TIME", "US_SSN"]),
        ("Meeting 05.06.2024 07.06.2024", ["DATE_TIME", "DATE_TIME"]),
        ("At 10:31 4485527627509597 was charged.", ["DATE_TIME", "CREDIT_CARD"]),
        ("Order 12 4485527627509597 paid", ["CREDIT_CARD"]),
        ("| 291-59-8001 | 1960-02-03 |", ["US_SSN", "DATE_TIME"]),
        ("Call 7|3 555 O123 now", ["PHONE_NUMBER"]),
        ("Ref 04 11.148.28.20", ["ID", "ID", "IP_ADDRESS"]),
        ("call (713) 853-1234-02", ["PHONE_NUMBER"]),
        ("tel 12-34-5678-90", ["PHONE_NUMBER"]),
        ("on the third of last month", ["DATE_TIME"]),
    ],
)
def test_values_next_to_each_other_have_their_own_types(text: str, types: list[str]) -> None:
    protector = Protector(default_recognizer(), preset("soe-all"), CIPHER)
    shown = protector.protect({"text": text}).protected.fields["text"]
    assert re.findall(r"\[([A-Z_]+)_\d+\]", shown) == types
