"""Direct identifiers of other documents, sealed where they are in clear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.known_identifiers import KnownIdentifiers
from sage_rag.indexer.passages import SealedDocument
from sage_rag.indexer.sealing import Sealer
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.tokens import TOKEN

KEYSET = Keyset.generate()
CIPHER = default_cipher(KEYSET, "clinic")
VALUES = {
    "Ada Novak": EntityType.PERSON,
    "Novak Mill Lane": EntityType.LOCATION,
    "0170 555 0199": EntityType.PHONE_NUMBER,
}
WORDS = ("Ada", "Novak", "Mill", "Lane", "0170", "555", "0199", "and", "called", ",", ".")


def known(policy: str) -> KnownIdentifiers:
    found = KnownIdentifiers(Sealer(KEYSET, "clinic", CIPHER, load_policy(policy)))
    found.add(CIPHER.encrypt(value, entity_type) for value, entity_type in VALUES.items())
    return found


def document(text: str) -> SealedDocument:
    return SealedDocument({"text": text}, (), ())


def restored(text: str) -> str:
    return TOKEN.sub(lambda token: CIPHER.decrypt(token.group()), text)


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_no_known_value_is_left_and_the_text_is_restored(text: str) -> None:
    identifiers = known("soe-all")
    sealed = identifiers.sealed(document(text))
    assert sealed is not None
    assert restored(sealed.fields["text"]) == text
    assert not list(identifiers.findings(sealed.fields))
    assert set(sealed.tokens) == {m.group() for m in TOKEN.finditer(sealed.fields["text"])}


def test_a_sealed_value_is_found_by_its_blind_words() -> None:
    sealed = known("soe-all").sealed(document("We met Ada Novak."))
    assert sealed is not None
    assert sealed.words


@pytest.mark.parametrize("text", ["We met Ada.", "We met ada novak.", "Novak, Mill"])
def test_a_part_of_a_value_or_other_letters_are_left(text: str) -> None:
    assert known("soe-all").sealed(document(text)) == document(text)


def test_a_type_that_the_policy_does_not_encrypt_is_refused() -> None:
    assert known("redact-all").sealed(document("We met Ada Novak.")) is None
