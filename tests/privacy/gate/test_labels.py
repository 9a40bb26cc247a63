"""The form of consensus passages."""

from __future__ import annotations

import pytest

from sage_rag.privacy.gate.labels import POSSIBLE, labelled_statements, list_head


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Often: rest the knee.", [("Often", "rest the knee")]),
        ("Cool it: ice helps.\nIs it cold?", [("", "Cool it: ice helps"), ("", "Is it cold?")]),
        ("Possible: gout, sprain.\nTopics: ice", [
            ("Possible", "gout"), ("Possible", "sprain"), ("Topics", "ice"),
        ]),
        ("Possible causes: milk.\nAdvised: rest, tea.", [
            ("Possible causes", "milk"), ("Advised", "rest"), ("Advised", "tea"),
        ]),
        (", notably: rest.", [("", ", notably: rest")]),
        ("Rest, then walk.", [("", "Rest, then walk")]),
        ("", []),
    ],
)  # fmt: skip
def test_statements_have_their_labels(text, expected):
    assert [(said.label, said.text) for said in labelled_statements(text)] == expected


@pytest.mark.parametrize("lead", ["you may have", "based on your symptoms, you may have"])
def test_a_list_of_what_is_possible_may_have_the_words_of_the_corpus(lead):
    gout, sprain = labelled_statements(f"{list_head(lead)}: gout, sprain.")
    assert (gout.label, gout.text, gout.lead) == (POSSIBLE, "gout", lead.capitalize())
    assert (sprain.label, sprain.text, sprain.lead) == (POSSIBLE, "sprain", lead.capitalize())
