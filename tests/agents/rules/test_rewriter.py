import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import Draft, Review
from sage_rag.agents.rules.rewriter import RuleRewriter
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from sage_rag.privacy.gate.leakage import Original

FIELDS = {
    "question": "My knee hurts when I climb. It began in spring. A brace helps a little.",
    "answer": "See a surgeon about the knee. Rest it for a week. Ice takes the swelling down.",
}
SAFE = Review(True)


def rewrite(fields, *findings, review=SAFE, rouge=0.3):
    verdict = Verdict(findings, 5, rouge)
    return asyncio.run(RuleRewriter().rewrite(Draft(fields), review, verdict))


def at(kind, text, part):
    start = text.index(part)
    return Finding(kind, "found", start, start + len(part))


@pytest.mark.parametrize(
    "kind",
    [
        FindingKind.IDENTIFIER,
        FindingKind.UNPROTECTED,
        FindingKind.UNKNOWN_PLACEHOLDER,
        FindingKind.MEANING_CHANGED,
    ],
)
def test_what_a_finding_names_goes_with_its_whole_sentence(kind):
    finding = at(kind, Draft(FIELDS).text, "spring")
    revised = rewrite(FIELDS, finding)
    assert "spring" not in revised.text
    assert "brace" in revised.text
    assert revised.fields["answer"] == FIELDS["answer"]


def test_of_values_that_identify_together_the_first_stays():
    fields = {"text": "She was born in 1971. A boat brought tea in 1998. Fog fell in 2004."}
    places = [
        at(FindingKind.QUASI_COMBINATION, fields["text"], y) for y in ("1971", "1998", "2004")
    ]
    assert rewrite(fields, *places).text == "She was born in 1971."


def test_under_a_stricter_policy_the_last_one_goes_too():
    fields = {"text": "She was born in 1971. A boat brought tea."}
    revised = rewrite(fields, at(FindingKind.QUASI_COMBINATION, fields["text"], "1971")).text
    assert revised == "A boat brought tea."


def test_what_depends_on_a_sentence_that_goes_is_not_kept():
    fields = {"text": "Snow fell. Take the syrup from Lund. However, stop if a rash appears."}
    assert rewrite(fields, at(FindingKind.IDENTIFIER, fields["text"], "Lund")).text == "Snow fell."


def test_what_the_reviewer_wants_left_out_is_left_out():
    review = Review(False, ("Leave out “spring”: it may single a person out",))
    assert "spring" not in rewrite(FIELDS, review=review).text


def test_a_repeated_run_is_broken():
    run = "hurts because the swelling usually comes back because of the heat and stays for about two days"
    fields = {"question": f"My knee {run}. A brace helps.", "answer": FIELDS["answer"]}
    revised = rewrite(fields, at(FindingKind.SHARED_RUN, fields["question"], run))
    assert Original(run).longest_shared_run(revised.text) < 10
    assert "knee" in revised.fields["question"]


def test_a_run_that_no_edit_breaks_goes_with_its_sentence():
    finding = at(FindingKind.SHARED_RUN, Draft(FIELDS).text, "brace helps a little")
    assert rewrite(FIELDS, finding).fields["question"] == FIELDS["question"][:47]


def test_likeness_is_cut_but_no_field_is_emptied():
    revised = rewrite(FIELDS, Finding(FindingKind.SIMILARITY, "alike"), rouge=0.7)
    assert len(words(revised.text)) < len(words(Draft(FIELDS).text))
    assert all(revised.fields.values())


def test_without_findings_nothing_changes():
    assert rewrite(FIELDS).fields == FIELDS


sentences = st.lists(
    st.sampled_from(
        [
            "The knee swells on long walks.",
            "Take 40 mg of the drug twice a day.",
            "However, do not take the drug with milk.",
            "If the knee is red, see a nurse.",
            "[PERSON_1] called in spring.",
            "Is it safe to run?",
        ]
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(sentences, st.floats(0.51, 1.0), st.sampled_from(["alike", "spring", "red", "40 mg"]))
def test_a_revised_draft_has_whole_sentences_of_the_draft_only(written, rouge, found):
    fields = {"text": " ".join(written)}
    finding = Finding(FindingKind.SIMILARITY, "alike")
    if found in fields["text"]:
        finding = at(FindingKind.IDENTIFIER, fields["text"], found)
    after = rewrite(fields, finding, rouge=rouge).text
    kept = [s for s in written if s in after]
    assert sorted(" ".join(kept)) == sorted(after)
    if "However" in after:
        assert any(
            two in after and one in after
            for one, two in pairwise(["", *written])
            if "However" in two
        )
