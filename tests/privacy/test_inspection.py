"""What became of the tokens in a text."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.inspection import Condition, inspect
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.training.ciphers.codebook import CodebookCipher
from sage_rag.training.ciphers.ecb import UnauthenticatedEcbCipher
from tests.privacy.test_tokens import FRAGMENTS

KEYSET = Keyset.generate()
CIPHER = SivCipher(KEYSET, "clinic")
PERSON = EntityType.PERSON


def value_with(*characters: str) -> tuple[str, str]:
    """Return a value, and its token, whose payload holds the characters."""
    for number in range(10_000):
        token = CIPHER.encrypt(f"Ada Novak {number}", PERSON)
        if all(character in token[8:-1] for character in characters):
            return f"Ada Novak {number}", token
    raise AssertionError("no such token")


VALUE, ADA = value_with("-", "_")
FOREIGN = SivCipher(KEYSET, "court").encrypt("Ada", PERSON)
OTHER_KEY = SivCipher(Keyset.generate(), "clinic").encrypt("Ada", PERSON)
FLIPPED = ADA[:-6] + ("A" if ADA[-6] != "A" else "B") + ADA[-5:]

REPAIRED = {
    "padding": ADA.replace("]", "=]"),
    "wrong padding": ADA.replace("]", "===]"),
    "standard alphabet": "PERSON_[" + ADA[8:].replace("-", "+").replace("_", "/"),
    "alphabets mixed": "PERSON_[" + ADA[8:].replace("-", "+"),
    "a space": f"{ADA[:30]} {ADA[30:]}",
    "a line break": f"{ADA[:30]}\n  {ADA[30:]}",
    "no-break and zero-width spaces": f"{ADA[:20]}\u00a0{ADA[20:30]}\u200b{ADA[30:]}",
    "dots": ADA.replace("]", "...]"),
    "an ellipsis": ADA.replace("]", "…]"),
    "lower case": ADA.replace("PERSON", "person"),
    "title case": ADA.replace("PERSON", "Person"),
    "no closing bracket": ADA[:-1],
    "html": ADA.replace("[", "&#91;").replace("]", "&#93;"),
    "markdown": ADA.replace("_", "\\_").replace("[", "\\[").replace("]", "\\]"),
    "bold": ADA.replace("[", "[**").replace("]", "**]"),
    "quotes": ADA.replace("[", '["').replace("]", '"]'),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_what_authenticates_after_repair_is_told_as_repaired(name: str) -> None:
    text = f"Dr {REPAIRED[name]}, again"
    (found,) = inspect(text, CIPHER).occurrences
    assert (found.condition, found.value, found.token) == (Condition.REPAIRED, VALUE, ADA)
    assert text[found.start : found.end] == REPAIRED[name]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (ADA, Condition.VALID),
        ("PERSON_[]", Condition.MALFORMED),
        ("PERSON_[Ada Novak]", None),
        ("PERSON_[Ada]", Condition.MALFORMED),
        (ADA[:25] + "]", Condition.MALFORMED),
        (ADA[:40], Condition.MALFORMED),
        (OTHER_KEY, Condition.UNKNOWN_KEY),
        (OTHER_KEY.replace("]", "=]"), Condition.UNKNOWN_KEY),
        (FOREIGN, Condition.FORGED),
        (FLIPPED, Condition.FORGED),
        (FLIPPED.replace("PERSON", "person"), Condition.FORGED),
        (ADA.replace("PERSON", "LOCATION"), Condition.FORGED),
        ("person_[0]", None),
        ("see PERSON_[ and more", None),
        ("[PERSON_1]", None),
        ("Ada Novak", None),
    ],
)
def test_conditions(text: str, condition: Condition | None) -> None:
    found = inspect(text, CIPHER)
    assert [o.condition for o in found.occurrences] == ([condition] if condition else [])
    assert all((o.value is None) == (o.condition != Condition.VALID) for o in found.occurrences)


def test_a_grant_tells_what_it_does_not_hold() -> None:
    bern = CIPHER.encrypt("Bern", EntityType.LOCATION)
    reader = SivCipher(KEYSET.grant([PERSON]), "clinic")
    found = inspect(f"{ADA} {bern}", reader)
    assert [o.condition for o in found.occurrences] == [Condition.VALID, Condition.NOT_GRANTED]


def test_a_valid_token_of_no_cited_passage_is_told_apart() -> None:
    other = CIPHER.encrypt("Jo Falk", PERSON)
    text = f"{ADA}, {other}, {REPAIRED['lower case']} and {FLIPPED}"
    found = inspect(text, CIPHER, {ADA})
    assert found.counts == {
        Condition.VALID: 1,
        Condition.UNCITED: 1,
        Condition.REPAIRED: 1,
        Condition.FORGED: 1,
    }
    assert inspect(text, CIPHER, ()).counts == {Condition.UNCITED: 3, Condition.FORGED: 1}


def test_text_before_a_token_does_not_change_its_type() -> None:
    token = CIPHER.encrypt("4711", EntityType.ID)
    (found,) = inspect(f"NATIONAL_{token}", CIPHER).occurrences
    assert (found.start, found.entity_type, found.value) == (9, EntityType.ID, "4711")
    assert found.condition == Condition.VALID


def test_the_papers_repair_of_base64_is_flagged() -> None:
    with warnings.catch_warnings(action="ignore"):
        cipher = UnauthenticatedEcbCipher(KEYSET, leaks_equal_blocks=True)
    token = cipher.encrypt("Ada", PERSON)
    assert token.endswith("==]")
    (found,) = inspect(token.replace("=", ""), cipher).occurrences
    assert (found.condition, found.value, found.token) == (Condition.REPAIRED, "Ada", token)


def test_short_codes_are_inspected_too(tmp_path) -> None:
    cipher = CodebookCipher(tmp_path / "none", KEYSET, "clinic")
    token = cipher.encrypt("Ada", PERSON)
    found = inspect(f"{token} {token.lower()} PERSON_[river_x] person_[river_x]", cipher)
    assert [o.condition for o in found.occurrences] == [
        Condition.VALID,
        Condition.REPAIRED,
        Condition.MALFORMED,
    ]


@given(FRAGMENTS | st.text(max_size=60))
def test_any_text_is_inspected_and_shows_only_what_was_encrypted(text: str) -> None:
    found = inspect(text, CIPHER)
    assert all(o.value is None for o in found.occurrences)  # made under another keyset
    assert found.counts.total() == len(found.occurrences)


def test_a_plain_value_does_not_show_in_repr() -> None:
    assert "Novak" not in repr(inspect(ADA, CIPHER))
