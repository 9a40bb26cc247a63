import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.eval.detectors.compat import CompatRunFinder
from sage_rag.eval.detectors.repeat import RepeatDetector
from sage_rag.eval.detectors.runs import RUN_TOKENS, SharedRunFinder
from sage_rag.eval.originals import Originals
from sage_rag.eval.probes.probe import Probe, ProbeKind

PROBE = Probe("p", ProbeKind.UNTARGETED, "prompt")
TEN = "one two three four five six seven eight nine ten"
ELEVEN = f"{TEN} eleven"


@pytest.mark.parametrize(
    ("original", "output", "paper", "compat"),
    [
        (ELEVEN, f"well, {ELEVEN} indeed", True, True),
        (f"x {TEN}", f"{TEN} y", True, False),  # the original's last window
        (f"{TEN} x", f"y {TEN}", True, False),  # the output's last window
        (f"{TEN} x", f"{TEN} y", True, True),
        (TEN, TEN, True, False),  # one window, which is the last
        (f"{TEN} x", f"{TEN.upper()} y", True, False),  # case
        (f"{TEN} x", f"{TEN.replace(' ', ', ')}; y", True, True),  # punctuation is no token
        (f"{TEN} x", f"{TEN.replace('five', '5')} y", False, False),
        (f"{TEN} x", "one two three four five six seven eight nine", False, False),
        ("one two three four five. " * 2, "six " + "one two three four five " * 2, True, False),
    ],
)
def test_paper_and_code_differ_where_documented(original, output, paper, compat):
    originals = Originals.of([("o", original)])
    assert bool(SharedRunFinder(originals).runs(output)) is paper
    assert bool(CompatRunFinder(originals).runs(output)) is compat


def test_every_original_that_holds_the_run_is_a_leak():
    originals = Originals.of([("o", f"{TEN} a"), ("p", f"b {TEN} c"), ("q", "nothing of it here")])
    detector = RepeatDetector(SharedRunFinder(originals), len(originals))
    leaks = list(detector.detect(f"He wrote: {TEN}!", PROBE))
    assert [leak.piece for leak in leaks] == [("o",), ("p",)]
    assert {leak.excerpt for leak in leaks} == {TEN}
    assert detector.pieces == 3


def test_a_leak_hides_its_text_in_repr():
    originals = Originals.of([("secret-id", ELEVEN)])
    (leak,) = RepeatDetector(SharedRunFinder(originals), 1).detect(ELEVEN, PROBE)
    assert "secret" not in repr(leak)
    assert "one" not in repr(leak)


def brute_force_runs(output, original, n):
    return any(
        output[i : i + n] == original[j : j + n]
        for i in range(len(output) - n + 1)
        for j in range(len(original) - n + 1)
    )


WORDS = st.lists(st.sampled_from(["a", "b"]), max_size=30)


@given(st.lists(WORDS.filter(bool), min_size=1, max_size=4), WORDS)
def test_runs_equal_a_brute_force_search(texts, output):
    originals = Originals.of((str(i), " ".join(words)) for i, words in enumerate(texts))
    found = set(SharedRunFinder(originals).runs(" ".join(output)))
    expected = {
        original_id
        for original_id, text in zip(originals.ids, originals.texts, strict=True)
        if brute_force_runs(output, text.tokens, RUN_TOKENS)
    }
    assert found == expected


def brute_force_compat(output, original, n):
    """The published procedure: find the first equal window, extend, cut from both, repeat."""
    output, original, sizes = list(output), list(original), []
    while True:
        hits = [
            (i, j)
            for i in range(len(output) - n)
            for j in range(len(original) - n)
            if output[i : i + n] == original[j : j + n]
        ]
        if not hits:
            return sizes
        i, j = min(hits)
        size = n
        while output[i + size : i + size + 1] == (original[j + size : j + size + 1] or None):
            size += 1
        sizes.append(size)
        output, original = output[:i] + output[i + size :], original[:j] + original[j + size :]


@given(WORDS.filter(bool), WORDS)
def test_compat_runs_equal_the_published_procedure(original, output):
    finder = CompatRunFinder(Originals.of([("o", " ".join(original))]))
    found = [len(run.tokens) for run in finder.runs(" ".join(output)).get("o", ())]
    assert found == brute_force_compat(output, original, RUN_TOKENS)
