"""Recipes, and policies in place of their own."""

import asyncio

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.treatment import Treatment
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.testing import TableRecognizer


def test_a_recipe_takes_another_policy():
    assert recipe_called("sage", "./mine.toml").policy == "./mine.toml"
    assert recipe_called("sage").policy == "sage"


@pytest.mark.parametrize(("name", "policy"), [("none", None), ("origin", "sage")])
def test_what_cannot_be_is_refused(name, policy):
    with pytest.raises(InputError):
        recipe_called(name, policy)


def test_a_recipe_that_rewrites_treats_nothing_without_agents():
    recipe = recipe_called("sage")
    recognizer = TableRecognizer({"Maria Keller": EntityType.PERSON})
    treatment = Treatment(recipe, Keyset.generate(), "clinic", recognizer, None)
    with pytest.raises(ValueError, match="sage needs roles"):
        asyncio.run(treatment.treat(Document("1", {"text": "Maria Keller coughs"})))


def test_a_record_of_little_but_values_is_published_where_they_can_be_restored():
    record = Document("1", {"text": "Maria Keller, 12 Mill Lane, Arlborough. Bo Lind, same desk."})
    recognizer = TableRecognizer(
        {
            "Maria Keller": EntityType.PERSON,
            "12 Mill Lane": EntityType.LOCATION,
            "Arlborough": EntityType.LOCATION,
            "Bo Lind": EntityType.PERSON,
        }
    )
    treatment = Treatment(recipe_called("encrypted"), Keyset.generate(), "c", recognizer, None)
    assert asyncio.run(treatment.treat(record)).reasons == ()
