import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.probes.probe import ProbeKind
from sage_rag.eval.studies.corpora import CORPORA, half, load_corpus
from tests.eval.studies.study_data import write_data


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data")


@pytest.mark.parametrize(
    ("text", "first"), [("", ""), ("one", "one"), ("a b", "a"), ("a b  c\nd e", "a b c")]
)
def test_half_is_the_first_half_of_the_words(text, first):
    assert half(text) == first


@pytest.mark.parametrize("name", ["healthcaremagic", "chatdoctor"])
def test_every_sixth_dialogue_is_asked_and_not_indexed(name, data, tmp_path):
    corpus = load_corpus(name, data, tmp_path)
    indexed = {document.id for document in corpus.documents}
    assert indexed == {f"d{i}" for i in range(12)} - {"d5", "d11"}
    assert len(corpus.questions) == len(corpus.references) == 2
    assert not any(question in document.text for question in corpus.questions
                   for document in corpus.documents)  # fmt: skip
    assert [probe.kind for probe in corpus.probes].count(ProbeKind.UNTARGETED) == 2


def test_known_items_are_halves_of_what_indexed_records_ask(data, tmp_path):
    corpus = load_corpus("healthcaremagic", data, tmp_path)
    texts = {document.id: document.fields["question"] for document in corpus.documents}
    assert dict(corpus.known_items) == {name: half(text) for name, text in texts.items()}


def test_judgments_have_no_questions_but_values_that_identify_directly(data, tmp_path):
    corpus = load_corpus("tab", data, tmp_path)
    assert len(corpus.documents) > 1
    assert (corpus.questions, corpus.marked) == ((), ("Gudrun Falk",))


def test_a_story_is_indexed_in_pieces_and_its_questions_have_several_answers(data, tmp_path):
    corpus = load_corpus("squality", data, tmp_path)
    assert len(corpus.documents) > 1
    assert corpus.references == (("Nobody runs.", "The knee stops her."),)


@pytest.mark.parametrize("name", CORPORA)
def test_held_out_records_are_of_the_same_kind_and_not_indexed(name, data, tmp_path):
    corpus = load_corpus(name, data, tmp_path)
    indexed = {document.text for document in corpus.documents}
    assert corpus.held_out or name == "squality"
    assert indexed.isdisjoint(document.text for document in corpus.held_out)
    assert name not in ("healthcaremagic", "chatdoctor") or len(corpus.held_out) == 2


def test_later_stories_are_held_out(data, tmp_path):
    corpus = load_corpus("squality", data, tmp_path, 0.08)
    assert [document.text for document in corpus.held_out] == ["Rain fell on the quay."]


def test_a_question_about_any_story_is_left_out(data, tmp_path):
    assert load_corpus("squality", data, tmp_path).questions == ("Who runs?",)


def test_a_share_takes_fewer_records_but_enough_to_hold_one_out(data, tmp_path):
    corpus = load_corpus("healthcaremagic", data, tmp_path, 1e-6)
    assert (len(corpus.documents), len(corpus.questions)) == (5, 1)


def test_an_unknown_corpus_and_a_missing_file_are_told(data, tmp_path):
    with pytest.raises(InputError, match="no corpus is called `x`"):
        load_corpus("x", data, tmp_path)
    for name in CORPORA:
        with pytest.raises(InputError, match="cannot read"):
            load_corpus(name, tmp_path / "nowhere", tmp_path)


def test_what_is_indexed_is_for_the_owner_alone(data, tmp_path):
    corpus = load_corpus("healthcaremagic", data, tmp_path)
    assert corpus.path.stat().st_mode & 0o077 == 0
    assert "Falk" not in repr(corpus)
