"""Shares of damaged tokens over answers."""

from __future__ import annotations

from sage_rag.common.proportions import Proportion
from sage_rag.eval.tokens import markdown, token_damage
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.inspection import Condition
from sage_rag.privacy.keyset.keyset import Keyset

CIPHER = SivCipher(Keyset.generate(), "clinic")
ADA = CIPHER.encrypt("Ada Novak", EntityType.PERSON)
JO = CIPHER.encrypt("Jo Falk", EntityType.PERSON)
FLIPPED = ADA[:-6] + ("A" if ADA[-6] != "A" else "B") + ADA[-5:]


def test_every_condition_is_a_share_of_all_tokens():
    answers = [
        (f"{ADA} and {ADA.replace(']', '=]')}", {ADA}),
        (f"{ADA}, {FLIPPED}, {FLIPPED}", {ADA}),
        (f"{JO}", {ADA}),
        ("PERSON_[]", None),
        ("nobody", {ADA}),
    ]
    damage = token_damage(answers, CIPHER)
    counted = {c: p.successes for c, p in damage.occurrences.items() if p.successes}
    assert counted == {
        Condition.VALID: 2,
        Condition.REPAIRED: 1,
        Condition.FORGED: 2,
        Condition.UNCITED: 1,
        Condition.MALFORMED: 1,
    }
    assert {p.trials for p in damage.occurrences.values()} == {7}
    assert damage.distinct[Condition.FORGED] == Proportion.of(1, 5)
    assert damage.undecodable == Proportion.of(3, 7)
    assert damage.uncited == Proportion.of(1, 7)
    assert damage.answers == Proportion.of(3, 5)
    assert "| failed authentication | 2 of 7" in markdown(damage)


def test_one_distinct_spelling_that_is_cited_in_one_answer_only_counts_by_its_last_condition():
    damage = token_damage([(JO, {JO}), (JO, set())], CIPHER)
    assert damage.occurrences[Condition.UNCITED] == Proportion.of(1, 2)
    assert sum(p.successes for p in damage.distinct.values()) == 1


def test_without_tokens_nothing_is_measured():
    damage = token_damage([("nobody", None)], CIPHER)
    assert "nothing measured" in str(damage.undecodable)
