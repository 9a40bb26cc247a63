"""Indexing with a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexer.versions import current_path, open_version
from tests.end_to_end.command import PASSPHRASE, environment, sage_rag
from tests.end_to_end.conftest import records, secrets
from tests.end_to_end.model_server import model_server, play

pytestmark = pytest.mark.slow
ENV = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)


@pytest.fixture
def place(tmp_path: Path) -> list[str]:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(r) + "\n" for r in records()))
    keyset = tmp_path / "k.keyset"
    assert sage_rag("keys", "new", "--out", str(keyset), env=ENV).returncode == 0
    home = ["--home", str(tmp_path / "home"), "--keyset", str(keyset)]
    return ["index", str(corpus), "--name", "clinic", *home]


def test_a_model_does_the_roles_and_never_reads_a_plain_identifier(
    place: list[str], tmp_path: Path
) -> None:
    with model_server() as (url, state):
        done = sage_rag(*place, "--llm-base-url", url, "--llm-model", "tiny", env=ENV)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["published"] == len(records())
    asked = "".join(state.asked)
    assert "[PERSON_1]" in asked
    assert not [secret for secret in secrets() if secret in asked]
    version = open_version(current_path(tmp_path / "home", "clinic"), verify=True)
    assert version.manifest.agents is not None
    assert version.manifest.agents.startswith("model/tiny/")


def test_a_model_that_copies_or_rambles_gets_nothing_published(
    place: list[str], tmp_path: Path
) -> None:
    def copy(system: str, user: str) -> str:
        if "write one new" in system:
            return json.dumps({k: " ".join(v) for k, v in json.loads(user).items()})
        if "condense one record" in system:
            return json.dumps({"information": {k: [v] for k, v in json.loads(user).items()}})
        if "You revise" in system:
            return "I would rather talk about the weather."
        return play(system, user)

    with model_server(copy) as (url, _):
        done = sage_rag(*place, "--llm-base-url", url, "--llm-model", "tiny", env=ENV)
    assert done.returncode == 4
    assert "no document passed the gate" in done.stderr
    refused = (tmp_path / "home/owner/clinic/quarantine.jsonl").read_text().splitlines()
    assert len(refused) == len(records())
    assert "malformed-agent-output" in refused[0]


def test_a_dead_endpoint_ends_the_run_and_a_second_run_goes_on(place: list[str]) -> None:
    def die_after_two(system: str, user: str) -> str:
        if "condense one record" in system:
            state.statuses.extend([400] if len(state.asked) > 6 else [])
        return play(system, user)

    with model_server(die_after_two) as (url, state):
        model = ("--llm-base-url", url, "--llm-model", "tiny", "--concurrency", "1")
        first = sage_rag(*place, *model, env=ENV)
        assert first.returncode == 5
        assert "error: the model endpoint answered 400" in first.stderr
        state.answer, state.statuses = play, []
        asked = len(state.asked)
        second = sage_rag(*place, *model, env=ENV)
        assert second.returncode == 0, second.stderr
        assert len(state.asked) - asked < 3 * len(records())
    assert " 0 taken up from before" not in second.stderr


def test_nobody_at_the_endpoint_is_one_clear_error(place: list[str]) -> None:
    model = ("--llm-base-url", "http://127.0.0.1:9/v1", "--llm-model", "tiny")
    done = sage_rag(*place, *model, env=ENV)
    assert done.returncode == 5
    assert done.stderr.splitlines()[-2].startswith("error: the model endpoint")
    assert done.stderr.splitlines()[-1].startswith("hint: ")
