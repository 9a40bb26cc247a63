"""A person decides about quarantined documents, and the gate keeps the last word."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.agents.protocols import Extraction, Roles
from sage_rag.agents.testing import ReversingAgent
from sage_rag.agents.transcript import HIDDEN
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer import review_cli, treatment, wiring
from sage_rag.indexer.corpus_file import corpus_file_path
from sage_rag.indexer.corpus_file_update import update_corpus_file
from sage_rag.indexer.ledger import Ledger, locked_corpus
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.review import QuarantinedRecord, ReviewSession
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import KEYSET, NAMES, Run, clinic_job, record

SAFE = {
    "question": "Most nights [PERSON_1] is kept awake by complaint number 4.",
    "answer": "If it does not, return. Remedy number 4 helps [PERSON_1].",
}


class Fussy(ReversingAgent):
    """Agree to no draft of documents 4, copied, and 7, reversed: the gate refuses the first alone."""

    async def extract(self, record, attributes):
        found = await super().extract(record, attributes)
        if "number 4 " in record.text:
            return Extraction({name: words[::-1] for name, words in found.phrases.items()})
        return found

    async def review(self, record, draft):
        agreed = await super().review(record, draft)
        return agreed if "number 7 " not in record.text else type(agreed)(False, ("no",))

    async def rewrite(self, draft, review, verdict):
        return draft


def roles() -> Roles:
    agent = Fussy()
    return Roles(agent, agent, agent, agent, agent, "fussy")


@pytest.fixture
def again(run: Run) -> Callable[[], Any]:
    """Index with agents that leave documents 4 and 7 in quarantine; each call is one more run."""

    def index() -> Any:
        return run(roles=roles())

    summary = index()
    assert (summary.published, summary.quarantined) == (18, 2)
    return index


@pytest.fixture
def reviewing(corpus: Path, tmp_path: Path) -> Callable[[], Any]:
    @contextmanager
    def opened(policy: str | None = None) -> Iterator[ReviewSession]:
        job = clinic_job(corpus, tmp_path / "home", recipe_called("sage", policy))
        ledger = Ledger(job.owner_folder / "ledger.sqlite")
        yield ReviewSession(job, ledger)
        ledger.close()

    return opened


def published(home: Path) -> dict[str, str]:
    version = open_version(current_path(home, "clinic"))
    passages = [version.passage(row) for row in range(len(version))]
    return {SivCipher(KEYSET, "clinic").decrypt(p.source): p.text for p in passages}


def listed(reviewing: Any) -> dict[str, QuarantinedRecord]:
    with reviewing() as opened:
        return {q.document.id: q for q in opened}


def test_it_lists_reasons_rounds_and_drafts_without_plain_values(again, reviewing) -> None:
    found = listed(reviewing)
    assert list(found) == ["doc-4", "doc-7"]
    assert found["doc-7"].refusal.reasons == ("reviewer", "no-progress")
    assert "shared-run" in found["doc-4"].refusal.reasons
    assert found["doc-4"].rounds == 1
    assert all(q.draft is not None for q in found.values())
    assert "[PERSON_1]" in found["doc-7"].draft["question"]
    assert "Ada" not in repr(found)


def test_a_draft_that_the_gate_passes_is_accepted_and_published_next(
    again, reviewing, tmp_path: Path
) -> None:
    with reviewing() as opened:
        opened.accept("doc-7")
    assert listed(reviewing)["doc-7"].decision == "accept"
    assert "doc-7" not in published(tmp_path / "home")
    summary = again()
    assert (summary.published, summary.quarantined, summary.reviewed) == (19, 1, 1)
    assert "doc-7" in published(tmp_path / "home")
    assert again().published == 19


def test_what_the_gate_refuses_nobody_can_accept(again, reviewing) -> None:
    with reviewing() as opened, pytest.raises(ProtectionError, match="shared-run") as error:
        opened.accept("doc-4")
    assert "Ada" not in f"{error.value.message} {error.value.hint}"
    assert again().published == 18


def test_an_edit_that_passes_is_published_word_for_word(again, reviewing, tmp_path: Path) -> None:
    with reviewing() as opened:
        opened.edit("doc-4", SAFE)
    summary = again()
    assert (summary.published, summary.reviewed) == (19, 1)
    text = published(tmp_path / "home")["doc-4"]
    assert "is kept awake by complaint number 4." in text
    assert "PERSON_[" in text
    assert "[PERSON_1]" not in text


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"question": "I am Ada Novake and sleep badly with my complaint."}, "identifier"),
        ({"question": "Ask [PERSON_9] about complaint number 4 at night?"}, "unknown-placeholder"),
        ({"question": record(4)["question"]}, "identifier"),
    ],
)
def test_an_edit_that_does_not_pass_is_refused_with_the_findings(
    again, reviewing, change: dict[str, str], finding: str
) -> None:
    with reviewing() as opened:
        with pytest.raises(ProtectionError, match=finding) as error:
            opened.edit("doc-4", {**SAFE, **change})
        assert "Novak" not in error.value.message
        assert {q.document.id: q.decision for q in opened}["doc-4"] is None


def test_an_edit_has_the_records_fields(again, reviewing) -> None:
    with reviewing() as opened, pytest.raises(InputError, match="question, answer"):
        opened.edit("doc-4", {"question": "x"})


def test_a_dropped_document_is_left_out_until_somebody_decides_otherwise(
    again, reviewing, tmp_path: Path
) -> None:
    with reviewing() as opened:
        opened.drop("doc-2")
        opened.drop("doc-7")
    summary = again()
    assert (summary.published, summary.reasons["dropped-in-review"]) == (17, 2)
    assert "doc-2" not in published(tmp_path / "home")
    with reviewing() as opened:
        opened.accept("doc-7")
        opened.accept("doc-2")
    assert again().published == 19


def rewritten(corpus: Path, *records: dict[str, str]) -> None:
    corpus.write_text("".join(json.dumps(r) + "\n" for r in records))


def test_a_drop_holds_when_the_text_changes(again, reviewing, corpus: Path, tmp_path: Path) -> None:
    with reviewing() as opened:
        opened.drop("doc-2")
    again()
    changed = {**record(2), "answer": "Dear Ada Novakc, remedy number 2 helps; come if it fails."}
    rewritten(corpus, changed, *(record(i) for i in range(20) if i != 2))
    summary = again()
    assert summary.reasons["dropped-in-review"] == 1
    assert "doc-2" not in published(tmp_path / "home")


def test_a_drop_holds_when_the_document_leaves_the_corpus_and_returns(
    again, reviewing, corpus: Path, tmp_path: Path
) -> None:
    with reviewing() as opened:
        opened.drop("doc-2")
    rewritten(corpus, *(record(i) for i in range(20) if i != 2))
    assert "dropped-in-review" not in again().reasons
    rewritten(corpus, *(record(i) for i in range(20)))
    assert again().reasons["dropped-in-review"] == 1
    assert "doc-2" not in published(tmp_path / "home")


def test_a_drop_of_a_numbered_record_follows_its_content_to_another_line(
    run: Run, reviewing, corpus: Path, tmp_path: Path
) -> None:
    unnamed = [{k: v for k, v in record(i).items() if k != "id"} for i in range(20)]
    rewritten(corpus, *unnamed[1:])
    run()
    with reviewing() as opened:
        opened.drop("corpus:2")
    rewritten(corpus, *unnamed)
    run()
    assert "corpus:3" not in published(tmp_path / "home")


def test_a_drop_of_a_text_holds_for_each_of_its_pieces(
    run: Run, reviewing, corpus: Path, tmp_path: Path
) -> None:
    text = "".join(f"Complaint number {i} keeps the patient awake at night. " for i in range(90))
    rewritten(corpus, {"id": "long", "text": text}, {"id": "short", "text": "A complaint in May."})
    encrypted = recipe_called("encrypted")
    assert run(recipe=encrypted).published > 3
    with reviewing() as opened:
        opened.drop("long")
    longer = {"id": "long", "text": f"One more sentence at the beginning. {text * 2}"}
    rewritten(corpus, longer, {"id": "short", "text": "A complaint in May."})
    run(recipe=encrypted)
    assert list(published(tmp_path / "home")) == ["short"]
    with reviewing() as opened, pytest.raises(InputError, match="a piece of `long`") as error:
        opened.undo("long#1")
    assert "--undo long" in str(error.value.hint)


def test_a_drop_holds_for_the_recipe_that_protects_nothing(
    again, reviewing, run: Run, tmp_path: Path
) -> None:
    with reviewing() as opened:
        opened.drop("doc-2")
    assert run(recipe="origin", keyset=None).reasons == {"dropped-in-review": 1}
    version = open_version(current_path(tmp_path / "home", "clinic"))
    assert "doc-2" not in {version.passage(row).source for row in range(len(version))}


def test_a_drop_is_taken_back_also_of_a_document_that_left_the_corpus(
    again, reviewing, command, corpus: Path, tmp_path: Path
) -> None:
    assert command("--drop", "doc-2").exit_code == 0
    again()
    rewritten(corpus, *(record(i) for i in range(20) if i != 2))
    again()
    assert command("--undo", "doc-2").exit_code == 0
    rewritten(corpus, {**record(2), "answer": "Dear Ada Novakc, rest."}, record(1), record(3))
    again()
    assert "doc-2" in published(tmp_path / "home")
    assert "no decision about `doc-2`" in command("--undo", "doc-2").exception.message


def test_of_two_documents_with_one_text_each_has_its_own_decision(
    again, reviewing, corpus: Path, tmp_path: Path
) -> None:
    rewritten(corpus, *(record(i) for i in range(20)), {**record(2), "id": "twin"})
    with reviewing() as opened:
        opened.drop("doc-2")
    again()
    assert not {"doc-2", "twin"} & published(tmp_path / "home").keys()
    with reviewing() as opened:
        opened.undo("twin")
    again()
    assert "doc-2" not in published(tmp_path / "home")
    assert "twin" in published(tmp_path / "home")


def test_unknown_documents_are_refused(again, reviewing) -> None:
    with reviewing() as opened:
        for verb in (opened.accept, opened.drop):
            with pytest.raises(InputError):
                verb("doc-99")
        with pytest.raises(InputError, match="not in quarantine"):
            opened.accept("doc-1")


def test_a_decision_about_an_older_content_is_not_followed(again, reviewing, corpus: Path) -> None:
    with reviewing() as opened:
        opened.edit("doc-4", SAFE)
    lines = [record(i) for i in range(20)]
    lines[4]["answer"] = "Dear Ada Novake, forget what was said: remedy number 4 is of no use now."
    corpus.write_text("".join(json.dumps(r) + "\n" for r in lines))
    assert "doc-4" not in listed(reviewing)
    summary = again()
    assert (summary.reviewed, summary.published) == (0, 18)


def test_a_draft_is_not_followed_under_another_policy(again, reviewing, run: Run) -> None:
    with reviewing() as opened:
        opened.edit("doc-4", SAFE)
    other = run(roles=roles(), recipe=recipe_called("sage", "soe-all"))
    assert (other.reviewed, other.unfollowed) == (0, {"made-under-other-settings": 1})
    assert again().reviewed == 1


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, corpus: Path, tmp_path: Path) -> Callable[..., Any]:
    monkeypatch.setattr(review_cli, "keyset_of", lambda *_: KEYSET)
    monkeypatch.setattr(wiring, "recognizer_of", lambda *_, **__: TableRecognizer(NAMES))
    monkeypatch.setattr(wiring, "embedder_called", HashEmbedder)
    app = typer.Typer()
    app.command()(review_cli.review)
    home = tmp_path / "home"

    def invoke(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["clinic", "--home", str(home), *arguments])

    path = corpus_file_path(home, "clinic")
    update_corpus_file(path, {"source": str(corpus), "recipe": "sage"}).write()
    return invoke


def test_the_verb_lists_drafts_and_plain_text_only_when_asked(again, command) -> None:
    done = command()
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    assert [s["id"] for s in shown] == ["doc-4", "doc-7"]
    assert "2 documents in quarantine" in done.stderr
    assert "Ada" not in done.stdout + done.stderr
    plain = command("--show-original")
    assert "warning:" in plain.stderr
    assert json.loads(plain.stdout.splitlines()[0])["original"]["question"] == record(4)["question"]


def test_the_verb_shows_how_a_refused_document_was_reviewed(again, command) -> None:
    done = command("doc-7")
    turns = [json.loads(line) for line in done.stdout.splitlines()]
    assert turns[0]["speaker"] == "generator"
    assert {"gate", "reviewer"} <= {turn["speaker"] for turn in turns}
    assert "Novak" not in done.stdout + done.stderr
    assert "not in quarantine" in command("doc-2").exception.message


def test_a_record_that_the_gate_alone_refused_shows_its_findings(
    run: Run, command, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unsafe(Gate):
        def judge(self, original, protection, draft):
            verdict = super().judge(original, protection, draft)
            found = Finding(FindingKind.IDENTIFIER, "a name of the record", 0, 4)
            return replace(verdict, findings=(found,) if "number 7 " in original.text else ())

    monkeypatch.setattr(treatment, "Gate", Unsafe)
    assert run(recipe=recipe_called("encrypted"), roles=None).quarantined == 1
    drafted, judged = (json.loads(line) for line in command("doc-7").stdout.splitlines())
    assert drafted["speaker"] == "generator"
    assert HIDDEN in drafted["draft"]["fields"]["question"]
    assert judged["verdict"]["findings"][0]["message"] == "a name of the record"
    assert "Novak" not in json.dumps([drafted, judged])


@pytest.fixture
def overlooked(
    run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch, command: Any
) -> Callable[[], Any]:
    """Index a record whose name was overlooked, but found in another; each call is one more run."""

    class Forgetful(TableRecognizer):
        def recognize(self, text: str):
            return [] if "overlooked" in text else super().recognize(text)

    extra = {"id": "x", "question": "Tell Ada Novaka overlooked thing", "answer": "done and well"}
    rewritten(corpus, *(record(i) for i in range(20)), extra)
    forgetful = Forgetful(NAMES)
    monkeypatch.setattr(wiring, "recognizer_of", lambda *_, **__: forgetful)
    monkeypatch.setattr(wiring, "embedder_called", HashEmbedder)
    recipe = replace(recipe_called("redacted"), own_limits={"meaning": False})

    def index() -> Any:
        return run(recipe=recipe, recognizer=forgetful, roles=None)

    assert index().reasons == {"known-identifier": 1}
    update = {"recipe": "redacted"}
    update_corpus_file(corpus_file_path(corpus.parent / "home", "clinic"), update).write()
    return index


def test_a_name_of_another_document_is_shown_by_type_and_place_only(overlooked, command) -> None:
    drafted, judged = (json.loads(line) for line in command("x").stdout.splitlines())
    assert drafted["draft"]["fields"]["question"] == f"Tell {HIDDEN} overlooked thing"
    assert "has type PERSON in another document" in judged["verdict"]["findings"][0]["message"]
    listing = command()
    assert "Novak" not in listing.stdout + listing.stderr


def test_a_draft_with_a_name_of_another_document_is_published_without_it(
    overlooked, command, tmp_path: Path
) -> None:
    assert command("--accept", "x").exit_code == 0
    summary = overlooked()
    assert (summary.quarantined, summary.unfollowed) == (0, {})
    assert published(tmp_path / "home")["x"].startswith(f"Tell {HIDDEN} overlooked thing")


def test_an_edit_with_a_name_of_another_document_is_refused(
    overlooked, command, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.json"
    draft.write_text(json.dumps({"question": "Ask Ada Novakb overlooked", "answer": "done"}))
    refused = command("--edit", "x", "--file", str(draft)).exception
    assert "has type PERSON in another document" in refused.message
    assert "Novak" not in f"{refused.message}{refused.hint}"


def test_the_verb_takes_a_file_or_an_editor(
    again, command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = tmp_path / "draft.json"
    draft.write_text(json.dumps(SAFE))
    done = command("--edit", "doc-4", "--file", str(draft))
    assert done.exit_code == 0, done.output
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "sed -i 's/return/come back/'")
    assert command("--edit", "doc-4").exit_code == 0
    assert again().published == 19
    assert "If it does not, come back." in published(tmp_path / "home")["doc-4"]


def test_nobody_reviews_while_a_run_is_at_work(again, command, tmp_path: Path) -> None:
    with locked_corpus(tmp_path / "home/owner/clinic"):
        done = command("--drop", "doc-4")
    assert "another run" in str(done.exception)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--accept", "doc-4", "--drop", "doc-4"),
        ("--file", "x.json"),
        ("--edit", "doc-4", "--file", "missing.json"),
        ("--accept", "doc-4"),
    ],
)
def test_what_cannot_be_done_is_an_error(again, command, arguments: tuple[str, ...]) -> None:
    done = command(*arguments)
    assert isinstance(done.exception, InputError | ProtectionError)
    assert "Novak" not in str(done.exception)
