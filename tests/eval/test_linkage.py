"""Linkage and membership on invented corpora with known answers."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sage_rag.common.exceptions import InputError
from sage_rag.eval.linkage import Membership, PublishedText, exposures
from sage_rag.indexer.testing import HashEmbedder

RANDOM = Random(3)  # noqa: S311
VOCABULARY = [f"w{i}" for i in range(500)]


def texts(count, length=40):
    return [" ".join(RANDOM.choices(VOCABULARY, k=length)) for _ in range(count)]


RECORDS = {f"r{i}": text for i, text in enumerate(texts(60))}
OTHERS = texts(100)


def measured(published, others=OTHERS, originals=RECORDS):
    passages = [PublishedText(source, text) for source, text in published.items()]
    return {e.likeness: e for e in exposures(passages, originals, others, HashEmbedder())}


def test_a_corpus_published_as_it_is_is_linked_and_detected_whole():
    for exposure in measured(RECORDS).values():
        assert exposure.linked.successes == exposure.linked.trials == 60
        assert exposure.membership.auc == exposure.membership.high == 1
        assert exposure.membership.detected.successes == 60


def test_unrelated_passages_reveal_nothing():
    unrelated = dict(zip(RECORDS, texts(60), strict=True))
    found = measured(unrelated)
    assert found["runs"].linked.successes == 0
    for exposure in found.values():
        assert exposure.linked.successes < 8
        assert exposure.membership.low <= 0.5 <= exposure.membership.high


def test_sentences_in_another_order_are_linked_all_the_same():
    turned = {}
    for source, text in RECORDS.items():
        words = text.split()
        turned[source] = " ".join(words[20:] + words[:20])
    found = measured(turned)
    assert {exposure.linked.successes for exposure in found.values()} == {60}


def test_words_in_another_order_are_linked_by_vectors_and_not_by_runs():
    shuffled = {s: " ".join(RANDOM.sample(t.split(), 40)) for s, t in RECORDS.items()}
    found = measured(shuffled)
    assert found["cosine"].linked.successes == 60
    assert found["runs"].linked.successes < 5


def test_a_passage_of_another_record_is_not_linked_to_its_source():
    names = list(RECORDS)
    swapped = dict(zip(names, [RECORDS[n] for n in [*names[1:], names[0]]], strict=True))
    assert {e.linked.successes for e in measured(swapped).values()} == {0}


def test_a_tie_is_no_link():
    twins = {"a": "one two three four five", "b": "one two three four five"}
    found = measured({"a": twins["a"]}, (), twins)
    assert found["runs"].linked.successes == 0


def test_only_records_with_a_passage_are_members():
    half = dict(list(RECORDS.items())[:20])
    found = measured(half)
    assert {e.membership.members for e in found.values()} == {20}
    assert {e.membership.others for e in found.values()} == {100}


def test_without_other_records_membership_is_not_measured():
    assert {e.membership for e in measured(RECORDS, ()).values()} == {None}


def test_names_under_tokens_are_no_runs_in_common():
    record = {"a": "Ada Novak of Bern has a knee", "b": "Tom Hill of Rome has a hip now"}
    sealed = {"a": "PERSON_[q2Zf-3kA] of LOCATION_[b-c] has a knee"}
    found = measured(sealed, (), record)
    assert found["runs"].linked.successes == 0
    assert found["cosine"].linked.successes == 1


@pytest.mark.parametrize("published", [{}, {"unknown": "a b c d"}])
def test_what_cannot_be_linked_is_an_error(published):
    with pytest.raises(InputError):
        measured(published)


SCORES = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30)


@given(SCORES, SCORES)
def test_the_area_is_that_of_scikit_learn(members, others):
    labels = [1] * len(members) + [0] * len(others)
    found = Membership.of(members, others)
    assert found.auc == pytest.approx(roc_auc_score(labels, [*members, *others]), abs=1e-4)
    assert 0 <= found.low <= found.high <= 1


@pytest.mark.parametrize(
    ("others", "detected"),
    [
        ([0.0] * 99 + [5.0], 3),  # one of a hundred may reach a member's score
        ([0.0] * 98 + [5.0, 5.0], 0),
        ([0.0] * 99 + [9.0], 3),
        ([0.0] * 98 + [9.0, 9.0], 0),
        ([0.0] * 50, 3),
        ([0.0] * 49 + [9.0], 0),  # one of fifty is over 1 %
    ],
)
def test_members_are_detected_at_one_false_alarm_in_a_hundred(others, detected):
    found = Membership.of([5.0, 5.0, 5.0, -1.0], others)
    assert found.detected.successes == detected


@pytest.mark.parametrize(("members", "others"), [([], [1.0]), ([1.0], [])])
def test_membership_needs_both_kinds_of_records(members, others):
    with pytest.raises(InputError):
        Membership.of(members, others)
