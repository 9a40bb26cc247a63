"""The form of consensus passages."""

from __future__ import annotations

import pytest

from sage_rag.privacy.gate.labels import labelled_statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Often: rest the knee.", [("Often", "rest the knee")]),
        ("Cool it: ice helps.\nIs it cold?", [("", "Cool it: ice helps"), ("", "Is it cold?")]),
        ("Possible: gout, sprain.\nTopics: ice", [
            ("Possible", "gout"), ("Possible", "sprain"), ("Topics", "ice"),
        ]),
        ("Rest, then walk.", [("", "Rest, then walk")]),
        ("", []),
    ],
)  # fmt: skip
def test_statements_have_their_labels(text, expected):
    assert list(labelled_statements(text)) == expected
