"""Counts of subjects, and the gate of support."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.labels import OFTEN
from sage_rag.privacy.gate.support import (
    SupportCounts,
    SupportGate,
    content_stems,
    split_statements,
)

words = st.lists(st.sampled_from("rash fever the a of cough night".split()), max_size=12)
texts = words.map(" ".join)
records = st.lists(st.tuples(st.sampled_from("abcd"), st.lists(texts, max_size=2)), max_size=8)


def holders(given_records, run):
    """Return the subjects that say a run, counted plainly."""
    found = set()
    for subject, parts in given_records:
        tokens = draft_tokens(" ".join(parts))
        starts = range(len(tokens) - len(run) + 1)
        if any(tokens[i : i + len(run)] == run for i in starts):
            found.add(subject)
    return found


@given(records, words, st.integers(1, 9))
def test_counts_are_those_of_a_plain_search(given_records, asked, size):
    counts = SupportCounts(given_records)
    expected = [
        len(holders(given_records, asked[i : i + size])) for i in range(len(asked) - size + 1)
    ]
    assert counts.of_runs(asked, size).tolist() == expected


@given(records, texts)
def test_subjects_with_all_stems_are_those_of_a_plain_search(given_records, asked):
    counts = SupportCounts(given_records)
    stems = content_stems(asked)
    held = {}
    for subject, parts in given_records:
        held.setdefault(subject, set()).update(*map(content_stems, parts))
    expected = sum(stems <= own for own in held.values())
    assert counts.together(stems) == counts.together(stems, held) == expected


@given(records, texts, texts)
def test_what_passes_is_said_by_k_subjects(given_records, first, second):
    gate = SupportGate(SupportCounts(given_records), 2)
    fields = {"text": f"{first}.\n{second}."}
    if gate.judge(fields):
        return
    for statement in split_statements(fields["text"]):
        tokens = draft_tokens(statement)
        assert len(holders(given_records, tokens)) >= (2 if len(tokens) < 4 else 4)
    tokens = draft_tokens(fields["text"])
    for size in range(2, len(tokens) + 1):
        for start in range(len(tokens) - size + 1):
            subjects = len(holders(given_records, tokens[start : start + size]))
            assert subjects == 0 or subjects >= (2 if size < 4 else 4)
            assert size < 10 or subjects == 0


def test_a_run_continues_in_the_next_field_of_a_record():
    told = [*((n, ["a sore throat", "go"]) for n in "abc"), *((n, ["drink tea"]) for n in "abc")]
    fields = {"question": "A sore throat.", "answer": "Drink tea."}
    assert kinds(fields, told) == []
    assert kinds(fields, [*told, ("d", ["a sore throat", "drink tea"])]) == [
        FindingKind.UNSUPPORTED_DETAIL
    ]


def test_a_label_is_a_word_of_the_passage():
    told = [
        *((name, ["Drink plenty of water."]) for name in "abcfgh"),
        ("d", ["I cough often. I drink"]),
    ]
    assert kinds({"answer": f"{OFTEN}: drink plenty of water."}, told) == []
    told.append(("e", ["I do that often. Drink tea."]))
    assert kinds({"answer": f"{OFTEN}: drink plenty of water."}, told) == [
        FindingKind.UNSUPPORTED_DETAIL
    ]


def test_ten_words_in_a_row_of_an_original_do_not_pass_in_two_statements():
    nine = "one two three four five six seven eight nine"
    told = [(name, [f"{nine} ten"]) for name in "abcdef"]
    assert kinds({"text": f"{nine}."}, told) == []
    assert kinds({"text": f"{nine}.\nTen."}, told) == [FindingKind.UNSUPPORTED_DETAIL]


SIX = [(name, ["Drink plenty of water and see a doctor."]) for name in "abcdef"]


def kinds(fields, given_records=SIX, k=3, subjects=None):
    gate = SupportGate(SupportCounts(given_records), k)
    return [finding.kind for finding in gate.judge(fields, subjects)]


def test_a_statement_that_enough_subjects_say_passes():
    assert kinds({"answer": f"{OFTEN}: drink plenty of water.\nSee a doctor."}) == []


def test_four_words_need_twice_the_subjects_of_three():
    assert kinds({"answer": "See a doctor."}, SIX[:3]) == []
    assert kinds({"answer": "And see a doctor."}, SIX[:5]) == [FindingKind.UNSUPPORTED_DETAIL]
    assert kinds({"answer": "And see a doctor."}, SIX) == []


def test_four_words_in_two_statements_need_as_many_subjects_as_in_one():
    assert kinds({"answer": "And see.\nA doctor."}, SIX[:5]) == [FindingKind.UNSUPPORTED_DETAIL]
    assert kinds({"answer": "And see.\nA doctor."}, SIX) == []


@pytest.mark.parametrize("text", ["Drink plenty of tea.", "Water of plenty drink.", "Drink 3."])
def test_words_and_runs_that_fewer_say_do_not_pass(text):
    assert kinds({"answer": text}) == [FindingKind.UNSUPPORTED_DETAIL]


def test_parts_that_three_say_are_no_whole_that_three_say():
    parts = ["rest the sore knee", "the sore knee in ice", "sore knee in ice water"]
    told = [(f"{n}{part}", [part]) for part in parts for n in range(6)]
    told += [("a", ["rest the sore knee in ice water"])]
    whole = {"text": "Rest the sore knee in ice water."}
    assert kinds(whole, told) == [FindingKind.UNSUPPORTED_DETAIL]


def test_a_statement_of_ten_words_does_not_pass():
    ten = "one two three four five six seven eight nine ten"
    told = [(name, [ten]) for name in "abcdef"]
    assert kinds({"text": ten}, told) == [FindingKind.UNSUPPORTED_DETAIL]
    assert kinds({"text": ten.removesuffix(" ten")}, told) == []


def test_three_notes_of_one_subject_are_one_subject():
    notes = [("a", ["She drinks water."])] * 3
    assert kinds({"text": "She drinks water."}, notes) == [FindingKind.UNSUPPORTED_DETAIL]


def test_two_words_of_one_subject_do_not_pass_in_two_statements():
    told = [(name, ["A green door. My parrot."]) for name in "fgh"]
    told.append(("e", ["Her green."]))
    assert kinds({"text": "Green.\nParrot."}, told) == []
    told.append(("d", ["Her green parrot bites."]))
    assert kinds({"text": "Green.\nParrot."}, told) == [FindingKind.UNSUPPORTED_DETAIL]
    told += [(name, ["A green parrot."]) for name in "ij"]
    assert kinds({"text": "Green.\nParrot."}, told) == []


def test_words_that_meet_in_one_original_do_not_pass_where_a_value_hides_them():
    protected = [(name, ["See Rose. Rest."]) for name in "abc"]
    protected.append(("d", ["[PERSON_1] rest."]))
    gate = SupportGate(SupportCounts(protected), 3)
    apart = {"text": "Rest.\nRose."}
    assert gate.judge(apart) == []
    originals = [*protected[:3], ("d", ["Rest Rose."])]
    counts = SupportCounts(protected, originals)
    assert counts.in_any_form(["rest", "rose"])[1].tolist() == [1]
    assert [f.kind for f in SupportGate(counts, 3).judge(apart)] == [FindingKind.UNSUPPORTED_DETAIL]


@given(records, records, words)
def test_runs_count_in_either_form_once_a_subject(protected, originals, asked):
    counts = SupportCounts(protected, originals)
    for size, found in enumerate(counts.in_any_form(asked), 1):
        runs = [asked[i : i + size] for i in range(len(asked) - size + 1)]
        both = [holders(protected, run) | holders(originals, run) for run in runs]
        assert found.tolist() == list(map(len, both))


def test_content_words_are_said_together_by_subjects_of_the_topic():
    apart = [*((n, ["a rash"]) for n in "abc"), *((n, ["a fever"]) for n in "def")]
    gate = SupportGate(SupportCounts(apart), 3)
    assert gate.supports("a rash", frozenset("abc"))
    assert not gate.supports("a rash", frozenset("abd"))
    assert not gate.supports("rash fever")


def test_a_topic_of_two_subjects_is_refused():
    assert kinds({"text": "See a doctor."}, subjects=frozenset("ab")) == [
        FindingKind.TOO_FEW_SUBJECTS
    ]


def test_findings_quote_nothing():
    gate = SupportGate(SupportCounts(SIX), 3)
    (finding,) = gate.judge({"text": "Maria Keller."})
    assert "Keller" not in finding.message


def test_k_is_two_at_least():
    with pytest.raises(ValueError, match="at least 2"):
        SupportGate(SupportCounts(SIX), 1)


def test_an_empty_corpus_supports_nothing():
    assert kinds({"text": "See a doctor."}, []) == [FindingKind.UNSUPPORTED_DETAIL]
