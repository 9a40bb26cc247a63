"""The scripted model plays every role of our prompts, for any record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.prompts import prompt
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.agents.testing.model import (
    NO_OBJECTION,
    OTHER,
    ROLES,
    answer_to,
    phrases,
    reordered,
    role_of,
)
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from tests.agents.refining import treated

TABLE = {
    "Ottilie Branntwein": EntityType.PERSON,
    "Łukasz Ćwik": EntityType.PERSON,
}
RECORDS = {
    "a dialogue": {
        "question": "I am Ottilie Branntwein and my shoulder hurts when I lift my arm, mostly at "
        "night. Does it need an operation, or will exercises do?",
        "answer": "Dear Ottilie Branntwein, start with exercises: pendulum swings twice a day. An "
        "operation is needed only where a tendon is torn.",
    },
    "one field": {
        "text": "The committee met in the old mill. Ottilie Branntwein took the minutes; a new "
        "roof was voted for by nine to two, and the treasurer was asked to find the money."
    },
    "brackets and quotes": {
        "note": 'Said "no {really}" and left [sic] at 9:30, with 2.5 mg of it in the bag; the '
        'label {"dose": 3} was torn, so that nobody could read whose it had been, nor when.'
    },
    "Polish": {
        "Pytanie (1)": "Nazywam się Łukasz Ćwik i od świąt boli mnie głowa, zwłaszcza rano, kiedy "
        "wstaję z łóżka i jest jeszcze ciemno na dworze.",
        "Odpowiedź": "Proszę mierzyć ciśnienie rano i wieczorem, zapisywać wyniki w zeszycie i "
        "przyjść z nim do przychodni za dwa tygodnie.",
    },
}


def answers(messages: Sequence[ChatMessage]) -> str:
    return json.dumps(answer_to(messages[0].content, messages[1].content), ensure_ascii=False)


@pytest.mark.parametrize("role", ROLES)
def test_the_role_of_a_prompt_is_known(role: str) -> None:
    assert role_of(prompt(role).template) == role


def test_other_prompts_have_no_role_and_get_the_record_reordered() -> None:
    assert role_of("You are a pirate.") == OTHER
    assert answer_to("You are a pirate.", '{"a": "one two three four five"}') == {
        "a": "five, one two three four."
    }


@pytest.mark.parametrize("joined", [True, False], ids=["joined", "two calls"])
@pytest.mark.parametrize("name", RECORDS)
def test_its_records_pass_the_gate(name: str, joined: bool) -> None:
    fields = RECORDS[name]
    recognizer = TableRecognizer(TABLE)
    cipher = SivCipher(Keyset.generate(), "test")
    protection = Protector(recognizer, preset("sage"), cipher).protect(fields)
    roles = model_roles(ScriptedChatModel(answers), joined=joined)
    outcome = treated(fields, protection, roles, Gate(GateLimits(meaning=False), recognizer))
    assert outcome.safe, outcome.reasons
    assert outcome.draft.fields.keys() == fields.keys()
    for placeholder in protection.protected.placeholders:
        assert placeholder in outcome.draft.text


@given(st.sampled_from(ROLES), st.dictionaries(st.text(min_size=1), st.text()))
def test_every_role_answers_any_record(role: str, fields: dict[str, str]) -> None:
    user = json.dumps(fields, ensure_ascii=False)
    answer = answer_to(prompt(role).template, user)
    assert answer == answer_to(prompt(role).template, user)
    json.dumps(answer)


def test_a_review_objects_to_ten_words_of_the_original() -> None:
    text = "one two three four five six seven eight nine ten eleven"

    def verdict(draft: str) -> dict[str, Any]:
        pair = f'ORIGINAL\n{{"a": "{text}"}}\n\nDRAFT\n{{"a": "{draft}"}}'
        return answer_to(prompt("review").template, pair)

    assert verdict("eleven ten nine") == NO_OBJECTION
    assert verdict(f"zero {text}")["recovery"]["quote"] == text


def test_a_rewrite_drops_quoted_words_and_keeps_placeholders() -> None:
    draft = json.dumps({"a": "he said Ann Bee to [PERSON_1] twice"})
    finding = '- the draft holds a PERSON in clear: "Ann Bee to [PERSON_1]"'
    answer = answer_to(prompt("rewrite").template, f"{draft}\n\nFindings:\n{finding}")
    assert answer == {"a": "he said [PERSON_1] twice"}


def test_a_rewrite_without_quotes_drops_a_word_that_is_not_a_placeholder() -> None:
    draft = json.dumps({"a": "he spoke to [PERSON_1]"})
    answer = answer_to(prompt("rewrite").template, f"{draft}\n\nFindings:\n- say it otherwise")
    assert answer == {"a": "he spoke [PERSON_1]"}


def test_phrases_lose_no_word_but_their_order() -> None:
    text = "First this, then that: a dose of 2.5 mg for [PERSON_1]'s knee, daily."
    assert sorted(" ".join(phrases("a b c d e f")).split()) == list("abcdef")
    assert reordered(text) == (
        "knee daily, mg for [PERSON_1] s, a dose of 2.5, First this then that."
    )
    assert phrases("") == []
