"""Topics of records."""

from __future__ import annotations

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.consensus import topics
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.consensus.topics import group_records


def near(directions, each, seed=0):
    """Return `each` vectors near each of the first unit vectors."""
    random = np.random.default_rng(seed)
    base = np.repeat(np.eye(8, dtype=np.float32)[:directions], each, axis=0)
    vectors = base + random.normal(0, 0.05, base.shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_each_topic_has_k_subjects_and_each_record_a_topic():
    vectors = near(4, 10)
    subjects = [f"s{row // 2}" for row in range(40)]
    found = group_records(vectors, subjects, ConsensusOptions(k=3))
    assert {row for topic in found for row in topic} == set(range(40))
    assert all(len({subjects[row] for row in topic}) >= 3 for topic in found)


def test_alike_records_share_a_topic():
    options = ConsensusOptions(topic_records=10, topics_per_record=1)
    found = group_records(near(4, 10), list(map(str, range(40))), options)
    assert all(len({row // 10 for row in topic}) == 1 for topic in found)


def test_fewer_subjects_than_k_have_no_topic():
    assert group_records(near(2, 5), ["one", "two"] * 5, ConsensusOptions(k=3)) == []


def test_many_records_are_divided_into_cells(monkeypatch):
    monkeypatch.setattr(topics, "_CELL", 16)
    found = group_records(near(4, 12), list(map(str, range(48))), ConsensusOptions())
    assert {row for topic in found for row in topic} == set(range(48))


def test_no_record_has_no_topic():
    assert group_records(np.zeros((0, 8), np.float32), [], ConsensusOptions()) == []


@pytest.mark.parametrize("wrong", [{"k": 1}, {"k": 2000}, {"words": 0}, {"topic_records": 0}])
def test_values_out_of_range_are_refused(wrong):
    with pytest.raises(InputError):
        ConsensusOptions(**wrong)
