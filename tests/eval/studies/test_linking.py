"""Counting pairs of mentions."""

import json

from sage_rag.eval.studies.linking import measure, read_people
from sage_rag.privacy.labels import Scheme


def test_pairs_are_counted_and_those_spelt_differently_apart():
    records = [
        (["Ada Keller", "Ms Keller", "Ada Keller", "Bo Lund"], ["a", "a", "a", "b"]),
        (["Keller", "Lund"], ["a", "a"]),
    ]
    links = measure("set", records)
    assert (links.precision.successes, links.precision.trials) == (3, 3)
    assert (links.recall.successes, links.recall.trials) == (3, 4)
    assert (links.differing_recall.successes, links.differing_recall.trials) == (2, 3)


def test_only_people_with_a_known_identity_are_read(tmp_path):
    text = "Ada Keller of Leeds met Bo."
    spans = [
        {"start": 0, "end": 10, "label": "PERSON", "text": "Ada Keller", "entity_id": 0},
        {"start": 14, "end": 19, "label": "LOC", "text": "Leeds", "entity_id": "e2"},
        {"start": 24, "end": 26, "label": "PERSON", "text": "Bo", "entity_id": None},
    ]
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps({"text": text, "spans": spans}) + "\n", "utf-8")
    assert list(read_people(path, Scheme.TAB)) == [(["Ada Keller"], ["0"])]
