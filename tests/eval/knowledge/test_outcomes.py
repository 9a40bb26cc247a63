from __future__ import annotations

from sage_rag.eval.knowledge.outcomes import Outcome, count_outcomes
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset

CIPHER = default_cipher(Keyset.generate(), "persons")
OWN = CIPHER.encrypt("Nora Merritt", EntityType.PERSON)
OTHER = CIPHER.encrypt("Otto Haas", EntityType.PERSON)


def test_each_ciphertext_has_one_outcome() -> None:
    invented = OWN[:-6] + "AAAAA]"
    repaired = OWN.replace("PERSON", "person")
    answers = [(f" {OWN}. {OTHER}", {OWN}), (f" {repaired}, {invented}", {OWN}), (" none", {OWN})]
    found = count_outcomes(answers, CIPHER)
    assert found.occurrences == dict.fromkeys(Outcome, 1)
    assert (found.failed.successes, found.failed.trials) == (2, 4)


def test_distinct_spellings_are_counted_once() -> None:
    found = count_outcomes([(OTHER, {OWN})] * 5, CIPHER)
    assert found.occurrences[Outcome.FCAOA] == 5
    assert found.distinct[Outcome.FCAOA] == 1
    assert found.failed_distinct.trials == 1


def test_answers_without_ciphertext_have_no_failure() -> None:
    assert count_outcomes([("Oakham", set())], CIPHER).failed.trials == 0
