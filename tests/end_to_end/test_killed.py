"""Indexing killed with SIGKILL goes on where it was and ends with the same version."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from sage_rag.indexer.versions import current_path, list_versions, open_version
from tests.end_to_end.command import COMMAND, PASSPHRASE, environment, sage_rag

pytestmark = pytest.mark.slow
DOCUMENTS = 40
SYMPTOMS = ("a swollen knee", "a dry cough", "hay fever", "a migraine", "itchy skin", "heartburn")
ADVICE = ("cool it", "drink more water", "take a day of rest", "see the nurse", "keep a diary")


def write_corpus(path: Path) -> None:
    with path.open("w") as file:
        for i in range(DOCUMENTS):
            symptom, advice = SYMPTOMS[i % 6], ADVICE[i % 5]
            record = {
                "id": f"d{i}",
                "question": f"My name is Ada Novak. I have had {symptom} for {i + 2} days and it "
                f"started after trip number {i} to the lake with my children.",
                "answer": f"With {symptom} it is best to {advice}. Call again after {i + 3} days "
                f"if there is no change, and bring the chart number {i} with you.",
            }
            file.write(json.dumps(record) + "\n")


def rows(ledger: Path, table: str) -> int:
    if not ledger.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as database:
            return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
    except sqlite3.OperationalError:
        return 0


def kill_when(arguments: list[str], ledger: Path, table: str, at_least: int) -> int | None:
    """Start indexing, kill it once the table has so many rows, and return how many it then has.

    `None` if it ended before.
    """
    env = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)
    process = subprocess.Popen(
        [*COMMAND, *arguments], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and rows(ledger, table) < at_least:
        time.sleep(0.01)
    process.kill()
    return rows(ledger, table) if process.wait() == -9 else None


def killed_twice(arguments: list[str], home: Path, table: str) -> bool:
    """Kill a run at half of its records, and its continuation when all are treated.

    Return whether both died before a version was published: the second may be too quick.
    """
    ledger = home / "owner/clinic/ledger.sqlite"
    half = kill_when(arguments, ledger, table, DOCUMENTS // 2)
    if half is None:
        return False
    assert DOCUMENTS // 2 <= half <= DOCUMENTS
    whole = kill_when(arguments, ledger, table, DOCUMENTS)
    return whole == DOCUMENTS and list_versions(home / "corpora/clinic") == []


@pytest.mark.parametrize(("recipe", "table"), [("sage", "results"), ("consensus", "protections")])
def test_killed_twice_it_publishes_what_an_undisturbed_run_does(
    tmp_path: Path, recipe: str, table: str
) -> None:
    env = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)
    corpus, keyset = tmp_path / "c.jsonl", tmp_path / "k.keyset"
    write_corpus(corpus)
    assert sage_rag("keys", "new", "--out", str(keyset), env=env).returncode == 0

    def arguments(home: str) -> list[str]:
        place = ["--home", str(tmp_path / home), "--keyset", str(keyset)]
        return ["index", str(corpus), "--name", "clinic", "--recipe", recipe, *place]

    homes = (f"killed-{attempt}" for attempt in range(5))
    killed = next(h for h in homes if killed_twice(arguments(h), tmp_path / h, table))
    finished = sage_rag(*arguments(killed), env=env)
    assert finished.returncode == 0, finished.stderr
    assert f"{DOCUMENTS} resumed" in finished.stderr
    undisturbed = sage_rag(*arguments("whole"), env=env)
    assert undisturbed.returncode == 0, undisturbed.stderr

    versions = [
        open_version(current_path(tmp_path / home, "clinic"), verify=True)
        for home in (killed, "whole")
    ]
    passages = [(v.path / "passages.jsonl").read_bytes() for v in versions]
    assert passages[0] == passages[1]
    assert versions[0].manifest.counts["documents"] == DOCUMENTS
    if recipe == "sage":
        assert len(versions[0]) == DOCUMENTS - versions[0].manifest.counts["quarantined"]
