"""Stems are the same from one thread and from many."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sage_rag.common.stems import porter_stem, stem

WORDS = [f"{start}{end}" for start in ("nation", "relat", "hope", "gener", "conditi", "digit",
         "operat", "feed", "sensi", "triplic") for end in ("ally", "ional", "fulness", "izer",
         "ousness", "ation", "ing", "edly", "ization", "ate", "iveness", "s")]  # fmt: skip


@pytest.mark.parametrize("function", [stem, porter_stem])
def test_threads_get_the_stems_of_their_own_words(function):
    function.cache_clear()
    expected = [function(word) for word in WORDS]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            function.cache_clear()
            with ThreadPoolExecutor(8) as pool:
                parts = [pool.submit(list, map(function, WORDS)) for _ in range(8)]
            assert all(part.result() == expected for part in parts)
    finally:
        sys.setswitchinterval(before)
        function.cache_clear()


def test_the_case_of_a_word_does_not_matter():
    assert stem("RELATIONS") == stem("Relations") == stem("relations") == "relat"
    assert stem("STRASSE") == stem("straße")
