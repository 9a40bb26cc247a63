"""The scripted model plays every role of our prompts, for any record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.agents.testing.role_play import ASPECTS, UNKNOWN, extract, objects_in, play, role_of
from sage_rag.agents.testing.wording import phrases_of, reworded
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.gate import Gate, GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from tests.agents.refining import treated

PROMPTS = sorted(Path(str(resources.files("sage_rag.agents").joinpath("prompts"))).glob("*.md"))
TABLE = {
    "Ottilie Branntwein": EntityType.PERSON,
    "欧阳明": EntityType.PERSON,
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
    "Chinese": {
        "问题": "医生您好,我叫欧阳明,膝盖疼了三个星期,上下楼梯的时候特别厉害,晚上也睡不好。",
        "回答": "欧阳明您好,建议先休息两周,每天冷敷两次,如果还疼就来医院拍片子检查一下。",
    },
    "Polish": {
        "Pytanie (1)": "Nazywam się Łukasz Ćwik i od świąt boli mnie głowa, zwłaszcza rano, kiedy "
        "wstaję z łóżka i jest jeszcze ciemno na dworze.",
        "Odpowiedź": "Proszę mierzyć ciśnienie rano i wieczorem, zapisywać wyniki w zeszycie i "
        "przyjść z nim do przychodni za dwa tygodnie.",
    },
}


def answers(messages: Sequence[ChatMessage]) -> str:
    return json.dumps(play(messages[0].content, messages[1].content), ensure_ascii=False)


@pytest.mark.parametrize("file", PROMPTS, ids=lambda file: file.stem)
def test_the_role_of_every_prompt_is_told(file: Path) -> None:
    assert role_of(file.read_text("utf-8").split("-->", 1)[1].strip()) == file.stem


def test_other_prompts_have_no_role_and_get_the_record_reworded() -> None:
    assert role_of("You are a pirate.") == UNKNOWN
    assert play("You are a pirate.", '{"a": "one two three four five"}') == {
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
    outcome = treated(fields, protection, roles, Gate(GateLimits(), recognizer))
    assert outcome.safe, outcome.reasons
    assert outcome.draft.fields.keys() == fields.keys()
    for placeholder in protection.protected.placeholders:
        assert placeholder in outcome.draft.text


@given(
    st.sampled_from(PROMPTS),
    st.dictionaries(st.text(min_size=1), st.text()),
    st.integers(0, 9),
)
def test_no_record_is_too_odd_for_any_role(file: Path, fields: dict[str, str], seed: int) -> None:
    system = file.read_text("utf-8").split("-->", 1)[1]
    user = json.dumps(fields, ensure_ascii=False)
    answer = play(system, user, seed)
    assert answer == play(system, user, seed)
    json.dumps(answer)


def test_another_seed_puts_the_facts_in_another_order() -> None:
    user = json.dumps(RECORDS["a dialogue"])
    first, second = (extract("", user, seed) for seed in (0, 1))
    assert first != second
    assert sorted(first["question"]) == sorted(second["question"])


def test_a_review_objects_to_ten_words_of_the_original() -> None:
    system = next(f for f in PROMPTS if f.stem == "review").read_text("utf-8").split("-->")[1]
    text = "one two three four five six seven eight nine ten eleven"

    def verdict(draft: str):
        return play(system, f'ORIGINAL\n{{"a": "{text}"}}\n\nDRAFT\n{{"a": "{draft}"}}')

    assert verdict("eleven ten nine") == dict.fromkeys(ASPECTS, "ok")
    assert verdict(f"zero {text}")["recovery"]["quote"] == "one two three four five"


def test_a_rewrite_drops_what_is_quoted_and_keeps_placeholders() -> None:
    system = next(f for f in PROMPTS if f.stem == "rewrite").read_text("utf-8").split("-->")[1]
    draft = json.dumps({"a": "he said Ann Bee to [PERSON_1] twice"})
    finding = '- the draft holds a PERSON in clear: "Ann Bee to [PERSON_1]"'
    answer = play(system, f"{draft}\n\nFindings:\n{finding}")
    assert answer == {"a": "he said [PERSON_1] twice"}


def test_phrases_lose_no_word_but_their_order() -> None:
    text = "First this, then that: a dose of 2.5 mg for [PERSON_1]'s knee, daily."
    assert sorted(" ".join(phrases_of("a b c d e f")).split()) == list("abcdef")
    assert "of 2.5," in reworded(text)
    assert "[PERSON_1]" in reworded(text)
    assert phrases_of("") == []


def test_objects_are_found_between_other_braces() -> None:
    assert list(objects_in('a {b} {"c": {"d": 1}} {"e": 2} }{')) == [{"c": {"d": 1}}, {"e": 2}]
