"""Passages of what several subjects say."""

from __future__ import annotations

from sage_rag.indexer.consensus.compose import ConsensusRecord, compose
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.gate.support import SupportCounts, SupportGate

COMPLAINTS = ("an itchy rash", "a dry cough", "knee pain", "a burning throat")
ADVICE = (
    "Use a cold compress and avoid hot showers.",
    "Drink warm tea and rest your voice.",
    "Wear a brace and avoid running.",
    "Gargle with salt water.",
)
OPTIONS = ConsensusOptions(k=3, topic_records=6, topics_per_record=1)


def record(number, secret=""):
    kind = number % len(COMPLAINTS)
    question = f"I have {COMPLAINTS[kind]}. What should I do? {secret}"
    answer = f"{ADVICE[kind]} Case number{number} was seen by colleague{number}."
    return ConsensusRecord(f"s{number}", {"question": question, "answer": answer})


RECORDS = [record(number) for number in range(24)]


def composed(records=RECORDS, options=OPTIONS):
    return compose(records, HashEmbedder(), options)


def published(consensus):
    return "\n".join(text for p in consensus.passages for text in p.fields.values())


def test_what_all_say_is_published_and_what_one_says_is_not():
    text = published(composed())
    assert "I have an itchy rash" in text
    assert "avoid hot showers" in text.lower()
    assert "number" not in text
    assert "colleague" not in text


def test_what_three_subjects_call_possible_in_their_own_words_is_listed_as_possible():
    said = ("You may have gout.", "It could be gout.", "Probably it is gout.")
    for subjects in (2, 3):
        told = dict(zip((0, 4, 8), said[:subjects], strict=False))
        records = [record(n, told.get(n, "The gout of my cat.")) for n in range(0, 40, 4)]
        text = published(composed(records))
        assert ("Possible: gout." in text) is (subjects == 3)
        assert "gout" in text


def test_the_list_of_what_is_possible_has_the_words_of_most_records():
    matters = ("gout", "mumps", "lupus")
    records = [record(4 * n, f"Seen from here, you may have {matters[n % 3]}.") for n in range(12)]
    assert "Seen from here, you may have, notably: lupus, gout." in published(composed(records))


def test_every_passage_passes_the_gate_again():
    gate = SupportGate(SupportCounts((r.subject, r.fields.values()) for r in RECORDS), 3)
    passages = composed().passages
    assert passages
    for passage in passages:
        subjects = frozenset(RECORDS[row].subject for row in passage.members)
        assert gate.judge(passage.fields, subjects) == []
        assert passage.subjects == len(subjects) >= 3


def test_a_secret_of_fewer_than_k_subjects_is_not_published():
    for subjects, expected in ((1, False), (2, False), (3, True), (5, True)):
        records = [
            record(4 * i, "My uncle breeds llamas." if i < subjects else "") for i in range(8)
        ]
        found = "breeds llamas" in published(composed(records)).lower()
        assert found is expected, subjects


def test_a_secret_that_one_subject_repeats_is_not_published():
    own = [ConsensusRecord("s0", record(0, "My uncle breeds llamas.").fields)] * 5
    assert "llamas" not in published(composed([*own, *RECORDS]))


def test_the_order_of_records_does_not_matter():
    mixed = RECORDS[::-1]
    first, second = composed(), composed(mixed)
    assert [p.fields for p in first.passages] == [p.fields for p in second.passages]
    names = [{mixed[row].subject for row in p.members} for p in second.passages]
    assert names == [{RECORDS[row].subject for row in p.members} for p in first.passages]


def test_a_corpus_of_two_subjects_publishes_nothing():
    consensus = composed(RECORDS[:2])
    assert consensus.passages == ()
    assert consensus.represented == 0


def test_no_record_gives_no_passage():
    assert composed([]).passages == ()


def test_representations_do_not_show_records():
    assert "rash" not in repr(RECORDS[0])
