"""Splits of invented corpora."""

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import rows
from sage_rag.eval.studies.consensus.splits import SUBJECT, split_corpus, subject_of
from tests.eval.studies.study_data import write_data


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"), 20)


def test_four_fifths_are_indexed_and_the_questions_of_the_others_are_asked(data, tmp_path):
    corpus = split_corpus("healthcaremagic", data, tmp_path)
    assert len(corpus.documents) == 16
    assert [d.fields["question"] for d in corpus.held_out] == list(corpus.questions)
    assert [(d.fields["answer"],) for d in corpus.held_out] == list(corpus.references)
    indexed = {d.id for d in corpus.documents}
    assert indexed.isdisjoint(d.id for d in corpus.held_out)
    assert [r[SUBJECT] for r in rows(corpus.path)] == [d.id for d in corpus.documents]


def test_a_seed_gives_one_split_and_another_seed_another(data, tmp_path):
    def ids(seed):
        return [d.id for d in split_corpus("chatdoctor", data, tmp_path, seed).documents]

    assert ids(0) == ids(0)
    assert ids(0) != ids(1)


def test_the_first_records_of_a_corpus_are_split_in_files_of_their_own(data, tmp_path):
    whole = split_corpus("chatdoctor", data, tmp_path)
    first = split_corpus("chatdoctor", data, tmp_path, most=10)
    assert first.name != whole.name
    assert {d.id for d in (*first.documents, *first.held_out)} == {f"d{i}" for i in range(10)}


def test_too_few_records_and_unknown_names_are_refused(data, tmp_path):
    with pytest.raises(InputError, match="has 2 records"):
        split_corpus("tab", data, tmp_path)
    with pytest.raises(InputError, match="no corpus is called"):
        split_corpus("squality", data, tmp_path)


def test_pieces_of_a_judgment_have_one_subject():
    assert subject_of("001-4#12") == subject_of("001-4") == "001-4"
