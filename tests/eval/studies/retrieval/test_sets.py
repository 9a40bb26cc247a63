import json
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.retrieval.sets import halves, load_set, short_query


def write(path: Path, *records: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def test_a_wikipedia_question_asks_for_the_passages_with_its_answer(tmp_path):
    filler = "The river is long and slow, and few people live on it. " * 60
    text = f"{filler}The bridge opened in 1893. {filler}"
    write(tmp_path / "nq_open/leval_nq_docs.jsonl", {"doc_id": "n1", "text": text})
    write(
        tmp_path / "nq_open/leval_nq_qa.jsonl",
        {"id": "q1", "doc_id": "n1", "question": "when did the bridge open", "answer": "1893"},
        {"id": "q2", "doc_id": "n1", "question": "how long is the river", "answer": "9 miles"},
    )
    found = load_set("nq_open", tmp_path, tmp_path)
    bridge, river = found.queries
    texts = {document.id: document.text for document in found.corpus.documents}
    assert [("1893" in texts[name]) for name in bridge.relevant] == [True]
    assert not river.relevant


def test_a_question_of_a_story_asks_for_its_passages_unless_two_stories_share_it(tmp_path):
    plot, who = "What is the plot?", "Who runs?"
    write(
        tmp_path / "squality/dev.jsonl",
        {
            "passage_id": "s1",
            "text": "Rain. " * 700,
            "questions": [{"question": plot}, {"question": who}],
        },
        {"passage_id": "s2", "text": "Snow.", "questions": [{"question": plot}]},
    )
    [query] = load_set("squality", tmp_path, tmp_path).queries
    assert query.text == who
    assert {name.partition("#")[0] for name in query.relevant} == {"s1"}
    assert len(query.relevant) == 3


def test_a_later_piece_of_a_judgment_is_asked_for_with_the_applicant(tmp_path):
    long = "Eva Lund applied. " + "The ferry sank in the harbour and the owner paid. " * 120
    write(
        tmp_path / "tab_echr_english/tab.jsonl",
        {"doc_id": "j1", "applicant": "Eva Lund", "text": long},
        {"doc_id": "j2", "applicant": "Jon Moe", "text": "Jon Moe applied. The mill stands."},
    )
    queries = load_set("tab", tmp_path, tmp_path).queries
    assert len(queries) >= 3
    assert {query.text.partition(" ferry")[0] for query in queries} == {"Eva Lund"}
    asked = [name for query in queries for name in query.relevant]
    assert "j1#1" not in asked
    assert {name.partition("#")[0] for name in asked} == {"j1"}


def test_a_short_query_has_content_words_in_their_order():
    text = "Well my left knee swells after every walk and the stairs have become a daily fight"
    words = short_query(text).split()
    assert 3 <= len(words) <= 6
    assert [text.split().index(word) for word in words] == sorted(
        text.split().index(w) for w in words
    )


def test_the_halves_share_no_question(tmp_path):
    records = [
        {"id": f"d{i}", "question": f"question number {i}", "answer": "yes"} for i in range(12)
    ]
    write(tmp_path / "chatdoctor/genmedgpt_5k.jsonl", *records)
    queries = load_set("chatdoctor", tmp_path, tmp_path).queries
    choosing, reported = halves(queries)
    assert len(choosing) + len(reported) == len(queries)
    assert abs(len(choosing) - len(reported)) <= 1


def test_an_unknown_set_is_one_clear_line(tmp_path):
    with pytest.raises(InputError, match="no question set"):
        load_set("none", tmp_path, tmp_path)
