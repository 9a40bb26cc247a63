"""Protecting and restoring."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType
from privacy.exceptions import ProtectionError
from privacy.keyset.keyset import Keyset
from privacy.policy import preset
from privacy.protect import ProtectedText, Protector, Restorer, seal
from privacy.recognizers.default import default_recognizer
from privacy.spans import Span
from privacy.testing import FailingRecognizer, TableRecognizer

CIPHER = SivCipher(Keyset.generate(), "clinic")
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


@given(HOSTILE)
def test_restoring_gives_back_exactly_what_was_encrypted(text: str) -> None:
    assert RESTORER.restore(EVERYTHING.pseudonymize(text)) == text


@given(HOSTILE)
def test_sealing_placeholders_and_restoring_gives_back_the_record(text: str) -> None:
    protection = EVERYTHING.protect({"text": text})
    sealed = seal(protection.protected.text, protection.tokens)
    assert RESTORER.restore(sealed) == text


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


def test_redacting_leaves_nothing_to_restore() -> None:
    protector = Protector(TableRecognizer(TABLE), preset("redact-all"), CIPHER)
    assert protector.pseudonymize("Ada Novak of Bern") == "<PERSON> of <LOCATION>"


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
    with pytest.raises(TypeError, match=r"only privacy\.protect"):
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
