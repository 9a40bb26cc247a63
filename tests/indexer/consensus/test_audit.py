"""`sage-rag audit`: the support of a version, computed again from the corpus."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.common.exceptions import InputError
from sage_rag.indexer import wiring
from sage_rag.indexer.audit_cli import audit
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import NAMES, Run
from tests.indexer.consensus.conftest import ConsensusRun, dialogue, write

CANARY = "Chew turmeric root."
"""Three words: from four words on, twice k subjects must say a statement."""
Audit = Callable[..., Any]


@pytest.fixture
def audited(monkeypatch: pytest.MonkeyPatch, dialogues: Path, tmp_path: Path) -> Audit:
    """Audit the current version against the dialogues, with a keyset of its own."""
    monkeypatch.setattr(wiring, "_recognizer", lambda *_: TableRecognizer(NAMES))
    monkeypatch.setattr(wiring, "embedder_called", HashEmbedder)
    app = typer.Typer()
    app.command()(audit)

    def invoke(*arguments: str) -> Any:
        version = current_path(tmp_path / "home", "clinic")
        return CliRunner().invoke(app, [str(version), "--corpus", str(dialogues), *arguments])

    return invoke


def test_what_was_published_has_the_support_that_the_manifest_states(
    consensus: ConsensusRun, audited: Audit
) -> None:
    consensus()
    done = audited()
    assert (done.exit_code, done.stdout) == (0, ""), done.output
    assert "0 findings in 1 passage at k = 3, by 24 documents of 24 subjects" in done.stderr


def test_a_corpus_that_says_less_gives_one_line_a_finding(
    consensus: ConsensusRun, audited: Audit, dialogues: Path
) -> None:
    write(dialogues, (dialogue(i, extra=CANARY if i in (0, 3, 6) else "") for i in range(24)))
    consensus()
    assert audited().exit_code == 0
    write(dialogues, (dialogue(i, extra=CANARY if i in (0, 3) else "") for i in range(23)))
    done = audited()
    assert done.exit_code == 1
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert {finding["kind"] for finding in findings} == {"unsupported-detail"}
    assert "turmeric" not in done.output
    assert "the corpus has 23 documents, the version was made of 24" in done.stderr


def test_records_of_one_subject_do_not_support_each_other(
    consensus: ConsensusRun, audited: Audit, dialogues: Path
) -> None:
    write(dialogues, ({**dialogue(i), "patient": str(i % 2)} for i in range(24)))
    consensus()
    assert audited().exit_code == 0
    done = audited("--subject", "patient")
    assert done.exit_code == 1
    assert "24 documents of 2 subjects" in done.stderr


def test_an_identifier_in_clear_is_a_finding(
    consensus: ConsensusRun,
    audited: Audit,
    dialogues: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(dialogues, (dialogue(i, extra="Ask Horace Winterbottom.") for i in range(24)))
    consensus()

    class Sees(TableRecognizer):
        """Recognise the physician in one record alone, so that the others support the name."""

        def recognize(self, text: str) -> Any:
            return (
                super().recognize(text) if self._first() else TableRecognizer(NAMES).recognize(text)
            )

        def _first(self) -> bool:
            self.read = getattr(self, "read", 0) + 1
            return self.read <= 2

    seen = Sees({**NAMES, "Horace Winterbottom": EntityType.PERSON})
    monkeypatch.setattr(wiring, "_recognizer", lambda *_: seen)
    done = audited()
    assert done.exit_code == 1
    assert {json.loads(line)["kind"] for line in done.stdout.splitlines()} == {"identifier"}


def test_likeness_to_an_original_is_a_finding(
    consensus: ConsensusRun, audited: Audit, dialogues: Path, tmp_path: Path
) -> None:
    consensus()
    version = open_version(current_path(tmp_path / "home", "clinic"))
    fields = version.passage(0).fields
    write(dialogues, [*map(dialogue, range(24)), {"id": "brief", **fields}])
    done = audited()
    assert done.exit_code == 1
    kinds = {json.loads(line)["kind"] for line in done.stdout.splitlines()}
    assert kinds == {"unsupported-detail", "similarity"}


def test_a_version_of_records_cannot_be_audited(run: Run, audited: Audit) -> None:
    run()
    done = audited()
    assert isinstance(done.exception, InputError)
    assert "has no layer `consensus`" in done.exception.message
    assert "\n" not in done.exception.message


def test_the_settings_must_be_those_of_the_version(
    consensus: ConsensusRun, audited: Audit, tmp_path: Path, dialogues: Path
) -> None:
    consensus()
    settings = tmp_path / "corpus.toml"
    settings.write_text(f'source = "{dialogues}"\nrecipe = "consensus"\npolicy = "soe-all"\n')
    done = audited("--corpus", str(settings))
    assert "made under the policy `sage`" in done.exception.message
    settings.write_text(f'source = "{dialogues}"\nrecipe = "consensus"\n')
    assert audited("--corpus", str(settings)).exit_code == 0
    done = audited("--corpus", str(settings), "--subject", "patient")
    assert "already sets fields and subject" in done.exception.message
