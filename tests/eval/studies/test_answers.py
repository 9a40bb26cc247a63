import json
from collections import Counter
from typing import Any

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.answers.asker import Reply, ask_all
from sage_rag.eval.studies.answers.people import people_questions
from sage_rag.eval.studies.answers.sets import (
    EXAMPLES,
    GoldQuestion,
    example_questions,
    gold_conversations,
    gold_questions,
    verdicts,
)
from sage_rag.eval.studies.answers.study import _near_table
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.testing import TableRecognizer

FIELDS = ("question", "answer")
RECORDS = {document.id for document in read_corpus(EXAMPLES / "clinic.jsonl", FIELDS)}


def test_the_sets_have_the_sizes_that_the_page_states():
    kinds = Counter("answerable" if q.expects else "not" for q in gold_questions())
    assert kinds == {"answerable": 50, "not": 50}
    assert len(gold_conversations()) == 40
    assert len(example_questions()) == 20


def test_every_set_has_two_halves_of_one_size():
    for items in (gold_questions(), gold_conversations()):
        assert len(set(Counter(item.half for item in items).values())) == 1


def test_expected_records_exist_and_questions_differ():
    items = [*gold_questions(), *gold_conversations(), *example_questions()]
    assert set().union(*(item.expects for item in items)) <= RECORDS
    texts = [question.text for question in gold_questions()]
    assert len(set(texts)) == len(texts)


def test_conversations_have_two_or_three_turns():
    assert {len(conversation.turns) for conversation in gold_conversations()} == {2, 3}


def test_a_verdict_has_one_of_four_values():
    assert {found["verdict"] for found in verdicts().values()} <= {
        "good", "partial", "poor", "refused",
    }  # fmt: skip


def test_a_row_of_a_corpus_counts_one_half():
    evidence: Any = None
    reply = Reply("", "", "", "", evidence, named=False)
    questions = [
        GoldQuestion(half, half, "unanswerable", "Why?", frozenset())
        for half in ("reported", "development", "reported")
    ]
    lines = _near_table({"clinic": [(question, reply) for question in questions]}).splitlines()
    counts = {line.split(" | ")[0].strip("| "): line.count("of 2 (") for line in lines[2:]}
    assert counts == {
        "all, development": 0,
        "all, reported": 3,
        "clinic, development": 0,
        "clinic, reported": 3,
    }


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> StudyHome:
    return StudyHome(
        tmp_path_factory.mktemp("home"), recognizer=TableRecognizer({}), embedder=HashEmbedder()
    )


def test_a_question_is_asked_of_an_index_with_its_history(plain):
    documents = tuple(read_corpus(EXAMPLES / "clinic.jsonl", FIELDS))
    corpus = Corpus("clinic", EXAMPLES / "clinic.jsonl", FIELDS, documents, probes=())
    path = plain.index(corpus, Variant(RECIPES["origin"])).path
    turns = ["How should levothyroxine be taken with coffee and iron?", "And the calcium?"]
    own, later = ask_all(path, plain.embedder, None, [turns[:1], turns])
    assert own.first == later.first == "clinic-007"
    assert own.cited in ("clinic-007", "")


def test_a_passage_that_nobody_judged_stops_the_study(tmp_path):
    documents = [
        {"doc_id": "d", "text": "The mill was built in 1820. " * 30 + "It has a wheel. " * 60}
    ]
    asked = [{"doc_id": "d", "question": "when was the mill built", "answer": "1820"}]
    (tmp_path / "nq_open").mkdir()
    for name, rows in (("docs", documents), ("qa", asked)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"nq_open/leval_nq_{name}.jsonl").write_text(lines, "utf-8")
    with pytest.raises(InputError, match="no verdict on a passage for `when was the mill built`"):
        people_questions(tmp_path, HashEmbedder())
