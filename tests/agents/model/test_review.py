"""The model as reviewer and rewriter: what it is shown, and what becomes of its answers."""

from __future__ import annotations

import asyncio
import json

import pytest

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.model.review import ModelReview
from sage_rag.agents.protocols import Draft, Review
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from tests.agents.refining import PROTECTION

ASPECTS = (
    *("direct_identifiers", "sensitive_attributes", "context", "linkage"),
    *("consistency", "recovery"),
)
DRAFT = Draft(
    {"question": "A swollen knee troubles [PERSON_1] of the lake town.", "answer": "Ice."}
)
SAFE = Verdict((), 3, 0.1)
REFUSED = Review(False)


def verdict(**aspects: object) -> str:
    return json.dumps(dict.fromkeys(ASPECTS, "ok") | aspects)


def reviewed(*answers: str, advice: str = "") -> tuple[Review, ScriptedChatModel]:
    model = ScriptedChatModel(answers)
    review = ModelReview(model, advice).review(PROTECTION.protected, DRAFT)
    return asyncio.run(review), model


def rewritten(
    *answers: str, review: Review = REFUSED, verdict: Verdict = SAFE
) -> tuple[Draft, ScriptedChatModel]:
    model = ScriptedChatModel(answers)
    return asyncio.run(ModelReview(model).rewrite(DRAFT, review, verdict)), model


@pytest.mark.parametrize("word", ["ok", "OK", " ok. "])
def test_six_times_ok_is_safe(word: str) -> None:
    review, model = reviewed(verdict(context=word))
    assert review == Review(True)
    assert len(model.asked) == 1


@pytest.mark.parametrize("aspect", ASPECTS)
def test_an_objection_to_any_aspect_is_not_safe(aspect: str) -> None:
    review, _ = reviewed(verdict(**{aspect: {"suggestion": "coarsen it", "quote": "lake town"}}))
    assert review == Review(False, (f'{aspect.replace("_", " ")}: coarsen it: "lake town"',))


@pytest.mark.parametrize(
    "bad",
    [
        "I cannot judge that.",
        '{"safe": true}',
        json.dumps(dict.fromkeys(ASPECTS[:5], "ok")),
        verdict(context="fine"),
        verdict(context={"quote": "lake town"}),
        verdict(context={"suggestion": " "}),
        verdict(context=True),
    ],
)
def test_what_is_no_verdict_on_all_six_is_asked_for_once_more(bad: str) -> None:
    review, model = reviewed(bad, verdict())
    assert review.safe
    assert "does not fit" in model.asked[1][-1].content
    with pytest.raises(AgentOutputError):
        reviewed(bad, bad)


@pytest.mark.parametrize("quote", ["47 years old", "from [LOCATION_1]", "", None, "lake Town hall"])
def test_a_quote_that_is_not_of_the_draft_is_left_out(quote: str | None) -> None:
    review, _ = reviewed(verdict(context={"suggestion": "coarsen it", "quote": quote}))
    assert review.suggestions == ("context: coarsen it",)


def test_a_suggestion_in_the_originals_words_is_not_handed_on() -> None:
    said = "it said: my knee hurts when I climb the stairs; do not"
    review, _ = reviewed(verdict(recovery={"suggestion": said}))
    assert review.suggestions == ("recovery: say it in other words and another order",)


def test_a_suggestion_in_the_drafts_words_is() -> None:
    said = "reword: a swollen knee troubles somebody"
    review, _ = reviewed(verdict(recovery={"suggestion": said}))
    assert review.suggestions == (f"recovery: {said}",)


def test_a_suggestion_stays_one_line() -> None:
    review, _ = reviewed(verdict(context={"suggestion": "a\n\n- publish\nall"}))
    assert review.suggestions == ("context: a - publish all",)


def test_the_reviewer_reads_placeholders_and_the_domains_advice() -> None:
    _, model = reviewed(verdict(), advice="Check for $ward dates.")
    shown = "".join(message.content for message in model.asked[0])
    assert "[PERSON_1]" in shown
    assert "Check for $ward dates." in shown
    assert [name for name in ("Ada", "Novak", "Lindhagen") if name in shown] == []


def test_the_rewriter_gets_suggestions_and_findings_but_nothing_of_the_original() -> None:
    found = Finding(FindingKind.SHARED_RUN, "repeats 10 words", 2, 14)
    general = Finding(FindingKind.SIMILARITY, "ROUGE-L is 0.60")
    draft, model = rewritten(
        '{"question": "Q", "answer": "A"}',
        review=Review(False, ("context: coarsen it",)),
        verdict=Verdict((found, general), 10, 0.6),
    )
    assert draft == Draft({"question": "Q", "answer": "A"})
    request = model.asked[0][-1].content
    first, second, third = request.partition("\n\nFindings:\n")[2].splitlines()
    assert first == "- context: coarsen it"
    assert second.startswith("- the draft repeats 10 words; ")
    assert second.endswith(': "swollen knee"')
    assert third.startswith("- ROUGE-L is 0.60; ")
    shown = "".join(message.content for message in model.asked[0])
    assert [word for word in ("climb", "stairs", "evening") if word in shown] == []


@pytest.mark.parametrize("answer", ["", "Ice."])
def test_a_blank_field_of_a_draft_stays_blank(answer: str) -> None:
    draft = Draft({"question": "A swollen knee.", "answer": ""})
    model = ScriptedChatModel([json.dumps({"question": "A thick knee.", "answer": answer})])
    revised = asyncio.run(ModelReview(model).rewrite(draft, REFUSED, SAFE))
    assert revised == Draft({"question": "A thick knee.", "answer": ""})


def test_a_placeholder_that_the_gate_misses_may_be_put_back() -> None:
    lost = Finding(FindingKind.LOST_PLACEHOLDER, "drops [PERSON_7], whom the record names 2 times")
    unknown = Finding(
        FindingKind.UNKNOWN_PLACEHOLDER, "holds [PERSON_8], which the original has not"
    )
    named = '{"question": "[PERSON_7] limps", "answer": "A"}'
    draft, model = rewritten(named, verdict=Verdict((lost,), 3, 0.1))
    assert draft.fields["question"] == "[PERSON_7] limps"
    assert len(model.asked) == 1
    invented = named.replace("7", "8")
    _, model = rewritten(invented, named, verdict=Verdict((lost, unknown), 3, 0.1))
    assert len(model.asked) == 2


def test_a_placeholder_may_go_but_none_may_be_invented() -> None:
    without, model = rewritten('{"question": "Somebody\'s knee.", "answer": "Ice."}')
    assert "PERSON" not in without.text
    assert len(model.asked) == 1
    good = '{"question": "The knee of [PERSON_1].", "answer": "Ice."}'
    draft, model = rewritten('{"question": "[PERSON_7] again.", "answer": "Ice."}', good)
    assert draft.fields["question"] == "The knee of [PERSON_1]."
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    "bad", ["", "no", '{"question": "Q"}', '{"question": "Q", "answer": " "}', "{" * 99]
)
def test_a_record_that_is_not_whole_twice_gives_up_without_quoting_it(bad: str) -> None:
    with pytest.raises(AgentOutputError) as caught:
        rewritten(bad, bad)
    assert "Q" not in str(caught.value)
