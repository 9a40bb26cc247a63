"""The study of `consensus` on invented dialogues, through the real pipeline."""

from argparse import Namespace
from dataclasses import replace

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.consensus.indexes import SplitIndexes
from sage_rag.eval.studies.consensus.measurer import Measurer
from sage_rag.eval.studies.consensus.results import ConsensusStudy
from sage_rag.eval.studies.consensus.study import PARTS, StudyInputs, run, run_part
from sage_rag.eval.studies.environment import environment
from sage_rag.eval.studies.runner import StudyRun
from sage_rag.eval.studies.study_home import StudyHome
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.embedding import embedder_called
from sage_rag.privacy.testing import TableRecognizer
from tests.eval.studies.study_data import NAMES, write_data

pytestmark = pytest.mark.slow

RECORDS, INDEXED = 36, 29
"""The invented dialogues repeat after 36."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    home = StudyHome(folder / "home", TableRecognizer(NAMES), embedder_called())
    return StudyInputs(write_data(folder / "data", RECORDS), 1.0, home)


@pytest.fixture(scope="module")
def study_run(inputs):
    return StudyRun("python -m sage_rag.eval.studies consensus", environment(), inputs.home.home)


@pytest.fixture(scope="module")
def main(inputs, study_run):
    return run_part("healthcaremagic", inputs, study_run)


def test_records_are_found_in_an_index_of_records(main):
    (split,) = main.splits
    plain = split.row("origin")
    assert split.indexed == plain.passages == plain.represented == INDEXED
    assert split.others == RECORDS - INDEXED
    assert plain.worst.auc == plain.worst.high == 1
    assert plain.exposure("runs").linked.trials == INDEXED
    assert {ratio.value for ratio in plain.utility.ratios.values()} == {1.0}
    assert plain.wording is None


def test_answers_to_known_questions_fit_them_better_than_others(inputs):
    corpus = inputs.split("healthcaremagic")
    by_complaint = {d.fields["question"][:20]: d for d in corpus.documents}
    known = replace(
        corpus,
        questions=tuple(d.fields["question"] for d in by_complaint.values()),
        references=tuple((d.fields["answer"],) for d in by_complaint.values()),
    )
    index = SplitIndexes(inputs.home, corpus).by_record("origin")
    found = Measurer(inputs.home, known).measure(index, wording=False).utility
    assert found.questions == 6
    assert found.content_f1 > 1.5 * found.unrelated["content_f1"] > 0
    assert found.cosine > found.unrelated["cosine"] > 0


def test_a_consensus_has_fewer_passages_of_several_records_each(main):
    (split,) = main.splits
    found = split.row("consensus, k = 3")
    assert 0 < found.passages < INDEXED
    assert found.represented > found.passages
    assert found.exposure("cosine").chance > split.row("origin").exposure("cosine").chance
    assert found.utility.questions == split.questions == RECORDS - INDEXED
    assert found.wording.rare.k == 3
    assert found.wording.rare.passages.trials == found.passages


def test_sources_of_a_passage_say_what_it_says(inputs):
    corpus = inputs.split("healthcaremagic")
    index = SplitIndexes(inputs.home, corpus).consensus(ConsensusOptions())
    texts = {document.id: document.text.casefold() for document in corpus.documents}
    for passage in index.passages:
        assert len(passage.sources) >= 3
        words = {word.strip(".,") for word in passage.text.casefold().split()}
        said = {word.strip(".,") for s in passage.sources for word in texts[s].split()}
        assert len(words - said) <= 4  # what the writer adds


def test_a_refused_question_scores_nothing(inputs):
    corpus = inputs.split("healthcaremagic")
    index = SplitIndexes(inputs.home, corpus).by_record("origin")
    strange = replace(corpus, questions=tuple("zyxq" for _ in corpus.questions))
    found = Measurer(inputs.home, strange).measure(index, wording=False).utility
    assert found.refused.successes == found.questions
    assert set(found.means.values()) == {0.0}


def test_facts_of_too_few_subjects_are_in_no_version(inputs, study_run):
    part = run_part("canaries", inputs, study_run)
    found = {figures.subjects: figures.published for figures in part.canaries}
    assert found[1].successes == found[2].successes == 0
    assert {figures.trials for figures in found.values()} == {20}


def test_parts_are_resumed_and_the_page_has_no_folder_or_text(main, study_run, tmp_path):
    saved = tmp_path / "consensus.json"
    saved.write_text(ConsensusStudy(parts={"healthcaremagic": main}).model_dump_json())
    options = Namespace(data=tmp_path, share=1.0, part=["cost"], out=tmp_path / "page.md")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PARTS, "cost", lambda inputs: {})
        result = run(options, replace(study_run, home=tmp_path))
    parts = ConsensusStudy.model_validate_json(saved.read_text()).parts
    assert list(parts) == ["cost", "healthcaremagic"]
    assert parts["healthcaremagic"] == main
    for private in ("Falk", "stairs at home", str(tmp_path)):
        assert private not in saved.read_text() + result.page


def test_results_of_another_version_are_refused(study_run, tmp_path):
    (tmp_path / "consensus.json").write_text('{"parts": {"tab": {"command": "x"}}}')
    options = Namespace(data=tmp_path, share=1.0, part=["tab"], out=tmp_path / "page.md")
    with pytest.raises(InputError, match="not a result of this version"):
        run(options, replace(study_run, home=tmp_path))
