"""The study on an invented set, with fakes for recognizer and embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.environment import environment
from sage_rag.eval.studies.retrieval.measurer import SearchMeasurer
from sage_rag.eval.studies.retrieval.page import markdown
from sage_rag.eval.studies.retrieval.results import SearchScores
from sage_rag.eval.studies.retrieval.sets import load_set
from sage_rag.eval.studies.runner import StudyRun
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.eval.studies.tables import NO_FIGURE
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.testing import TableRecognizer
from tests.eval.studies.study_data import NAMES, dialogues


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> list[SearchScores]:
    folder: Path = tmp_path_factory.mktemp("study")
    (folder / "chatdoctor").mkdir()
    lines = [json.dumps(record) + "\n" for record in dialogues(18)]
    (folder / "chatdoctor/genmedgpt_5k.jsonl").write_text("".join(lines), "utf-8")
    questions = load_set("chatdoctor", folder, folder)
    home = StudyHome(folder / "home", TableRecognizer(NAMES), HashEmbedder())
    measurer = SearchMeasurer(home, questions)
    variants = [Variant(RECIPES[name]) for name in ("origin", "encrypted")]
    return [measurer.measure(home.index(questions.corpus, v), "off") for v in variants]


def test_the_plain_index_agrees_with_itself(scores):
    origin = scores[0]
    assert origin.agreement.successes == origin.agreement.trials > 0
    assert origin.ndcg.ratio is not None
    assert origin.ndcg.ratio.value == 1
    assert origin.published == origin.documents == 15


def test_the_sealed_index_finds_the_same_records(scores):
    origin, sealed = scores
    assert sealed.judged > 0
    assert sealed.hits.successes == sealed.hits.trials
    assert sealed.known == origin.known


def test_the_page_has_a_row_for_each_index(scores, tmp_path):
    page = markdown(scores, StudyRun("command", environment(), tmp_path))
    assert "| chatdoctor | `origin` | off |" in page
    assert "| chatdoctor | `encrypted` | off |" in page


def test_no_question_gives_no_figure(scores, tmp_path):
    unasked = scores[0].model_copy(update={"judged": 0, "known": Proportion.of(0, 0)})
    page = markdown([unasked], StudyRun("command", environment(), tmp_path))
    (row,) = (line for line in page.splitlines() if line.startswith("| chatdoctor | `origin`"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[4] == "0"
    assert {cells[5], cells[7], cells[9], cells[12]} == {NO_FIGURE}
