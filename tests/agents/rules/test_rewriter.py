import asyncio

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


@pytest.mark.parametrize("kind", [FindingKind.IDENTIFIER, FindingKind.UNPROTECTED])
def test_a_private_value_goes_with_its_sentence(kind):
    finding = at(kind, Draft(FIELDS).text, "spring")
    revised = rewrite(FIELDS, finding)
    assert "spring" not in revised.text
    assert "brace" in revised.text
    assert revised.fields["answer"] == FIELDS["answer"]


def test_of_values_that_identify_together_one_stays_and_the_others_go_alone():
    fields = {"text": "She was born in 1971 and moved to the coast in 1998. She fell in 2004."}
    places = [
        at(FindingKind.QUASI_COMBINATION, fields["text"], y) for y in ("1971", "1998", "2004")
    ]
    revised = rewrite(fields, *places).text
    assert revised == "She was born in 1971 and moved to the coast. She fell."


def test_under_a_stricter_policy_the_last_one_goes_too():
    fields = {"text": "She was born in 1971 and moved to the coast."}
    revised = rewrite(fields, at(FindingKind.QUASI_COMBINATION, fields["text"], "1971")).text
    assert revised == "She was born and moved to the coast."


def test_a_statement_in_two_parts_is_inverted_before_anything_is_cut():
    fields = {"text": "I stopped the tablets last week and the rash has come back since then."}
    revised = rewrite(fields, Finding(FindingKind.SIMILARITY, "alike"), rouge=0.52)
    assert revised.text.startswith("The rash has come back")
    assert "stopped the tablets" in revised.text


def test_a_private_value_in_the_only_sentence_goes_alone():
    fields = {
        "question": "My name is Olga and my knee hurts whenever I climb stairs.",
        "answer": "",
    }
    revised = rewrite(fields, at(FindingKind.IDENTIFIER, fields["question"], "Olga"))
    assert "Olga" not in revised.text
    assert "knee hurts" in revised.text


def test_what_the_reviewer_wants_left_out_is_left_out():
    review = Review(False, ("Leave out “spring”: it may single a person out",))
    assert "spring" not in rewrite(FIELDS, review=review).text


def test_a_repeated_run_is_broken():
    run = "hurts because the swelling usually comes back because of the heat and stays for about two days"
    fields = {"question": f"My knee {run}. A brace helps.", "answer": FIELDS["answer"]}
    revised = rewrite(fields, at(FindingKind.SHARED_RUN, fields["question"], run))
    assert Original(run).longest_shared_run(revised.text) < 10
    assert "knee" in revised.fields["question"]


def test_a_run_over_the_end_of_a_sentence_is_parted_without_loss():
    finding = at(FindingKind.SHARED_RUN, Draft(FIELDS).text, "in spring. A brace helps")
    revised = rewrite(FIELDS, finding)
    assert sorted(words(revised.text)) == sorted(words(Draft(FIELDS).text))
    assert Original("in spring. A brace helps").longest_shared_run(revised.text) < 5


def test_likeness_is_cut_but_no_field_is_emptied():
    revised = rewrite(FIELDS, Finding(FindingKind.SIMILARITY, "alike"), rouge=0.7)
    assert len(words(revised.text)) < len(words(Draft(FIELDS).text))
    assert all(revised.fields.values())


def test_an_unknown_placeholder_becomes_a_noun():
    fields = {"text": "Ask [PERSON_9] about the knee and the brace, then rest for a week."}
    finding = at(FindingKind.UNKNOWN_PLACEHOLDER, fields["text"], "[PERSON_9]")
    assert rewrite(fields, finding).text.startswith("Ask someone about the knee")


def test_without_findings_nothing_changes():
    assert rewrite(FIELDS).fields == FIELDS


sentence = st.lists(
    st.sampled_from(["knee", "the", "and", "hurts", "it", "[PERSON_1]", "swells", "when", "you"]),
    min_size=1,
    max_size=30,
).map(lambda found: " ".join(found).capitalize() + ".")


@given(st.lists(sentence, min_size=1, max_size=5), st.floats(0.51, 1.0))
def test_cutting_likeness_makes_no_draft_longer_and_leaves_something(sentences, rouge):
    fields = {"text": " ".join(sentences)}
    alike = Finding(FindingKind.SIMILARITY, "alike")
    after = rewrite(fields, alike, rouge=rouge).text
    assert 0 < len(words(after)) <= len(words(Draft(fields).text))


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (
            "We have to scan the belly of the old dog before lunch on the coming Sunday.",
            "We have to scan the belly of the old dog before lunch.",
        ),
        ("You need to undergo a quick corneal graft operation.", None),
    ],
)
def test_a_sentence_is_cut_after_a_whole_clause_or_not_at_all(text, cut):
    alike = Finding(FindingKind.SIMILARITY, "alike")
    assert rewrite({"text": text}, alike, rouge=0.52).text == (cut or text)
