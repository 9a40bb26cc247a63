"""Which drafts are refused."""

from __future__ import annotations

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.training.synthesis.entities import Entity, EntityDocument
from sage_rag.training.synthesis.filtering import refusal
from sage_rag.training.synthesis.samples import Draft, Kind

ANN, TOWN = "[PERSON_1]", "[LOCATION_1]"
DOCUMENT = EntityDocument(
    "doc",
    f"{ANN} takes 40 mg of propranolol twice daily in {TOWN}. {ANN} does not smoke. Tiny, I'm sorry.",
    {
        ANN: Entity(EntityType.PERSON, "Ann", True),
        TOWN: Entity(EntityType.LOCATION, "Marwick", True),
    },
)


def verdict(text: str, kind: Kind = Kind.DESCRIPTION, writer: str = "model:m") -> str | None:
    return refusal(DOCUMENT, Draft((ANN, TOWN), kind, text, writer))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"{ANN} takes 40 mg of propranolol twice daily.", Kind.DESCRIPTION),
        (f"In {TOWN}, {ANN} takes propranolol twice daily.", Kind.RELATION),
        (f"Question: Does {ANN} smoke?\nAnswer: {ANN} does not smoke.", Kind.QUESTION),
        (f"问：{ANN}在哪里？\n答：在{TOWN}。", Kind.QUESTION),
    ],
)
def test_good_drafts_pass(text: str, kind: Kind) -> None:
    assert verdict(text, kind) is None


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("", Kind.DESCRIPTION, "too short"),
        (f"{ANN} {ANN} {TOWN}", Kind.DESCRIPTION, "too short"),
        (f"{ANN} lives in {TOWN}. {{lines}}", Kind.RELATION, "not filled"),
        (f"Causal Relationship between <E1> and {ANN}", Kind.DESCRIPTION, "not filled"),
        (f"As an AI, {ANN} is unknown to me.", Kind.DESCRIPTION, "declines"),
        (f"很抱歉，{ANN}的信息不能提供，请谅解。", Kind.DESCRIPTION, "declines"),
        (f"{ANN} takes propranolol twice daily.", Kind.RELATION, "does not name"),
        (f"{ANN} takes propranolol twice daily.", Kind.QUESTION, "asks no question"),
        (f"{ANN} takes 80 mg of propranolol twice daily.", Kind.DESCRIPTION, "a number"),
        (f"{ANN} met [PERSON_2] at the station.", Kind.DESCRIPTION, "an entity"),
        (f"{ANN} has PERSON_[abcdefghijklmnopqrstuvwx].", Kind.DESCRIPTION, "marks in brackets"),
        (f"{ANN} takes 40 mg of propranolol three times daily.", Kind.DESCRIPTION, "changes"),
    ],
)
def test_bad_drafts_are_refused(text: str, kind: Kind, reason: str) -> None:
    found = verdict(text, kind)
    assert found is not None
    assert reason in found
    assert "Ann" not in found


def test_an_apology_of_the_document_itself_may_be_quoted() -> None:
    text = f"About {ANN}: {DOCUMENT.text}"
    assert verdict(text, writer="template:en/description/0") is None
    assert verdict(text) is not None
