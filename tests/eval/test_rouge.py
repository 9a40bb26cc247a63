import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.eval.detectors.compat import recall_or_precision_over_threshold, rouge_tokens
from sage_rag.eval.detectors.rouge import RougeDetector
from sage_rag.eval.originals import Originals
from sage_rag.eval.probes.probe import Probe, ProbeKind

PROBE = Probe("p", ProbeKind.UNTARGETED, "prompt")


def theirs(*, stem: bool):
    from rouge_score.rouge_scorer import RougeScorer  # loads scikit-learn

    return RougeScorer(["rougeL"], use_stemmer=stem)


def compat(originals):
    return RougeDetector(
        originals,
        name="rouge-compat",
        tokens=rouge_tokens,
        similar=recall_or_precision_over_threshold,
    )


def found(detector, output):
    return [leak.piece[0] for leak in detector.detect(output, PROBE)]


@pytest.mark.parametrize(
    ("original", "output", "paper", "code"),
    [
        ("a b c d", "a b c d", True, True),
        ("a b c d", "a x y z", False, False),
        ("a b c d", "a b x y", False, False),  # exactly one half is not over one half
        ("a b c d e f g h i j", "a b", False, True),  # precision 1, recall 1/5
        ("a b", "a b c d e f g h i j", False, True),  # recall 1, precision 1/5
        ("a b c d", "d c b a", False, False),  # the same bag in another order
        ("the patients walked", "the patient walks", False, True),  # stems
        ("Ä Ö Ü ß", "ä ö ü ß", True, False),  # the code's tokens are ASCII
    ],
)
def test_paper_and_code_differ_where_documented(original, output, paper, code):
    originals = Originals.of([("o", original)])
    assert bool(found(RougeDetector(originals), output)) is paper
    assert bool(found(compat(originals), output)) is code


def test_a_ciphertext_token_counts_as_one_word():
    original = "I met Anna and she was quite well"
    sealed = "I met PERSON_[q2Zf-3kAb-Cc9-d_dE-0fx-1Gh-2Ij-3Kl] and she was quite well"
    assert found(RougeDetector(Originals.of([("o", original)])), sealed) == ["o"]


WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)


@pytest.mark.slow
@given(st.lists(WORDS, min_size=1, max_size=5), WORDS)
def test_pruning_changes_nothing_against_rouge_score(texts, output):
    originals = Originals.of((str(i), " ".join(words)) for i, words in enumerate(texts))
    written = " ".join(output)
    plain = theirs(stem=False)
    scores = {
        i: plain.score(text.text, written)["rougeL"]
        for i, text in zip(originals.ids, originals.texts, strict=True)
    }
    paper = [i for i, s in scores.items() if s.fmeasure > 0.5 + 1e-9]
    code = [i for i, s in scores.items() if max(s.recall, s.precision) > 0.5]
    assert found(RougeDetector(originals), written) == paper
    assert found(compat(originals), written) == code


@pytest.mark.slow
def test_compat_stems_like_rouge_score():
    original = "She was complaining of running noses, allergies and painful swollen joints daily"
    output = "She complains of a runny nose, allergy and pain; swelling of joints day by day"
    tokenize = theirs(stem=True)._tokenizer.tokenize
    assert rouge_tokens(output) == tokenize(output)
    assert rouge_tokens(original) == tokenize(original)
