"""Linkage and membership on invented corpora with known answers."""

from random import Random

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.linkage import HeldRecords, PublishedText, exposures
from sage_rag.indexer.testing import HashEmbedder

RANDOM = Random(3)  # noqa: S311
VOCABULARY = [f"w{i}" for i in range(500)]


def texts(count, length=40):
    return [" ".join(RANDOM.choices(VOCABULARY, k=length)) for _ in range(count)]


RECORDS = {f"r{i}": text for i, text in enumerate(texts(60))}
OTHERS = texts(100)


def measured(published, others=OTHERS, originals=RECORDS, **choices):
    passages = [PublishedText((source,), text) for source, text in published.items()]
    return by_likeness(passages, others, originals, **choices)


def by_likeness(passages, others=OTHERS, originals=RECORDS, **choices):
    foreign = {f"other {i}": text for i, text in enumerate(others)}
    held = HeldRecords(originals, foreign, **choices)
    return {e.likeness: e for e in exposures(passages, held, HashEmbedder())}


def linked(found):
    return {e.linked.successes for e in found.values() if e.linked}


def test_a_corpus_published_as_it_is_is_linked_and_detected_whole():
    found = measured(RECORDS)
    assert found["union"].linked is None
    for exposure in found.values():
        if exposure.likeness != "union":
            assert exposure.linked.successes == exposure.linked.trials == 60
        assert exposure.membership.auc == exposure.membership.high == 1
        assert exposure.membership.detected.successes == 60


def test_unrelated_passages_reveal_nothing():
    unrelated = dict(zip(RECORDS, texts(60), strict=True))
    found = measured(unrelated)
    assert found["runs"].linked.successes == 0
    assert found["cosine"].linked.successes < 8
    for exposure in found.values():
        assert exposure.membership.low <= 0.5 <= exposure.membership.high


def test_sentences_in_another_order_are_linked_all_the_same():
    turned = {}
    for source, text in RECORDS.items():
        words = text.split()
        turned[source] = " ".join(words[20:] + words[:20])
    found = measured(turned)
    assert linked(found) == {60}


def test_words_in_another_order_are_linked_by_vectors_and_not_by_runs():
    shuffled = {s: " ".join(RANDOM.sample(t.split(), 40)) for s, t in RECORDS.items()}
    found = measured(shuffled)
    assert found["cosine"].linked.successes == 60
    assert found["runs"].linked.successes < 5


def test_a_passage_of_another_record_is_not_linked_to_its_source():
    names = list(RECORDS)
    swapped = dict(zip(names, [RECORDS[n] for n in [*names[1:], names[0]]], strict=True))
    assert linked(measured(swapped)) == {0}


def test_a_tie_is_no_link():
    twins = {"a": "one two three four five", "b": "one two three four five"}
    found = measured({"a": twins["a"]}, (), twins)
    assert found["runs"].linked.successes == 0


def test_records_without_a_passage_are_members_unless_others_are_named():
    half = dict(list(RECORDS.items())[:20])
    for members, count in ((None, 60), (list(half), 20)):
        found = measured(half, members=members)
        assert {e.membership.members for e in found.values()} == {count}
        assert {e.membership.others for e in found.values()} == {100}
    assert measured(half)["runs"].membership.auc < 0.8


def test_a_passage_of_several_records_is_linked_to_any_of_them():
    names = list(RECORDS)
    topics = [tuple(names[i : i + 3]) for i in range(0, 60, 3)]
    passages = [PublishedText(topic, RECORDS[topic[1]]) for topic in topics]
    found = by_likeness(passages)
    assert linked(found) == {20}
    assert {e.chance for e in found.values() if e.linked} == {0.05}
    others = [PublishedText(topics[i - 1], p.text) for i, p in enumerate(passages)]
    assert linked(by_likeness(others)) == {0}


def test_pieces_of_a_record_all_over_the_index_are_found_in_their_union():
    words = {source: text.split() for source, text in RECORDS.items()}
    names = list(RECORDS)
    mixed = []
    for i in range(8):
        pieces = [word for name in names for word in (*words[name][5 * i : 5 * i + 5], "|")]
        mixed.append(PublishedText(tuple(names), " ".join(pieces)))
    found = by_likeness(mixed)
    assert found["union"].membership.auc == 1
    assert found["union"].membership.detected.successes == 60
    once = by_likeness(mixed[:1])
    assert once["runs"].membership == once["union"].membership


def test_membership_is_asked_of_subjects_by_the_mean_of_their_records():
    notes = {f"p{i // 3}#{i}": text for i, text in enumerate(RECORDS.values())}
    first = {name: text for i, (name, text) in enumerate(notes.items()) if i % 3 == 0}
    found = measured(first, originals=notes, subject=lambda name: name.partition("#")[0])
    assert {e.membership.members for e in found.values()} == {20}
    assert {e.membership.others for e in found.values()} == {100}
    assert found["runs"].membership.auc == 1


def test_a_stock_phrase_in_a_record_of_another_subject_hides_no_member():
    phrase = "thank you for your question today"
    members = {f"m{i}": text for i, text in enumerate(texts(10))}
    others = {f"o{i}": text for i, text in enumerate(texts(10))}
    held = HeldRecords(
        members | {f"{name}#2": phrase for name in members},
        others | {f"{name}#2": phrase for name in others},
        subject=lambda name: name.partition("#")[0],
    )
    passages = [PublishedText((name,), text) for name, text in held.indexed.items()]
    for exposure in exposures(passages, held, HashEmbedder()):
        assert exposure.membership.members == exposure.membership.others == 10
        assert exposure.membership.auc == 1


def test_more_passages_than_a_block_are_all_compared(monkeypatch):
    whole = measured(RECORDS)
    monkeypatch.setattr("sage_rag.eval.linkage._BLOCK", 7)
    assert measured(RECORDS) == whole


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
