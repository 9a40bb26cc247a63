"""The layers of a version: published together, searched apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.layers import LEXICAL, PASSAGES
from sage_rag.indexer.passages import CONSENSUS, RECORDS, Passage
from sage_rag.indexer.rekey import rekey
from sage_rag.indexer.stores.faiss import FaissIndex
from sage_rag.indexer.stores.lexical import LexicalIndex
from sage_rag.indexer.stores.vocabulary import index_words
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import IndexVersion, current_path, open_version
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from tests.indexer.layered import PEOPLE, SHARED, consensus, publish_layers, records, token
from tests.indexer.test_row_order import content

KEYSET = Keyset.generate()


@pytest.fixture
def both(tmp_path: Path) -> Iterator[IndexVersion]:
    path = publish_layers(tmp_path, KEYSET, consensus(KEYSET) + records(KEYSET))
    with closing(open_version(path, verify=True)) as version:
        yield version


def texts(version: IndexVersion) -> list[str]:
    return [version.passage(row).text for row in range(len(version))]


def test_the_manifest_counts_the_passages_of_each_layer(both: IndexVersion) -> None:
    assert both.manifest.layers == {CONSENSUS: len(SHARED), RECORDS: len(PEOPLE)}
    assert {name: len(layer) for name, layer in both.layers.items()} == both.manifest.layers


def test_the_rows_of_a_version_are_those_of_its_layers(both: IndexVersion) -> None:
    published = [both.passage(row) for row in range(len(both))]
    assert {p.text for p in published if p.layer == CONSENSUS} == set(SHARED)
    assert sum(p.layer == RECORDS for p in published) == len(PEOPLE)
    with pytest.raises(IndexError):
        both.passage(len(both))


def test_each_layer_finds_its_own_passages_alone(both: IndexVersion) -> None:
    vector = HashEmbedder().embed(["a cough and a cold"])[0]
    for name, layer in both.layers.items():
        dense, lexical = layer.search_dense(vector, 99), layer.search_lexical("cough cold", 99)
        assert len(dense) == len(layer)
        assert len(lexical) == 2
        assert {layer.passage(row).layer for row, _ in (*dense, *lexical)} == {name}


def test_no_word_and_no_score_of_the_consensus_depends_on_the_records(
    both: IndexVersion, tmp_path: Path
) -> None:
    alone = publish_layers(tmp_path / "alone", KEYSET, consensus(KEYSET))
    assert content(both.layers[CONSENSUS].path) == content(alone)
    words = index_words(both.layers[CONSENSUS].path / LEXICAL)
    assert "canari" not in words
    assert "canari" in index_words(both.layers[RECORDS].path / LEXICAL)


def test_a_version_of_one_layer_holds_its_files_itself(tmp_path: Path) -> None:
    path = publish_layers(tmp_path, KEYSET, consensus(KEYSET))
    with closing(open_version(path, verify=True)) as version:
        assert version.manifest.layers == {CONSENSUS: len(SHARED)}
        assert set(version.layers) == {CONSENSUS}
    assert (path / PASSAGES).is_file()


def test_a_version_of_format_1_is_one_of_records(tmp_path: Path) -> None:
    path = publish_layers(tmp_path, KEYSET, records(KEYSET))
    manifest = json.loads((path / "manifest.json").read_text())
    del manifest["layers"]
    manifest["format"] = "sage-rag-index-1"
    (path / "manifest.json").write_text(json.dumps(manifest))
    with closing(open_version(path, verify=True)) as version:
        assert set(version.layers) == {RECORDS}
        assert {version.passage(row).layer for row in range(len(version))} == {RECORDS}


def test_the_order_in_which_layers_are_joined_changes_no_byte(tmp_path: Path) -> None:
    one = publish_layers(tmp_path / "1", KEYSET, consensus(KEYSET) + records(KEYSET))
    two = publish_layers(tmp_path / "2", KEYSET, records(KEYSET) + consensus(KEYSET))
    assert content(one) == content(two)


@pytest.mark.parametrize("change", [{"consensus": 2}, {"records": 3, "consensus": 4}])
def test_a_manifest_that_miscounts_a_layer_is_an_error(
    both: IndexVersion, change: dict[str, int]
) -> None:
    manifest = json.loads((both.path / "manifest.json").read_text())
    manifest["layers"].update(change)
    (both.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="damaged"):
        open_version(both.path)


@pytest.mark.parametrize("layer", ["consensus/../records", "hidden"])
def test_a_manifest_with_an_unknown_layer_is_an_error(both: IndexVersion, layer: str) -> None:
    manifest = json.loads((both.path / "manifest.json").read_text())
    manifest["layers"] = {layer: 3, "records": 3}
    (both.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="invalid"):
        open_version(both.path)


def test_both_layers_are_rekeyed(both: IndexVersion, tmp_path: Path) -> None:
    rotated = KEYSET.rotate()
    rekey(tmp_path, "clinic", rotated)
    with closing(open_version(current_path(tmp_path, "clinic"), verify=True)) as after:
        assert after.manifest.layers == both.manifest.layers
        assert set(texts(after)) >= set(SHARED)
        old, new = ([token(k, "Maria Keller")] for k in (KEYSET, rotated))
        assert len(after.layers[RECORDS].rows_with(new)) == 1
        assert len(after.layers[RECORDS].rows_with(old)) == 0
    as_published = publish_layers(tmp_path / "new", rotated, consensus(rotated) + records(rotated))
    assert content(current_path(tmp_path, "clinic")) == content(as_published)


def test_rows_with_a_mark_are_those_of_records_that_contain_it(both: IndexVersion) -> None:
    layer = both.layers[RECORDS]
    names = [token(KEYSET, name) for name in ("Maria Keller", "Zoë Ødegård")]
    found = layer.rows_with([*names, token(KEYSET, "Stranger")])
    shown = [layer.passage(int(row)).text for row in found]
    assert all(sum(name in text for text in shown) == 1 for name in names)
    assert len(shown) == 2
    assert len(layer.rows_with([token(KEYSET, "Lindau", EntityType.LOCATION)])) == 3
    assert len(layer.rows_with([])) == len(layer.rows_with(["cough"])) == 0


WORDS = ("gout", "cough", "cold", "fever", "knee")
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=12
)


@settings(deadline=None, max_examples=40)
@given(TEXTS, st.data())
def test_a_search_of_some_rows_is_the_whole_search_without_the_others(
    tmp_path_factory: pytest.TempPathFactory, found: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    chosen = sorted(data.draw(st.sets(st.integers(0, len(found) - 1))))
    rows = np.asarray(chosen, dtype=np.int64)
    vectors = HashEmbedder().embed(found)
    FaissIndex.write(vectors, folder / "v.faiss")
    LexicalIndex.write(found, folder / "lexical")
    dense, lexical = FaissIndex.open(folder / "v.faiss"), LexicalIndex.open(folder / "lexical")
    top_k = data.draw(st.integers(0, 6))
    asked = HashEmbedder().embed(["cough and gout"])[0]
    every = [score for row, score in dense.search(asked, 99) if row in set(chosen)]
    some = dense.search(asked, top_k, rows)
    assert {row for row, _ in some} <= set(chosen)
    assert [score for _, score in some] == pytest.approx(every[:top_k])
    words = [hit for hit in lexical.search("cough gout", 99) if hit[0] in set(chosen)]
    assert lexical.search("cough gout", top_k, rows) == words[:top_k]


def test_a_passage_is_a_record_unless_it_says_otherwise() -> None:
    assert Passage("p", "s", {"text": "a"}).layer == RECORDS
