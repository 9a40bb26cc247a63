"""The gold set for changes of meaning: what it promises, and how it is read."""

import json
import re
from collections import Counter
from itertools import product

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies import meaning_pairs as module
from sage_rag.eval.studies.meaning_pairs import (
    KINDS,
    Change,
    MeaningPair,
    Split,
    meaning_pairs,
    overlap,
)
from sage_rag.privacy.protect import join_fields

PAIRS = meaning_pairs()
ALTERED = [pair for pair in PAIRS if pair.changes]
FIRST_WRITERS = [pair for pair in PAIRS if int(pair.id.rpartition("-")[2]) <= 200]
DOMAINS = {
    Split.DEVELOPMENT: ("dialogue", "letter", "judgment", "mail", "support"),
    Split.HELD_OUT: ("dialogue", "letter", "judgment", "mail", "support", "report"),
}
STYLES = ("rules", "model")
GONE = ("reference", "condition-dropped", "warning-cut")
"""The sentence can be the record's own, without the one before or after it that it needs."""
ROW = {
    "id": "letter-01",
    "domain": "letter",
    "split": "development",
    "style": "rules",
    "source": {"course": "He came on Monday.", "plan": "Take 5 mg daily until May."},
    "draft": {"course": "Dr. Roe saw him. He came.", "plan": "Take 5 mg daily."},
    "changes": [
        {
            "kind": "instruction-cut",
            "draft": "5 mg daily.",
            "source": "until May",
            "reason": "the end is cut",
        }
    ],
}


def words(fields):
    return sum(len(text.split()) for text in fields.values())


def read(monkeypatch, tmp_path, row):
    (tmp_path / "meaning.jsonl").write_text(json.dumps(row), "utf-8")
    monkeypatch.setattr(module.resources, "files", lambda package: tmp_path)
    return meaning_pairs()


def test_ids_and_texts_are_unique():
    texts = {(*pair.source.values(),) for pair in PAIRS} | {(pair.text,) for pair in PAIRS}
    assert len({pair.id for pair in PAIRS}) == len(PAIRS) >= 120
    assert len(texts) == 2 * len(PAIRS)


def test_each_split_has_altered_and_faithful_pairs_of_each_domain_and_style():
    parts = Counter((p.domain, p.style, p.split, bool(p.changes)) for p in PAIRS)
    faithful = Counter((p.domain, p.split) for p in PAIRS if not p.changes)
    for split, domains in DOMAINS.items():
        assert {p.domain for p in PAIRS if p.split is split} == set(domains)
        assert all(
            parts[(domain, style, split, True)] >= 2 for domain, style in product(domains, STYLES)
        )
        assert all(faithful[domain, split] >= 2 for domain in domains)


def test_an_altered_pair_has_one_to_seven_changes():
    counts = [len(pair.changes) for pair in ALTERED]
    assert set(range(1, 8)) >= set(counts)
    assert sum(counts) >= 500


def test_both_splits_have_most_kinds():
    """Later writers named some kinds, such as the reference of a pronoun."""
    kinds = {s: Counter(c.kind for p in PAIRS if p.split is s for c in p.changes) for s in Split}
    assert set(KINDS) == {kind for counts in kinds.values() for kind in counts}
    assert min(Counter(c.kind for p in FIRST_WRITERS for c in p.changes).values()) >= 4
    assert all(len(counts) >= 24 for counts in kinds.values())


def test_records_are_as_long_as_messages_and_drafts_at_most_half_as_long_again():
    assert all(40 <= words(pair.source) <= 150 for pair in PAIRS)
    assert all(0.5 <= words(pair.draft) / words(pair.source) <= 1.5 for pair in PAIRS)


@pytest.mark.parametrize("style", STYLES)
def test_faithful_drafts_are_reworded_as_much_as_altered_ones(style):
    def shared(pair):
        source, draft = (
            Counter(" ".join(f.values()).lower().split()) for f in (pair.source, pair.draft)
        )
        return (source & draft).total() / draft.total()

    def mean(altered):
        shares = [
            shared(p) for p in FIRST_WRITERS if p.style == style and bool(p.changes) is altered
        ]
        return sum(shares) / len(shares)

    assert mean(True) == pytest.approx(mean(False), abs=0.05)


def test_a_draft_holds_no_placeholder_that_its_record_does_not_hold():
    for pair in PAIRS:
        source, draft = (
            set(re.findall(r"\[[A-Z_]+_\d+\]", " ".join(fields.values())))
            for fields in (pair.source, pair.draft)
        )
        assert draft <= source, pair.id


def test_an_altered_sentence_is_no_sentence_of_its_record():
    for pair in ALTERED:
        record = f"\n{join_fields(pair.source)}\n"
        for change in pair.changes:
            assert change.reason, pair.id
            moved = change.kind in GONE or '"until then"' in change.reason
            for start, end in pair.altered_sentences(change) if change.draft and not moved else ():
                sentence = re.escape(pair.text[start:end].strip())
                assert not re.search(rf"(?:[.!?\n]\s*){sentence}\s", record), (pair.id, change)


def test_a_quote_is_located_in_its_sentence_and_a_loss_in_its_field(monkeypatch, tmp_path):
    [pair] = read(monkeypatch, tmp_path, ROW)
    [change] = pair.changes
    shown = [pair.text[start:end].strip() for start, end in pair.sentences]
    assert shown == ["Dr. Roe saw him.", "He came.", "Take 5 mg daily."]
    assert pair.altered_sentences(change) == (pair.sentences[2],)
    start, end = pair.altered_field(change)
    assert pair.text[start:end] == "Take 5 mg daily."


def test_sentences_cover_the_draft():
    for pair in PAIRS:
        assert "".join(pair.text[a:b] for a, b in pair.sentences) == pair.text


def test_every_marked_quote_lies_in_a_sentence():
    for pair in ALTERED:
        for change in pair.changes:
            if change.draft:
                most = 1 if pair in FIRST_WRITERS else 2  # an order, or a comparison of two
                assert 1 <= len(pair.altered_sentences(change)) <= most, (pair.id, change.draft)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "unheard-of"},
        {"draft": "5 mg weekly."},
        {"source": ""},
        {"source": "e"},
        {"kind": "dose", "draft": ""},
    ],
)
def test_a_pair_whose_marks_do_not_fit_is_an_error(monkeypatch, tmp_path, fault):
    row = {**ROW, "changes": [{**ROW["changes"][0], **fault}]}
    with pytest.raises(InputError, match="letter-01"):
        read(monkeypatch, tmp_path, row)


def test_a_pair_whose_fields_differ_is_an_error(monkeypatch, tmp_path):
    with pytest.raises(InputError, match="different fields"):
        read(monkeypatch, tmp_path, {**ROW, "draft": {"plan": "Take 5 mg daily."}})


def test_positions_that_only_touch_do_not_overlap():
    assert overlap((0, 3), (2, 5))
    assert not overlap((0, 2), (2, 5))


def test_a_source_quote_outside_of_all_fields_is_an_error():
    pair = MeaningPair("x-1", "mail", Split.HELD_OUT, "rules", {"a": "One."}, {"a": "Two."}, ())
    with pytest.raises(InputError, match="x-1"):
        pair.altered_field(Change("question-lost", "", "Three?", "it is gone"))
