"""Runs shared with a few originals, on invented texts."""

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.eval.rare_runs import MOST_WORDS, rare_runs

ORIGINALS = [
    "Rest the knee for a week, and cool it twice a day.",
    "You should rest the knee for a week.",
    "Rest the knee for a week with a brace.",
    "Inhale steam.",
]


def found(passages, originals=ORIGINALS, subjects=None, k=3):
    return rare_runs(passages, originals, subjects or [str(i) for i in range(len(originals))], k)


def test_what_k_originals_have_is_not_rare_and_what_one_has_is():
    assert found(["rest the knee for a week"]).longest == 0
    assert found(["rest the knee for a week"], k=4).longest == 6
    one = found(["rest the knee for a week", "and cool it twice a day"])
    assert one.longest == 6
    assert (one.passages.successes, one.passages.trials) == (1, 2)


def test_short_rare_runs_count_as_longest_and_mark_no_passage():
    short = found(["inhale steam", "for a walk"])
    assert short.longest == 2
    assert short.passages.successes == 0


def test_two_supported_runs_may_overlap_in_a_longer_one_that_one_original_has():
    originals = ["a b c d e", "a b c d x", "a b c d y", "z b c d e", "w b c d e"]
    assert found(["a b c d"], originals).longest == 0
    assert found(["a b c d e"], originals).longest == 5


def test_records_of_one_subject_count_once():
    assert found(["rest the knee for a week"], subjects=["p", "p", "q", "r"]).longest == 6


def test_words_that_no_original_has_point_at_no_one():
    assert found(["soak both elbows in warm oil"]).longest == 0


def test_long_runs_are_counted_up_to_the_limit():
    text = " ".join(f"w{i}" for i in range(20))
    assert found([text], [text]).longest == MOST_WORDS


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=8).map(" ".join)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=5))
def test_the_longest_run_is_that_of_a_plain_search(passages, originals):
    longest = 0
    for passage in passages:
        words = passage.split()
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                run = f" {' '.join(words[start:end])} "
                holders = sum(run in f" {original} " for original in originals)
                if 0 < holders < 3:
                    longest = max(longest, end - start)
    assert found(passages, originals).longest == longest
