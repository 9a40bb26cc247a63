from collections import Counter
from importlib import resources
from itertools import pairwise

from sage_rag.eval.studies.recognition import gold_rows
from sage_rag.privacy.entities import EntityType

ROWS = list(gold_rows(resources.files("sage_rag.eval.gold") / "clinical_names.jsonl"))
NAMED = [row for row in ROWS if row["style"] != "none"]


def names(row):
    return [
        row["text"][s["start"] : s["end"]] for s in row["spans"] if s["label"] == EntityType.PERSON
    ]


def test_ids_and_texts_are_unique():
    assert len({row["id"] for row in ROWS}) == len({row["text"] for row in ROWS}) == len(ROWS)


def test_styles_are_as_many_as_said():
    assert Counter(row["style"] for row in ROWS) == {
        "lower": 85,
        "misspelt": 70,
        "clean": 55,
        "none": 40,
    }


def test_spans_are_in_order_apart_and_of_our_types():
    for row in ROWS:
        assert {s["label"] for s in row["spans"]} <= {t.value for t in EntityType}, row["id"]
        assert all(a["end"] <= b["start"] for a, b in pairwise(row["spans"])), row["id"]
        for span in row["spans"]:
            value = row["text"][span["start"] : span["end"]]
            assert value, row["id"]
            assert value == value.strip(), row["id"]


def test_every_text_but_those_without_names_has_one():
    assert all(names(row) for row in NAMED)
    assert not any(row["spans"] for row in ROWS if row["style"] == "none")


def test_texts_are_as_long_as_messages_are():
    assert all(200 <= len(row["text"]) <= 900 for row in ROWS)


def test_half_of_the_names_are_in_lower_case():
    values = [name for row in NAMED for name in names(row)]
    assert 0.4 <= sum(name == name.lower() for name in values) / len(values) <= 0.6
