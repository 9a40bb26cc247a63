import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import ProtectionError
from sage_rag.common.web.errors import ApiError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request
from sage_rag.rag_server.edge.schema import dropped_fields
from tests.rag_server.conftest import TABLE

NAME = "Maria Keller"


def keys_for(recognizer) -> CorpusKeys:
    return Keyring(Keyset.generate(), recognizer, preset("sage")).for_model("clinic")


KEYS = keys_for(TableRecognizer(TABLE))


def request(**more) -> dict:
    return {"model": "clinic", "messages": [{"role": "user", "content": "hi"}], **more}


def message(role: str = "user", **more) -> dict:
    return request(messages=[{"role": role, **more}])


def call(arguments: str, name: str = "look_up") -> dict:
    function = {"name": name, "arguments": arguments}
    return {"id": "call_1", "type": "function", "function": function}


TEXT = f"Is {NAME} well?"
TOOL = {"name": "find", "description": TEXT, "parameters": {"properties": {NAME: {"enum": [NAME]}}}}

CARRIERS = {
    **{role: message(role, content=TEXT) for role in ("system", "developer", "user", "assistant")},
    "tool result": message("tool", content=TEXT, tool_call_id="call_1"),
    "text part": message(content=[{"type": "text", "text": "Hi"}, {"type": "text", "text": TEXT}]),
    "refusal": message("assistant", content=None, refusal=TEXT),
    "refusal part": message("assistant", content=[{"type": "refusal", "refusal": TEXT}]),
    "reasoning": message("assistant", content="", reasoning_content=TEXT),
    "arguments": message("assistant", tool_calls=[call(json.dumps({"who": NAME}))]),
    "argument name": message("assistant", tool_calls=[call(json.dumps({NAME: 1}))]),
    "escaped": message("assistant", tool_calls=[call('{"who": "Maria\\u0020Keller"}')]),
    "number": message("assistant", tool_calls=[call('{"phone": 4915112345678}')]),
    "broken arguments": message("assistant", tool_calls=[call(f'{{"who": "{NAME}')]),
    "function name": message("assistant", tool_calls=[call("{}", name=NAME)]),
    "old call": message("assistant", function_call={"name": "f", "arguments": f'["{NAME}"]'}),
    "tool": request(tools=[{"type": "function", "function": TOOL}]),
    "function": request(functions=[TOOL]),
    "chosen": request(tool_choice={"type": "function", "function": {"name": NAME}}),
    "stop": request(stop=NAME),
    "stops": request(stop=["END", NAME]),
    "metadata": request(metadata={"patient": NAME, NAME: "yes"}),
    "schema": request(
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "x", "schema": {"enum": [NAME]}},
        }
    ),
    "replayed": message("assistant", content=TEXT, annotations=[], audio=None, tool_calls=None),
}


@pytest.mark.parametrize("body", CARRIERS.values(), ids=CARRIERS.keys())
def test_no_field_carries_a_value_in_clear_and_every_value_can_be_restored(body):
    sent = pseudonymize_request(body, KEYS)
    travels = json.dumps(sent, ensure_ascii=False)
    assert "Keller" not in travels
    assert "4915112345678" not in travels
    assert TOKEN.search(travels)
    assert "unreadable" not in KEYS.restore(travels)


@pytest.mark.parametrize("field", ["user", "safety_identifier", "prompt_cache_key"])
def test_a_field_that_names_somebody_is_hidden_as_a_whole(field):
    sent = pseudonymize_request(request(**{field: "mkeller-77"}), KEYS)
    assert TOKEN.fullmatch(sent[field])
    assert KEYS.restore(sent[field]) == "mkeller-77"


def test_a_participants_name_is_hidden_though_nothing_recognises_it():
    sent = pseudonymize_request(message(content="hi", name="m_keller"), KEYS)
    assert KEYS.restore(sent["messages"][0]["name"]) == "m_keller"
    assert TOKEN.fullmatch(sent["messages"][0]["name"])


def test_a_policy_that_redacts_hides_whole_fields_for_good():
    keys = Keyring(Keyset.generate(), TableRecognizer({}), preset("redact-all")).for_model("c")
    assert pseudonymize_request(request(user="mkeller"), keys)["user"] == "<ID>"


