import socket

import pytest

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.eval.harness import run_probes
from sage_rag.eval.probes.probe import Probe, ProbeKind
from sage_rag.eval.targets.backends.openai_url import UrlTarget

pytestmark = pytest.mark.slow

ANSWER = "An answer [1]."


@pytest.fixture
def target(server):
    target = UrlTarget(f"http://127.0.0.1:{server.server_port}", None, api_key="k")
    yield target
    target.close()


@pytest.mark.parametrize(
    ("prompt", "outputs"),
    [
        ("plain", (ANSWER,)),
        ("cited", (ANSWER, "passage one", "passage two")),
        ("in message", (ANSWER, "passage three")),
        ("odd citations", (ANSWER,)),
    ],
)
def test_answer_and_cited_texts_are_outputs(target, prompt, outputs):
    assert target.ask(prompt) == outputs


def test_the_only_model_is_asked_with_the_key_at_v1(target, server):
    target.ask("plain")
    ((path, body, authorization),) = server.seen
    assert path == "/v1/chat/completions"
    assert body["model"] == "clinic"
    assert body["messages"] == [{"role": "user", "content": "plain"}]
    assert authorization == "Bearer k"
    assert target.name == f"http://127.0.0.1:{server.server_port}/v1 (clinic)"


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("broken", "answered 500"),
        ("forbidden", "answered 401"),
        ("silent", "sent no answer"),
        ("error as success", "sent no answer"),
        ("no json", "answered without JSON"),
    ],
)
def test_a_failure_quotes_nothing(target, prompt, reason):
    with pytest.raises(UpstreamError, match=reason) as caught:
        target.ask(prompt)
    assert "private detail" not in str(caught.value)


def test_single_failures_do_not_stop_the_others(target):
    prompts = ("plain", "broken", "cited", "silent")
    attempts = run_probes([Probe(p, ProbeKind.UNTARGETED, p) for p in prompts], target)
    assert [a.failed for a in attempts] == [False, True, False, True]


def test_a_model_must_be_chosen_where_there_are_several(server):
    server.models = ["clinic", "court"]
    with pytest.raises(InputError, match="2 models") as caught:
        UrlTarget(f"http://127.0.0.1:{server.server_port}", None)
    assert "clinic or court" in caught.value.hint


def test_no_server_is_an_upstream_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UpstreamError, match="cannot be reached"):
        UrlTarget(f"http://127.0.0.1:{port}/v1", None)
