"""With every fault of a model a run ends with safe records, quarantined ones, or one error."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sage_rag.agents.testing.faults import FAULTS, INVENTED_NAME, INVENTED_PLACEHOLDER
from sage_rag.agents.testing.model import OTHER
from sage_rag.agents.testing.server import ModelServer, model_server
from sage_rag.common.exceptions import InputError, ProtectionError, SageRagError, UpstreamError
from sage_rag.indexer.pipeline import Summary
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.tokens import readable_view
from tests.end_to_end.clinic import IDS, KEYSET, RECORDS, SECRETS, Clinic

pytestmark = pytest.mark.slow
ABOUT, ABOUT_ID = "migraine", "case-fir"
"""A word that only the third record contains: there the fault occurs."""
OF_A_RECORD = ("extract", "generate", "synthesize", "review", "rewrite")
"""The roles that are asked about every record."""
HASTE = {"timeout_s": 2.0, "patience_s": 2.0}
LIMITS = GateLimits()


@dataclass
class Ended:
    """How a run ended, and what it left behind."""

    summary: Summary | None
    error: SageRagError | None
    published: set[str]
    quarantined: dict[str, list[str]]


def indexed(clinic: Clinic, url: str, **options: float) -> Ended:
    """Index, and look at every passage published; anything but a `SageRagError` is the test's."""
    summary, error = None, None
    try:
        summary = clinic.index(url, **options)
    except SageRagError as raised:
        error = raised
    return Ended(summary, error, published(clinic), quarantined(clinic))


def published(clinic: Clinic) -> set[str]:
    """Return the ids of the current version, having looked at every passage of it."""
    try:
        version = open_version(current_path(clinic.home, "clinic"), verify=True)
    except InputError:
        return set()
    restorer = Restorer(SivCipher(KEYSET, "clinic"))
    passages = [version.passage(row) for row in range(len(version))]
    ids = [restorer.restore(passage.source) for passage in passages]
    assert len(set(ids)) == len(ids), "a record was published twice"
    records = {r["id"]: r for r in map(json.loads, clinic.corpus.read_text("utf-8").splitlines())}
    for document_id, passage in zip(ids, passages, strict=True):
        check_published(records[document_id], passage.text)
    return set(ids)


def quarantined(clinic: Clinic) -> dict[str, list[str]]:
    path = clinic.home / "owner/clinic/quarantine.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line["id"]: line["reasons"] for line in map(json.loads, lines)}


def check_published(record: dict[str, str], text: str) -> None:
    """Measure a published text against its original, apart from the gate."""
    shown = readable_view(text)
    compared = Original(f"{record['question']}\n{record['answer']}").compare(shown)
    assert compared.longest_shared_run < LIMITS.run_tokens
    assert compared.rouge_l <= LIMITS.rouge_l
    assert not [s for s in SECRETS if s in text]
    assert INVENTED_NAME not in text
    assert INVENTED_PLACEHOLDER not in text
    assert len(shown.split()) >= LIMITS.min_tokens


def check_nothing_private(ended: Ended, server: ModelServer) -> None:
    """Look for the corpus in all that left the owner: prompts and errors."""
    asked = "\n".join(server.asked)
    assert not [secret for secret in SECRETS if secret in asked]
    if ended.error is not None:
        shown = f"{ended.error.message}\n{ended.error.hint}\n{ended.error!r}"
        assert not [secret for secret in SECRETS if secret in shown]
        assert not [word for word in ("migraine", "knee", "asthma") if word in shown.casefold()]
        assert "\n" not in ended.error.message
    assert not [s for s in SECRETS for rs in ended.quarantined.values() for r in rs if s in r]


@pytest.fixture
def clinic(tmp_path: Path) -> Clinic:
    clinic = Clinic(tmp_path)
    clinic.write(RECORDS)
    return clinic


def test_a_model_that_behaves_gets_everything_published(clinic: Clinic) -> None:
    with model_server() as (url, server):
        ended = indexed(clinic, url)
    check_nothing_private(ended, server)
    assert ended.error is None
    assert (ended.published, ended.quarantined) == (set(IDS), {})
    assert OTHER not in server.asked_roles


COPED_WITH = ["rambles", "drips", "bom", "old-server"]
"""Faults that calls and roles correct by themselves."""


@pytest.mark.parametrize("fault", COPED_WITH)
def test_harmless_faults_do_not_stop_publishing(clinic: Clinic, fault: str) -> None:
    with model_server(fault) as (url, server):
        ended = indexed(clinic, url)
    check_nothing_private(ended, server)
    assert ended.error is None
    assert (ended.published, ended.quarantined) == (set(IDS), {})


QUARANTINED = {
    "refuses": {"malformed-agent-output"},
    "truncates": {"malformed-agent-output"},
    "breaks-json": {"malformed-agent-output"},
    "wrong-fields": {"malformed-agent-output"},
    "empty": {"malformed-agent-output"},
    "latin-1": {"malformed-agent-output"},
    "broken-utf8": {"malformed-agent-output"},
    "never-safe": {"reviewer"},
    "copies": {"shared-run", "similarity", "no-progress"},
    "puts-name": {"unprotected"},
    "invents-placeholder": {"unknown-placeholder"},
    "loses-placeholder": {"lost-placeholder"},
}
"""Faults that cost the record, and the reasons that the owner reads."""


@pytest.mark.parametrize("fault", QUARANTINED)
def test_the_record_is_quarantined_and_the_others_are_published(clinic: Clinic, fault: str) -> None:
    with model_server(fault, about=ABOUT, roles=OF_A_RECORD) as (url, server):
        ended = indexed(clinic, url)
    check_nothing_private(ended, server)
    assert ended.error is None
    assert ended.published == {*IDS} - {ABOUT_ID}
    assert {i: set(r) for i, r in ended.quarantined.items()} == {ABOUT_ID: QUARANTINED[fault]}


