import time

import pytest

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.completions import (
    CompletionUsage,
    Envelope,
    cite,
    count_tokens,
    sources_markdown,
    without_markers,
)
from tests.growth import LINEAR, growth

PASSAGES = [Passage(f"p{n}", f"SOURCE_[{n}]", {"q": "Q", "a": f"text {n}"}, n / 10) for n in (1, 2)]


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Rest [1].", [1]),
        ("Rest [2][1], rest [1].", [1, 2]),
        ("Rest [1, 2].", [1, 2]),
        ("Rest.", []),
        ("Rest [3] [0] [x] [1.5].", []),
        ("PERSON_[1] rests.", []),
        ("PERSON_[1] rests [2].", [2]),
        ("as in [1994]", []),
    ],
)
def test_markers_become_citations(answer, numbers):
    assert [c["index"] for c in cite(answer, PASSAGES)] == numbers


CITATION = {
    "index": 2,
    "id": "p2",
    "source": "SOURCE_[2]",
    "layer": "records",
    "text": "Q\ntext 2",
}


def test_a_citation_holds_rank_passage_source_layer_and_text_but_no_score():
    assert cite("[2]", PASSAGES) == [CITATION]


def test_a_citation_holds_the_score_where_it_is_asked_for():
    assert cite("[2]", PASSAGES, scores=True) == [{**CITATION, "score": 0.2}]


def test_the_markdown_list_names_each_source_and_is_empty_without_any():
    listed = sources_markdown(cite("[1][2]", PASSAGES))
    assert listed == "\n\n**Sources**\n\n- [1] SOURCE_[1]\n- [2] SOURCE_[2]"
    assert sources_markdown([]) == ""


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("Rest helps.", 3), ("PERSON_[q2Zf3k-_] rests", 2), ("don't", 3), ("  \n ", 0)],
)
def test_words_marks_and_tokens_count_one_each(text, count):
    assert count_tokens([text]) == count


def test_ids_differ_and_time_is_whole_seconds():
    one, two = (Envelope("m").whole("a", "stop", CompletionUsage(1, 2), []) for _ in range(2))
    assert one["id"] != two["id"]
    assert one["id"].startswith("chatcmpl-")
    assert isinstance(one["created"], int)
    assert abs(one["created"] - time.time()) < 5
    assert one["usage"] == {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Take [2] of them [1, 2].", "Take (2) of them (1, 2)."),
        ("From [4, 16] mg to [3].", "From [4, 16] mg to [3]."),
        ("PERSON_[1] took [1].", "PERSON_[1] took (1)."),
        ("Rest.", "Rest."),
    ],
)
def test_a_marker_in_a_record_cites_no_passage(text, shown):
    assert without_markers(text, 2) == shown
    assert len(shown) == len(text)


def test_markers_of_a_long_record_are_replaced_in_linear_time():
    assert growth(lambda size: without_markers("[1] " * size, 2), 10_000) < LINEAR
