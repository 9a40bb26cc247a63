import openai
import pytest

from tests.rag_server.conftest import World


def test_every_corpus_is_a_model_and_later_ones_appear(world: World):
    client = world.openai(world.serve())
    assert [m.id for m in client.models.list()] == ["clinic"]
    world.catalog.publish("late", ["a note"])
    assert [m.id for m in client.models.list()] == ["clinic", "late"]


def test_a_model_tells_when_its_version_was_made(world: World):
    model = world.openai(world.serve()).models.retrieve("clinic")
    assert (model.id, model.object, model.owned_by) == ("clinic", "model", "sage-rag")
    assert model.created == 1767323045


def test_an_unknown_model_is_not_found(world: World):
    with pytest.raises(openai.NotFoundError) as caught:
        world.openai(world.serve()).models.retrieve("nope")
    assert caught.value.code == "model_not_found"


def test_a_corpus_that_cannot_be_searched_is_not_listed(world: World):
    world.catalog.publish("foreign", ["a"], embedder="other")
    assert [m.id for m in world.openai(world.serve()).models.list()] == ["clinic"]
