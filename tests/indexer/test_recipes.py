"""Recipes, and policies in place of their own."""

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.recipes import recipe_called


def test_a_recipe_takes_another_policy():
    assert recipe_called("sage", "./mine.toml").policy == "./mine.toml"
    assert recipe_called("sage").policy == "sage"


@pytest.mark.parametrize(("name", "policy"), [("none", None), ("origin", "sage")])
def test_what_cannot_be_is_refused(name, policy):
    with pytest.raises(InputError):
        recipe_called(name, policy)
