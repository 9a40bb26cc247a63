"""The original that a text is alike to: what a comparison with every one of them finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.audit import CorpusAudit
from sage_rag.indexer.similarity import BagIndex, SimilarityAudit
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import IDENTIFIERS_ONLY, GateLimits
from sage_rag.privacy.gate.subsequences import longest_common_subsequence

FORM = "The applicant lodged his complaint with the court of first instance on the day of the order"
# Some words in nearly every text and some in few, as in any language.
words = st.sampled_from("a a a a b b b c c d e f g h".split())
texts = st.lists(words, max_size=24).map(" ".join)


@given(st.lists(texts, max_size=8), texts, st.sampled_from([0.0, 0.3, 0.45, 0.5, 0.8, 1.0]))
def test_nothing_is_missed_that_a_comparison_with_every_original_finds(
    originals: list[str], text: str, limit: float
) -> None:
    brute = [Original(original).rouge_l(text) for original in originals]
    found = SimilarityAudit(originals, limit).similar(text)
    over = [f1 for f1 in brute if f1 > limit + 1e-9]
    assert (found is not None) == bool(over)
    assert found is None or found == pytest.approx(min(over, key=lambda f1: abs(f1 - found)))


@given(st.lists(words, min_size=1, max_size=24), st.data())
def test_a_text_that_keeps_just_over_half_is_found_among_others(
    original: list[str], data: st.DataObject
) -> None:
    kept = sorted(data.draw(st.sets(st.integers(0, len(original) - 1), min_size=1)))
    foreign = data.draw(st.integers(0, 24))
    text = " ".join([*(original[i] for i in kept), *["z"] * foreign])
    others = data.draw(st.lists(texts, max_size=5))
    over = 2 * len(kept) > 0.5 * (len(kept) + foreign + len(original))
    if over:
        assert SimilarityAudit([*others, " ".join(original)], 0.5).similar(text) is not None


@pytest.mark.parametrize(
    ("originals", "text"),
    [
        ([], FORM),
        ([""], FORM),
        ([FORM], ""),
        ([FORM], "Nothing of this was ever said before anybody at all"),
        ([" ".join(reversed(FORM.split()))], FORM),  # the same words in another order
        ([f"{FORM} {'and so on ' * 20}"], FORM),  # part of something much longer
    ],
)
def test_what_is_not_alike(originals: list[str], text: str) -> None:
    assert SimilarityAudit(originals, 0.5).similar(text) is None


@pytest.mark.parametrize(
    ("original", "text"),
    [
        (FORM, FORM.upper()),
        (FORM, FORM.replace(" his ", " [PERSON_1] ").replace("order", "[DATE_TIME_1]")),
        ("我昨天去了医院看病", "我今天去了医院看病了"),
        ("the " * 50, "the " * 40),
    ],
)
def test_what_is_alike(original: str, text: str) -> None:
    audit = SimilarityAudit(["Quite another matter", original, "", "我们"], 0.5)
    assert audit.similar(text) == pytest.approx(Original(original).rouge_l(text))


def test_limits_that_are_off_are_not_held() -> None:
    def kinds(limits: GateLimits) -> list[FindingKind]:
        verdict = CorpusAudit([FORM], limits).judge(FORM)
        assert FORM not in str(verdict)
        return [finding.kind for finding in verdict.findings]

    assert kinds(GateLimits()) == [FindingKind.SHARED_RUN, FindingKind.SIMILARITY]
    assert kinds(GateLimits(rouge_l=None)) == [FindingKind.SHARED_RUN]
    assert kinds(GateLimits(run_tokens=None)) == [FindingKind.SIMILARITY]
    assert kinds(IDENTIFIERS_ONLY) == []


LETTERS = st.lists(st.sampled_from("abc"), max_size=14)


@given(st.lists(LETTERS, max_size=6), LETTERS)
def test_the_words_in_common_bound_the_common_subsequence(
    sequences: list[list[str]], query: list[str]
) -> None:
    bags = BagIndex(sequences)
    for index, common in enumerate(bags.shared(bags.items_of(query))):
        sequence = sequences[index]
        assert common == sum(min(query.count(t), sequence.count(t)) for t in "abc")
        assert common >= longest_common_subsequence(query, sequence)
        assert bags.words(index) == sequence
