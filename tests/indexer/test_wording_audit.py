"""Wording that a draft shares with any original."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.audit import WordingAudit
from sage_rag.privacy.words import tokenize

STOCK = "I hope that this answers your question and that you feel better soon."
texts = st.lists(st.sampled_from("a b c d".split()), max_size=30).map(" ".join)


def audit_of(originals: list[str], run_tokens: int) -> WordingAudit:
    audit = WordingAudit(run_tokens)
    assert list(audit.reading(originals)) == list(originals)
    return audit


def test_what_stands_in_an_original_is_found_and_a_placeholder_breaks_it() -> None:
    audit = audit_of([f"Rest your knee. {STOCK}"], 5)
    ((start, end),) = audit.runs(f"Ice helps. {STOCK}")
    assert f"Ice helps. {STOCK}"[start:end] == STOCK.rstrip(".")
    assert audit.runs("I hope that [PERSON_1] answers your question and") == []
    assert audit_of([], 5).runs(STOCK) == []


@given(st.lists(texts, max_size=4), texts, st.integers(2, 4))
def test_runs_are_those_that_a_plain_search_finds(originals: list[str], text: str, n: int) -> None:
    known = {
        tuple(tokens[i : i + n])
        for tokens in map(tokenize, originals)
        for i in range(len(tokens) - n + 1)
    }
    tokens = tokenize(text)
    found = any(tuple(tokens[i : i + n]) in known for i in range(len(tokens) - n + 1))
    assert bool(audit_of(originals, n).runs(text)) == found


def test_sentences_that_share_wording_are_left_out_and_no_other() -> None:
    audit = audit_of([STOCK], 5)
    draft = f"Ice helps the knee.  {STOCK} Come back in May."
    assert audit.without_runs(draft) == "Ice helps the knee.  Come back in May."
    assert audit.without_runs("Ice helps the knee.") == "Ice helps the knee."
    assert audit.without_runs(STOCK) == ""
