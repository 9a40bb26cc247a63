import json
import time

import pytest

from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedServer, completion

CHAT = "/v1/chat/completions"
HISTORY = """<chat_history>
USER: What helps Maria Keller against her migraine, please?
ASSISTANT: Rest.
USER: And what else helps against migraine?
</chat_history>"""


def task(output: str, words: str = "Generate what is wanted.") -> str:
    return f"### Task:\n{words}\n### Output:\nJSON format: {output}\n### Chat History:\n{HISTORY}"


CALLS = {
    '{ "title": "your title" }': ("title", "What helps Maria Keller against her"),
    '{ "tags": ["tag1", "tag2"] }': ("tags", ["Helps", "Migraine", "Maria"]),
    '{ "follow_ups": ["Question?"] }': ("follow_ups", []),
    '{ "queries": ["query1"] }': ("queries", []),
    '{ "text": "<your_completion>" }': ("text", ""),
}


@pytest.mark.parametrize("output", CALLS)
def test_the_edge_answers_a_side_call_itself_and_sends_nothing(world: World, output):
    server = ScriptedServer(lambda _: completion("sent"))
    client = world.openai(world.edge(world.run(server)))
    done = client.chat.completions.create(**ask(task(output)))
    name, value = CALLS[output]
    found = json.loads(done.choices[0].message.content)
    assert set(found) == {name}
    assert found[name] == value if name != "tags" else set(found[name]) >= {"Migraine"}
    streamed = client.chat.completions.create(**ask(task(output)), stream=True)
    text = "".join(c.choices[0].delta.content or "" for c in streamed)
    assert text == done.choices[0].message.content
    assert server.seen == []


def test_the_header_of_a_client_names_a_side_call(world: World):
    server = ScriptedServer(lambda _: completion("sent"))
    edge = world.edge(world.run(server))
    headers = {"x-task": "title_generation"}
    response = world.http.post(edge + CHAT, json=ask("Give it a name."), headers=headers).json()
    assert json.loads(response["choices"][0]["message"]["content"]) == {"title": "Conversation"}
    assert server.seen == []


@pytest.mark.parametrize(
    "body",
    [
        ask("### Task:\nRespond to the user query using the provided context: why?"),
        ask('How do I write { "title": "x" }?'),
        {
            "model": "clinic",
            "messages": [
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hello"},
                {"role": "user", "content": task('{ "title": "x" }')},
            ],
        },
    ],
)
def test_a_question_is_no_side_call(world: World, body):
    server = ScriptedServer(lambda _: completion("sent"))
    response = world.http.post(world.edge(world.run(server)) + CHAT, json=body).json()
    assert response["choices"][0]["message"]["content"] == "sent"


def test_the_server_searches_nothing_for_a_side_call(world: World):
    answer = world.http.post(world.serve() + CHAT, json=ask(task('{ "title": "x" }'))).json()
    assert answer["choices"][0]["message"]["content"].startswith('{"title"')
    assert "citations" not in answer or answer["citations"] == []


@pytest.mark.parametrize("before", [[], [{"role": "system", "content": "Be brief."}]])
def test_a_side_call_may_come_in_parts_and_after_a_system_message(world: World, before):
    server = ScriptedServer(lambda _: completion("sent"))
    client = world.openai(world.edge(world.run(server)))
    parts = [{"type": "text", "text": task('{ "title": "your title" }')}]
    messages = [*before, {"role": "user", "content": parts}]
    options = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = list(client.chat.completions.create(model="clinic", messages=messages, **options))
    assert "title" in "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert chunks[-1].usage is not None
    assert server.seen == []


TITLE = '### Task: {"title": "x"}\n<chat_history>'


@pytest.mark.parametrize(
    "text",
    [
        f"{TITLE}{chr(10) * 30_000}</chat_history>",
        TITLE + "<chat_history>" * 4_000,
        f"{TITLE}USER:{' ' * 30_000}\n</chat_history>",
    ],
)
def test_a_side_call_takes_no_longer_than_its_length_allows(world: World, text):
    server = world.serve()
    for url in (server, world.edge(server)):
        started = time.monotonic()
        response = world.http.post(url + CHAT, json=ask(text)).json()
        assert time.monotonic() - started < 1
        assert json.loads(response["choices"][0]["message"]["content"]) == {"title": "Conversation"}


@pytest.mark.parametrize(
    "history",
    [
        "",
        "Rest helps.",
        "ASSISTANT: Rest.",
        "USER:\nASSISTANT: Rest helps.",
        "USER: \nASSISTANT: Rest helps.",
    ],
)
def test_a_conversation_in_which_no_user_says_anything_has_a_general_title(world: World, history):
    url, asked = world.serve(), f"{TITLE}\n{history}\n</chat_history>"
    response = world.http.post(url + CHAT, json=ask(asked))
    assert response.status_code == 200
    content = response.json()["choices"][0]["message"]["content"]
    assert json.loads(content) == {"title": "Conversation"}


def test_a_side_call_is_limited_as_a_conversation_and_not_as_a_question(world: World):
    server = world.serve()
    for url in (server, world.edge(server)):
        calls = [
            ask(f"{TITLE}USER: Why?\n{'x' * size}</chat_history>") for size in (9_000, 210_000)
        ]
        found = [world.http.post(url + CHAT, json=call) for call in calls]
        assert [response.status_code for response in found] == [200, 400]
        assert found[1].json()["error"]["code"] == "conversation_too_long"
