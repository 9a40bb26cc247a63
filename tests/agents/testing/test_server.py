"""The scripted server speaks the API, counts right, and names what it can do wrong."""

from __future__ import annotations

import json
import subprocess
import sys

import httpx
import openai
import pytest

from sage_rag.agents.testing.server import ModelServer, model_server

MESSAGES = [
    {"role": "system", "content": "Say it anew."},
    {"role": "user", "content": '{"text": "rest the joint and cool it"}'},
]
REQUEST = {"model": "tiny", "messages": MESSAGES}


def ask(url: str, **changes: object) -> httpx.Response:
    return httpx.post(f"{url}/chat/completions", json={**REQUEST, **changes})


def test_it_speaks_the_api_of_the_openai_client() -> None:
    with model_server() as (url, server), openai.OpenAI(base_url=url, api_key="none") as client:
        completion = client.chat.completions.create(model="tiny", messages=MESSAGES, seed=3)
        assert [model.id for model in client.models.list()] == ["scripted"]
    assert json.loads(completion.choices[0].message.content) == {
        "text": "cool it, rest the joint and."
    }
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage.prompt_tokens == 10
    assert completion.usage.completion_tokens == 7
    assert completion.usage.total_tokens == 17
    assert server.bodies[0]["seed"] == 3
    assert server.asked_roles == ["other"]


def test_the_same_prompt_has_the_same_answer_to_the_byte() -> None:
    with model_server() as (url, _):
        assert ask(url).content == ask(url).content


@pytest.mark.parametrize(
    ("rate", "wrong"),
    [(1.0, [1, 2, 3, 4, 5, 6, 7, 8]), (0.5, [2, 4, 6, 8]), (0.3, [4, 7]), (0.0, [])],
)
def test_the_rate_is_spread_evenly(rate: float, wrong: list[int]) -> None:
    with model_server("fails", rate=rate) as (url, _):
        statuses = [ask(url).status_code for _ in range(8)]
    assert [n for n, status in enumerate(statuses, 1) if status == 500] == wrong


def test_only_calls_about_a_word_or_of_a_role_go_wrong() -> None:
    with model_server("fails", about="joint") as (url, server):
        assert ask(url).status_code == 500
        server.about = "knee"
        assert ask(url).status_code == 200
        server.about, server.roles = "", ("review",)
        assert ask(url).status_code == 200


def test_a_storm_says_when_to_come_back() -> None:
    with model_server("storms") as (url, _):
        response = ask(url)
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")


def test_an_old_server_knows_no_schemas() -> None:
    with model_server("old-server") as (url, _):
        assert ask(url, response_format={"type": "json_object"}).status_code == 400
        assert ask(url).status_code == 200


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no fault `lies`"):
        ModelServer("lies")


@pytest.mark.slow
def test_it_starts_as_a_process_and_prints_its_address() -> None:
    command = [sys.executable, "-m", "sage_rag.agents.testing.server", "--port", "0"]
    options = ["--fault", "refuses", "--rate", "0.5", "--latency-ms", "1"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        said = [ask(url).json()["choices"][0]["message"]["content"] for _ in range(2)]
        process.terminate()
    assert said[0].startswith("{")
    assert said[1].startswith("I'm sorry")
