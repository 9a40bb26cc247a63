"""Chat clients that others wrote, against server and edge: each is skipped where it is not installed.

    pip install langchain-openai llama-index-llms-openai-like litellm llm schemathesis

They are no dependencies of the project; docs/results/serving.md names the versions that were tried.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.rag_server.conftest import World, world

__all__ = ["world"]
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
QUESTION = "what helps against a cold?"
ANSWER = "Take rest [1]."


@pytest.fixture(params=["server", "edge"])
def url(request: pytest.FixtureRequest, world: World) -> str:
    server = world.serve()
    return (server if request.param == "server" else world.edge(server)) + "/v1"


def test_langchain(url: str) -> None:
    openai = pytest.importorskip("langchain_openai")
    model = openai.ChatOpenAI(model="clinic", base_url=url, api_key="unused", max_retries=0)
    assert model.invoke(QUESTION).content == ANSWER
    assert "".join(piece.content for piece in model.stream(QUESTION)) == ANSWER


def test_llamaindex(url: str) -> None:
    module = pytest.importorskip("llama_index.llms.openai_like")
    model = module.OpenAILike(model="clinic", api_base=url, api_key="unused", is_chat_model=True)
    assert model.complete(QUESTION).text == ANSWER
    assert "".join(piece.delta or "" for piece in model.stream_complete(QUESTION)) == ANSWER


def test_litellm(url: str) -> None:
    litellm = pytest.importorskip("litellm")
    asked = {"model": "openai/clinic", "api_base": url, "api_key": "unused"}
    messages = [{"role": "user", "content": QUESTION}]
    whole = litellm.completion(**asked, messages=messages)
    assert whole.choices[0].message.content == ANSWER
    pieces = litellm.completion(**asked, messages=messages, stream=True)
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == ANSWER


def test_llm(url: str, tmp_path: Path) -> None:
    pytest.importorskip("llm")
    listed = f"- model_id: clinic\n  model_name: clinic\n  api_base: {url}\n"
    (tmp_path / "extra-openai-models.yaml").write_text(listed)
    line = [sys.executable, "-m", "llm", "-m", "clinic", "--key", "unused", QUESTION]
    for more in ([], ["--no-stream"]):
        environment = {"LLM_USER_PATH": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run([*line, *more], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == ANSWER, done.stderr


def test_schemathesis_finds_no_failure_of_the_service_and_no_undeclared_response(
    url: str, tmp_path: Path
) -> None:
    pytest.importorskip("schemathesis")
    run = "from schemathesis.cli import schemathesis; schemathesis()"
    checks = "not_a_server_error,status_code_conformance,content_type_conformance"
    schema = url.removesuffix("/v1") + "/openapi.json"
    options = ["--checks", checks, "--max-examples", "10", "--seed", "7"]
    done = subprocess.run(
        [sys.executable, "-c", run, "run", schema, *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
