from hypothesis import given
from hypothesis import strategies as st

from sage_rag.eval.detectors.ngram_index import NgramIndex

SEQUENCE = st.lists(st.sampled_from("abc"), max_size=14)


def windows(tokens, n, drop_last):
    count = len(tokens) - n + (0 if drop_last else 1)
    return {tuple(tokens[start : start + n]) for start in range(count)}


@given(st.lists(SEQUENCE, max_size=6), SEQUENCE, st.integers(1, 4), st.booleans())
def test_sharing_equals_comparing_every_window(sequences, query, n, drop_last):
    expected = [
        index
        for index, sequence in enumerate(sequences)
        if windows(sequence, n, drop_last) & windows(query, n, drop_last)
    ]
    assert NgramIndex(sequences, n, drop_last=drop_last).sharing(query) == expected
