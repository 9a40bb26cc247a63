"""Leakage when values are encrypted only after the synthesis."""

from __future__ import annotations

from collections import Counter

import pytest

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.synthesis.entities import EntityReader
from sage_rag.training.synthesis.leakage import encrypted_values, leakage
from sage_rag.training.synthesis.synthesis import Choices, Synthesizer
from tests.training.synthesis.texts import VALUES, documents, recognizer

PERSON, PLACE = EntityType.PERSON, EntityType.LOCATION


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Ann met Ann Lee.", {PERSON: 2}),
        ("Anna and ANN met.", {}),
        ("PERSON_[AnnAnnAnnAnnAnnAnnAnn] met Ann.", {PERSON: 1}),
        ("Ann's town is Lee-on-Sea", {PERSON: 1, PLACE: 1}),
        ("原告Ann诉被告", {PERSON: 1}),
    ],
)
def test_plain_mentions_are_whole_values_outside_of_tokens(
    text: str, plain: dict[EntityType, int]
) -> None:
    found = leakage({"Ann": PERSON, "Ann Lee": PERSON, "Lee-on-Sea": PLACE}, [text])
    assert found.plain == Counter(plain)


def test_the_ratio_is_that_of_plain_to_encrypted_mentions() -> None:
    found = leakage({"Ann": PERSON}, ["PERSON_[q2Zf3k] and LOCATION_[q2Zf3k], Ann", ""])
    assert found.ratio == 0.5
    assert leakage({"Ann": PERSON}, ["Ann"]).ratio is None


def test_what_the_recognizer_overlooks_in_a_finished_text_is_counted() -> None:
    class Forgetful:
        """Overlooks a name where no full stop follows the text's end, as in finished samples."""

        fingerprint = "forgetful"

        def recognize(self, text):  # type: ignore[no-untyped-def]
            known = dict(VALUES)
            if text.startswith("Q"):
                del known["Ilvar Mossgrove"]
            return TableRecognizer(known).recognize(text)

    cipher, policy = SivCipher(Keyset.generate(), "invented"), preset("soe-all")
    reader = EntityReader(recognizer(), policy)
    after = Synthesizer(
        reader, cipher, Choices(), protector=Protector(Forgetful(), policy, cipher)
    ).synthesize(documents()[0])
    found = leakage(encrypted_values(after.document), (s.text for s in after.samples))
    assert set(found.plain) == {PERSON}
    assert found.ratio is not None
    assert 0 < found.ratio < 1
    before = Synthesizer(reader, cipher, Choices()).synthesize(documents()[0])
    counted = leakage(encrypted_values(before.document), (s.text for s in before.samples))
    assert counted.ratio == 0