@pytest.mark.parametrize("fault", QUARANTINED)
def test_a_fault_in_every_record_publishes_nothing(clinic: Clinic, fault: str) -> None:
    with model_server(fault, roles=OF_A_RECORD) as (url, server):
        ended = indexed(clinic, url)
    check_nothing_private(ended, server)
    assert isinstance(ended.error, ProtectionError)
    assert ended.published == set()
    assert ended.quarantined.keys() == set(IDS)


GIVEN_UP = [
    "storms", "denies", "fails", "drops", "gzip-garbage", "html-page",
    "no-choices", "endless",
]  # fmt: skip
"""Faults that end the run, since the next record would fail, too."""


@pytest.mark.parametrize("fault", GIVEN_UP)
def test_the_run_ends_with_one_error_and_the_next_one_goes_on(clinic: Clinic, fault: str) -> None:
    with model_server(fault, about=ABOUT, roles=OF_A_RECORD) as (url, server):
        ended = indexed(clinic, url, **HASTE)
        check_nothing_private(ended, server)
        assert isinstance(ended.error, UpstreamError)
        assert ended.error.hint
        assert ended.published == set()
        server.fault, before = None, len(server.bodies)
        again = indexed(clinic, url)
    check_nothing_private(again, server)
    assert again.error is None
    assert again.summary is not None
    assert again.summary.resumed == IDS.index(ABOUT_ID)
    assert (again.published, again.quarantined) == (set(IDS), {})
    assert "identify" not in server.asked_roles[before:]


@pytest.mark.parametrize("fault", sorted({*GIVEN_UP} - {"denies", "endless"}))
def test_occasional_faults_are_retried(clinic: Clinic, fault: str) -> None:
    with model_server(fault, rate=0.3) as (url, server):
        ended = indexed(clinic, url, concurrency=1)  # else one call might meet every fault
    check_nothing_private(ended, server)
    assert ended.error is None
    assert (ended.published, ended.quarantined) == (set(IDS), {})


@pytest.mark.parametrize("fault", QUARANTINED)
def test_occasional_faults_lose_no_record(clinic: Clinic, fault: str) -> None:
    with model_server(fault, rate=0.3, roles=OF_A_RECORD) as (url, server):
        ended = indexed(clinic, url, concurrency=4)
    check_nothing_private(ended, server)
    assert ended.error is None
    assert ended.published
    assert ended.published | ended.quarantined.keys() == set(IDS)
    assert not ended.published & ended.quarantined.keys()


@pytest.mark.parametrize("fault", ["refuses", "wrong-fields", "html-page", "truncates"])
def test_without_attributes_there_is_one_error_and_nothing_is_lost(
    clinic: Clinic, fault: str
) -> None:
    with model_server(fault, roles={"identify"}) as (url, server):
        ended = indexed(clinic, url)
        check_nothing_private(ended, server)
        assert isinstance(ended.error, SageRagError)
        assert ended.published == set()
        server.fault = None
        again = indexed(clinic, url)
    assert again.error is None
    assert again.published == set(IDS)


def test_a_storm_that_passes_is_waited_out(clinic: Clinic) -> None:
    with model_server() as (url, server):
        server.statuses = [429] * 4
        ended = indexed(clinic, url, concurrency=4)
    assert ended.error is None
    assert ended.published == set(IDS)


def test_every_fault_is_tested() -> None:
    assert {*COPED_WITH, *QUARANTINED, *GIVEN_UP} == set(FAULTS)


VISITS = 12


@contextmanager
def model_process(*options: str) -> Iterator[str]:
    """Run the server as a process of its own; yield the address that it prints."""
    command = [sys.executable, "-m", "sage_rag.agents.testing.server", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def rows(ledger: Path) -> int:
    """Count finished records."""
    if not ledger.exists():
        return 0
    database = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    try:
        return int(database.execute("SELECT count(*) FROM results").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()


def test_killed_half_way_nothing_is_lost_or_doubled(clinic: Clinic) -> None:
    records = [
        {**RECORDS[i % 5], "id": f"visit-{i}",
         "question": f"{RECORDS[i % 5]['question']} It is visit number {i} for it."}
        for i in range(VISITS)
    ]  # fmt: skip
    clinic.write(records)
    with model_process("--latency-ms", "300") as url:
        finished = [kill_at(clinic, url, at_least) for at_least in (2, 7)]
        assert 2 <= finished[0] < finished[1] < VISITS
        ended = indexed(clinic, url, concurrency=2)
    assert ended.error is None
    assert ended.summary is not None
    assert ended.summary.resumed == finished[1]
    assert ended.published | ended.quarantined.keys() == {record["id"] for record in records}
    assert not ended.published & ended.quarantined.keys()
    assert not list((clinic.home / "corpora/clinic").glob("*.tmp"))


def kill_at(clinic: Clinic, url: str, at_least: int) -> int:
    """Start indexing, kill it once `at_least` records are finished; return their number."""
    ledger = clinic.home / "owner/clinic/ledger.sqlite"
    log = clinic.root / f"killed-at-{at_least}.log"
    command = [sys.executable, "-m", "tests.end_to_end.clinic", url, str(clinic.root)]
    with log.open("w") as messages:
        process = subprocess.Popen(command, stdout=messages, stderr=messages)
    while process.poll() is None and rows(ledger) < at_least:
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL, f"it ended by itself: {log.read_text()}"
    return rows(ledger)
