"""The stored vectors of sentences: which sentences, and what the files reveal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.embedding import KnownSentences, sentence_key
from sage_rag.indexer.passages import CONSENSUS, Passage
from sage_rag.indexer.sentences import sentence_views
from sage_rag.indexer.stores.sentences import OFFSETS, SentenceVectors
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, open_version
from tests.indexer.conftest import Run

TOKEN = "PERSON_[q2Zf3kAAx.9=-_]"


def test_the_sentences_of_the_answer_fields_are_stored_in_readable_view() -> None:
    fields = {"ask": "My knee hurts.", "reply": f"rest the knee. {TOKEN} will call."}
    passage = Passage("p1", "s1", fields)
    assert sentence_views(passage, ()) == ["Rest the knee.", "Person 1 will call."]
    assert sentence_views(passage, ("ask",)) == ["My knee hurts."]
    assert sentence_views(passage, ("absent",)) == sentence_views(passage, ())


def test_the_sentences_of_a_consensus_are_its_statements() -> None:
    text = "Often: rest the knee.\nCool it: ice helps.\nTopics: knee, ice"
    passage = Passage("p1", "s1", {"text": text}, layer=CONSENSUS)
    assert sentence_views(passage, ()) == ["rest the knee", "Cool it: ice helps", "knee", "ice"]


def test_a_sentence_is_stored_once() -> None:
    assert sentence_views(Passage("p1", "s1", {"text": "Rest. Ice. Rest."}), ()) == [
        "Rest.",
        "Ice.",
    ]


@given(st.lists(st.sets(st.text(min_size=1), max_size=4), min_size=1, max_size=6), st.randoms())
def test_what_is_written_is_read_by_row_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, texts: list[set[str]], random: object
) -> None:
    folder = tmp_path_factory.mktemp("layer")
    embedder = HashEmbedder()
    rows = [{text: embedder.embed([text])[0] for text in sorted(own)} for own in texts]
    SentenceVectors.write(rows, embedder.dim, folder)
    order = np.asarray(sorted(range(len(rows)), key=lambda _: random.random()), dtype=np.int64)  # type: ignore[attr-defined]
    copied = tmp_path_factory.mktemp("copy")
    stored = SentenceVectors.open(folder, len(rows))
    assert stored is not None
    stored.copy(copied, order)
    moved = SentenceVectors.open(copied, len(rows))
    assert moved is not None
    for new, old in enumerate(order):
        found = moved.of([new])
        assert set(found) == {sentence_key(text) for text in rows[old]}
        for text, vector in rows[old].items():
            np.testing.assert_allclose(found[sentence_key(text)], vector, atol=1e-3)


def test_files_of_another_number_of_passages_are_damaged(tmp_path: Path) -> None:
    SentenceVectors.write([{}, {}], 4, tmp_path)
    assert SentenceVectors.open(tmp_path, 2) is not None
    with pytest.raises(InputError, match="damaged"):
        SentenceVectors.open(tmp_path, 3)
    assert SentenceVectors.open(tmp_path / "older", 2) is None


def test_known_sentences_are_not_embedded_again() -> None:
    embedder = HashEmbedder()
    texts = ["Rest the knee.", "Cool the burn."]
    stored = embedder.embed(texts)
    known = KnownSentences(embedder, {sentence_key(texts[1]): stored[1]})
    before = embedder.embedded
    np.testing.assert_array_equal(known.embed(texts), stored)
    assert embedder.embedded == before + 1
    assert known.embed([]).shape == (0, embedder.dim)


@pytest.mark.parametrize("recipe", ["sage", "encrypted", "origin"])
def test_a_reader_of_the_passages_can_compute_the_files(
    run: Run, tmp_path: Path, recipe: str
) -> None:
    run(recipe=recipe)
    version = open_version(current_path(tmp_path / "home", "clinic"), verify=True)
    (layer,) = version.layers.values()
    passages = [layer.passage(row) for row in range(len(layer))]
    views = [sentence_views(passage, version.manifest.answer_fields) for passage in passages]
    assert any(views)
    embedder = HashEmbedder()
    again = [dict(zip(own, embedder.embed(own), strict=True)) for own in views]
    SentenceVectors.write(again, embedder.dim, tmp_path)
    for name in ("sentences.npy", OFFSETS):
        assert (tmp_path / name).read_bytes() == (layer.path / name).read_bytes()
        assert name in version.manifest.files
    version.close()
