"""Indexing with a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sage_rag.agents.testing.server import model_server
from sage_rag.indexer.versions import current_path, open_version
from tests.end_to_end.command import PASSPHRASE, environment, sage_rag
from tests.end_to_end.conftest import records, secrets

pytestmark = pytest.mark.slow
ENV = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)
OF_A_RECORD = ("extract", "generate", "synthesize", "review", "rewrite")


@pytest.fixture
def place(tmp_path: Path) -> list[str]:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(r) + "\n" for r in records()))
    keyset = tmp_path / "k.keyset"
    assert sage_rag("keys", "new", "--out", str(keyset), env=ENV).returncode == 0
    home = ["--home", str(tmp_path / "home"), "--keyset", str(keyset)]
    # The scripted model writes other words than the records', so their meaning is not judged.
    return ["index", str(corpus), "--name", "clinic", "--set", "gate.meaning=off", *home]


def test_a_model_does_the_roles_and_never_reads_a_plain_identifier(
    place: list[str], tmp_path: Path
) -> None:
    with model_server() as (url, server):
        done = sage_rag(*place, "--llm-base-url", url, "--llm-model", "tiny", env=ENV)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["published"] == len(records())
    asked = "".join(server.asked)
    assert "[PERSON_1]" in asked
    assert not [secret for secret in secrets() if secret in asked]
    version = open_version(current_path(tmp_path / "home", "clinic"), verify=True)
    assert version.manifest.agents is not None
    assert version.manifest.agents.startswith("model/tiny/")


@pytest.mark.parametrize(
    ("fault", "reason"), [("copies", "shared-run"), ("truncates", "malformed-agent-output")]
)
def test_a_model_that_copies_or_breaks_off_gets_nothing_published(
    place: list[str], tmp_path: Path, fault: str, reason: str
) -> None:
    with model_server(fault, roles=OF_A_RECORD) as (url, _):
        done = sage_rag(*place, "--llm-base-url", url, "--llm-model", "tiny", env=ENV)
    assert done.returncode == 4
    assert "no document passed the gate" in done.stderr
    assert "--recipe encrypted" in done.stderr
    refused = (tmp_path / "home/owner/clinic/quarantine.jsonl").read_text().splitlines()
    assert len(refused) == len(records())
    assert all(reason in json.loads(line)["reasons"] for line in refused)


def test_an_endpoint_that_shuts_ends_the_run_and_a_second_run_goes_on(place: list[str]) -> None:
    with model_server("denies", about="asthma", roles=OF_A_RECORD) as (url, server):
        model = ("--llm-base-url", url, "--llm-model", "tiny", "--set", "concurrency=1")
        first = sage_rag(*place, *model, env=ENV)
        assert first.returncode == 5
        assert "error: the model endpoint answered 401" in first.stderr
        server.fault, before = None, len(server.asked)
        second = sage_rag(*place, *model, env=ENV)
    assert second.returncode == 0, second.stderr
    assert "2 resumed" in second.stderr
    asked = "".join(server.asked[before:])
    assert "asthma" in asked
    assert "migraine" not in asked


def test_an_unreachable_endpoint_is_one_clear_error(place: list[str]) -> None:
    model = ("--llm-base-url", "http://127.0.0.1:9/v1", "--llm-model", "tiny")
    done = sage_rag(*place, *model, env=ENV)
    assert done.returncode == 5
    assert done.stderr.splitlines()[-2].startswith("error: the model endpoint")
    assert done.stderr.splitlines()[-1].startswith("hint: ")
