"""The facts of a sentence belong to its words."""

from sage_rag.privacy.gate.facts.extraction import facts_of
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.sentences import read_clauses


def facts(text: str) -> Facts:
    (clause,) = read_clauses(text)
    return facts_of(clause)


def test_a_negation_denies_its_clause_and_no_other() -> None:
    denied = facts("He does not smoke but drinks.").denied
    assert "smok" in denied
    assert "drink" not in denied


def test_a_negation_of_a_comparator_is_a_comparator() -> None:
    found = facts("Do not take more than five tablets.")
    assert [q.comparator for q in found.quantities] == ["most"]
    assert all(n.value == "like" for n in found.negations)


def test_right_is_a_side_only_of_a_thing() -> None:
    assert [s.value for s in facts("The right knee hurts.").sides] == ["right"]
    assert facts("Come right away.").sides == []
    assert facts("You made the right decision.").sides == []


def test_a_condition_knows_what_it_governs() -> None:
    found = next(c for c in facts("If it bleeds, call us.").conditions if c.value == "if")
    assert "bleed" in found.under
    assert "call" in found.main
    turned = next(c for c in facts("Call us if it bleeds.").conditions if c.value == "if")
    assert (turned.under, turned.main) == (found.under, found.main)


def test_an_indirect_question_is_no_condition() -> None:
    assert all(c.value != "if" for c in facts("She asked if it was open.").conditions)


def test_may_is_a_month_only_with_a_date() -> None:
    assert [n.kind for n in facts("It began in May.").names] == ["month"]
    assert all(n.kind != "month" for n in facts("It may close.").names)
    assert facts("It may close.").values("certainty") == {"hedged"}
    assert not facts("It closed in May.").values("certainty")