def test_what_is_not_private_travels_unchanged():
    body = request(
        stream=True,
        stream_options={"include_usage": True},
        temperature=0.5,
        n=1,
        seed=None,
        sources="markdown",
        stop=["END"],
        logit_bias={"50256": -100},
        tool_choice="auto",
        response_format={"type": "json_object"},
        tools=[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    )
    assert pseudonymize_request(body, KEYS) == body


REFUSED = {
    "image": message(content=[{"type": "image_url", "image_url": {"url": "http://x"}}]),
    "part that is a string": message(content=[NAME]),
    "content object": message(content={"text": NAME}),
    "role": message(NAME, content="x"),
    "messages": request(messages=NAME),
    "message": request(messages=[NAME]),
    "number in a text": request(user=4915112345678),
    "text in a number": request(temperature=NAME),
    "text in a flag": request(stream=NAME),
    "flag in a number": request(seed=True),
    "choice": request(tool_choice=NAME),
    "effort": request(reasoning_effort=NAME),
    "logit bias": request(logit_bias={NAME: 1}),
    "logit bias value": request(logit_bias={"1": NAME}),
    "audio": message("assistant", content="x", audio={"id": NAME}),
    "custom tool": request(tools=[{"type": "custom", "custom": {"name": NAME}}]),
    "too deep": request(metadata=json.loads("[" * 900 + "]" * 900)),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_understood_is_refused_and_not_repeated(body):
    with pytest.raises(ApiError) as caught:
        pseudonymize_request(body, KEYS)
    assert caught.value.status == 400
    assert "Keller" not in caught.value.message
    assert "4915112345678" not in caught.value.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (message(content=5), "`messages[0].content`: a string or a list is expected"),
        (request(stop={"a": 1}), "`stop`: a string or a list is expected"),
        (request(tool_choice=["auto"]), "`tool_choice`: a string or an object is expected"),
    ],
)
def test_a_value_of_another_kind_is_told_what_is_expected(body, message):
    with pytest.raises(ApiError) as caught:
        pseudonymize_request(body, KEYS)
    assert message in caught.value.message


UNKNOWN = {
    "session": request(session=NAME),
    "": request(**{NAME: 1}),
    "repeat_penalty, chat_id": request(repeat_penalty=1.1, chat_id=NAME),
    "messages.note": message(content="x", note=NAME),
    "messages.content.more": message(content=[{"type": "text", "text": "x", "more": NAME}]),
    "prediction": request(prediction={"type": "content", "content": NAME}),
    "tools.function.extra": request(
        tools=[{"type": "function", "function": {"name": "f", "extra": NAME}}]
    ),
}


@pytest.mark.parametrize(("names", "body"), UNKNOWN.items(), ids=UNKNOWN)
def test_an_unknown_field_is_dropped_and_named_when_its_name_is_plain(names, body):
    sent = pseudonymize_request(body, KEYS)
    assert "Keller" not in json.dumps(sent)
    assert ", ".join(dropped_fields(body, sent)) == names


def test_keys_that_become_equal_are_refused_rather_than_lost():
    table = {"Jo": EntityType.PERSON, "Al": EntityType.PERSON}
    keys = Keyring(Keyset.generate(), TableRecognizer(table), preset("redact-all")).for_model("c")
    with pytest.raises(ApiError):
        pseudonymize_request(request(metadata={"Jo": 1, "Al": 2}), keys)


def test_a_recognizer_that_fails_fails_the_request_without_its_words():
    with pytest.raises(ProtectionError) as caught:
        pseudonymize_request(message(content=TEXT), keys_for(FailingRecognizer()))
    assert "Keller" not in caught.value.message


@pytest.mark.parametrize(
    "model",
    ["Maria Keller", "a/b", "", "x" * 65, "..", ".a", "ü", "a\n", "a@\u0663", None, 3, ["clinic"]],
)
def test_a_model_that_is_no_plain_corpus_name_is_refused(model):
    keyring = Keyring(Keyset.generate(), TableRecognizer({}), preset("sage"))
    with pytest.raises(ApiError) as caught:
        keyring.for_model(model)
    assert caught.value.status == 400


def test_the_same_value_travels_as_the_same_token_in_every_field():
    sent = pseudonymize_request(
        request(messages=[{"role": "system", "content": NAME}, {"role": "user", "content": NAME}]),
        KEYS,
    )
    assert len({message["content"] for message in sent["messages"]}) == 1


def test_arguments_with_half_a_character_are_sent_as_text():
    body = message("assistant", tool_calls=[call(f'{{"who": "{NAME}", "sign": "\\ud83d"}}')])
    sent = pseudonymize_request(body, KEYS)
    arguments = sent["messages"][0]["tool_calls"][0]["function"]["arguments"]
    assert "Keller" not in arguments
    assert json.loads(KEYS.restore_in_json(arguments)) == {"who": NAME, "sign": "\ud83d"}
    assert json.dumps(sent, ensure_ascii=False).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(list(TABLE)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(JSON)
def test_arguments_of_any_shape_come_back_as_they_were(value):
    body = message("assistant", tool_calls=[call(json.dumps(value))])
    sent = pseudonymize_request(body, KEYS)
    arguments = sent["messages"][0]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(KEYS.restore_in_json(arguments)) == value
