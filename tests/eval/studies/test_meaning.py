"""How the gate's measure of meaning is scored against marks made by hand.

When the gate's measure changes, write the page again:
`python -m sage_rag.eval.studies meaning --out docs/results/meaning.md`.
"""

from pathlib import Path

import pytest

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.meaning import FIRST, scores, tables
from sage_rag.eval.studies.meaning_curve import curve, curve_tables
from sage_rag.eval.studies.meaning_pairs import Change, MeaningPair, Split, meaning_pairs
from sage_rag.eval.studies.meaning_scores import PairResult, Scores, found, judge
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.meaning import meaning_changes

PAGE = Path(__file__).parents[3] / "docs" / "results" / "meaning.md"

SOURCE = {"question": "Is it safe? I take 5 mg.", "answer": "It is not safe. Stop it | now."}
DRAFT = {"question": "I take 5 mg.", "answer": "It is safe. Stop it | now."}
CHANGES = (
    Change("question-lost", "", "Is it safe?", "the question is gone"),
    Change("negation-lost", "It is safe.", "It is not safe.", "`not` is lost"),
)
ALTERED = MeaningPair("mail-1", "mail", Split.DEVELOPMENT, "rules", SOURCE, DRAFT, CHANGES)
FAITHFUL = MeaningPair("mail-2", "mail", Split.HELD_OUT, "model", SOURCE, SOURCE, ())
TEXT = "I take 5 mg.\nIt is safe. Stop it | now."


def changed(quote, text=TEXT):
    start = text.index(quote)
    return Finding(FindingKind.MEANING_CHANGED, "changed", start, start + len(quote))


LOST = Finding(FindingKind.QUESTION_LOST, "the question is lost")


def result(*findings, pair=ALTERED):
    return PairResult(pair, findings)


@pytest.mark.parametrize(
    ("findings", "hits"),
    [
        ((), (False, False)),
        ((changed("safe"),), (False, True)),
        ((changed("It is safe. "),), (False, True)),
        ((changed("Stop"),), (False, False)),
        ((LOST,), (True, False)),
        ((changed("5 mg"),), (False, False)),
        ((Finding(FindingKind.QUESTION_LOST, "lost", 13, 20),), (False, False)),
        ((Finding(FindingKind.QUESTION_LOST, "lost", 0, 12),), (True, False)),
        ((LOST, changed("safe")), (True, True)),
    ],
)
def test_a_change_is_found_in_its_sentence_and_a_lost_question_by_its_kind(findings, hits):
    assert result(*findings).found == hits


def test_a_change_reported_in_a_sentence_without_a_mark_is_false():
    both = result(changed("Stop"), changed("It is safe"))
    assert [TEXT[a:b].strip() for a, b in both.unmarked] == ["I take 5 mg.", "Stop it | now."]
    assert [TEXT[a:b].strip() for a, b in both.flagged] == ["Stop it | now."]


def test_a_lost_question_flags_no_sentence():
    asked = Finding(FindingKind.QUESTION_LOST, "lost", 0, 12)
    assert result(asked).flagged == ()


def test_the_scores_count_changes_drafts_and_sentences():
    results = [result(changed("safe")), result(LOST, pair=FAITHFUL)]
    assert Scores.of(results) == Scores(
        Proportion.of(1, 2), Proportion.of(1, 1), Proportion.of(1, 1), Proportion.of(0, 6)
    )
    assert scores(results)["held-out"].changes == Proportion.of(0, 0)
    assert found(results, "negation-lost") == Proportion.of(1, 1)
    assert found(results, "question-lost") == Proportion.of(0, 1)


def test_the_judge_gets_the_fields_of_source_and_draft():
    seen = []
    judge([ALTERED], lambda source, draft: seen.append((source, draft)) or [])
    assert seen == [(SOURCE, DRAFT)]


def test_the_page_lists_errors_and_quotes_the_development_half_alone():
    text = FAITHFUL.text
    page = tables([result(changed("Stop")), result(changed("Stop", text), pair=FAITHFUL)])
    missed = page.partition("## Missed\n\n")[2].splitlines()
    assert "| mail-1 | question-lost |  | `Is it safe?` |" in missed
    assert r"| mail-1 | `Stop it \| now.` |" in page
    assert "In the held-out split: mail-2 (1)." in page
    assert "In the held-out split: no pair." in page


def test_the_page_counts_what_the_gate_does():
    results = judge(meaning_pairs(), meaning_changes)
    assert tables(results) in PAGE.read_text("utf-8")


def test_the_first_measurement_counts_the_pairs_of_the_set():
    assert set(FIRST) == set(Split)
    for split, counts in FIRST.items():
        pairs = [p for p in meaning_pairs() if p.split is split]
        changes, altered, faithful, unmarked = (of for _, of in counts)
        assert changes == sum(len(p.changes) for p in pairs)
        assert altered == sum(bool(p.changes) for p in pairs)
        assert faithful == sum(not p.changes for p in pairs)
        assert unmarked == sum(len(PairResult(p, ()).unmarked) for p in pairs)


def test_the_page_repeats_the_first_measurement_and_adds_its_splits():
    first = tables([result()]).partition("First measurement")[2]
    assert f"| development | {Proportion.of(482, 598)} |" in first
    assert f"| all | {Proportion.of(729, 879)} | {Proportion.of(247, 250)} |" in first


def test_the_curve_falls_with_the_words_that_a_draft_may_add():
    source = {"text": "The lid must be shut. We met on the old pier."}
    draft = {"text": "The tall brass lid must be shut."}
    change = Change("invention", "tall brass", "", "not in the record")
    pair = MeaningPair("mail-101", "mail", Split.DEVELOPMENT, "model", source, draft, (change,))
    measured = curve([pair])
    assert measured[0][0].found == (True,)
    assert measured[None][0].found == (False,)
    assert "| mail | " in curve_tables(measured)
