"""The pipeline over fakes: what is published, resumed and refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sage_rag.agents.protocols import CorpusAttributes, Roles
from sage_rag.agents.testing import ReversingAgent, reversing_roles
from sage_rag.common.exceptions import InputError, ProtectionError, UpstreamError
from sage_rag.indexer import reading
from sage_rag.indexer.ledger import Ledger, locked_corpus
from sage_rag.indexer.passages import RECORDS
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, list_versions, open_version
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protect import ProtectedText
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer
from sage_rag.privacy.tokens import TOKEN
from tests.indexer.conftest import KEYSET, NAMES, Run, passage_of, record

NAMELESS = replace(
    recipe_called("sage"), limits=GateLimits(subject_mentions=None, common_placeholders=False)
)
"""The default, but that a draft need not name anybody: the agents here may drop any word."""


def roles_of(agent: ReversingAgent) -> Roles:
    return Roles(agent, agent, agent, agent, agent, "test")


def everything_under(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file())


def test_a_version_is_published_and_restores(run: Run, tmp_path: Path) -> None:
    summary = run()
    assert (summary.documents, summary.published, summary.quarantined) == (20, 20, 0)
    version = open_version(current_path(tmp_path / "home", "clinic"), verify=True)
    assert version.manifest.recipe == "sage"
    assert version.manifest.key_ids == (KEYSET.primary,)
    assert version.manifest.counts == {"documents": 20, "passages": 20, "quarantined": 0}
    restorer = Restorer(SivCipher(KEYSET, "clinic"))
    passage = passage_of(version, "doc-3")
    assert restorer.restore(passage.source) == "doc-3"
    assert "Ada Novakd" in restorer.restore(passage.text)


@pytest.mark.parametrize("recipe", ["sage", "encrypted", "redacted", "surrogates"])
def test_nothing_on_disk_holds_a_plain_name_or_document_id(
    run: Run, tmp_path: Path, recipe: str
) -> None:
    run(recipe=recipe)
    stored = everything_under(tmp_path / "home")
    for name in NAMES:
        assert name.encode() not in stored
    assert b"doc-1" not in stored


def test_the_origin_recipe_needs_no_keyset_and_says_that_it_protects_nothing(
    run: Run, tmp_path: Path
) -> None:
    run(recipe="origin", keyset=None)
    version = open_version(current_path(tmp_path / "home", "clinic"))
    assert version.manifest.protection == "none"
    published = {p.source: p.fields for p in map(version.passage, range(len(version)))}
    assert published["doc-0"] == {k: v for k, v in record(0).items() if k != "id"}
    assert len(published) == 20


def test_a_second_run_repeats_nothing(run: Run, tmp_path: Path) -> None:
    run()
    agent, embedder = ReversingAgent(), HashEmbedder()
    roles = roles_of(agent)
    first = run(roles=roles, embedder=embedder)
    assert (first.resumed, agent.extracted, embedder.embedded) == (0, 20, 20)  # the originals
    second = run(roles=roles, embedder=embedder)
    assert (second.resumed, agent.extracted, embedder.embedded) == (20, 20, 20)
    assert list_versions(tmp_path / "home/corpora/clinic") == ["000001", "000002", "000003"]


def test_one_changed_document_is_all_that_is_done_again(run: Run, corpus: Path) -> None:
    agent = ReversingAgent()
    run(roles=roles_of(agent))
    lines = corpus.read_text().splitlines()
    changed = {**record(7), "answer": "Dear Ada Novakh, a new remedy was found for you today."}
    corpus.write_text("\n".join([*lines[:7], json.dumps(changed), *lines[8:]]))
    summary = run(roles=roles_of(agent))
    assert summary.resumed == 19
    assert agent.extracted == 21


def test_after_an_upstream_failure_finished_documents_are_kept(run: Run, tmp_path: Path) -> None:
    class Failing(ReversingAgent):
        async def extract(self, record: ProtectedText, attributes):  # type: ignore[no-untyped-def]
            if self.extracted == 11:
                raise UpstreamError("the model endpoint failed")
            return await super().extract(record, attributes)

    with pytest.raises(UpstreamError):
        run(roles=roles_of(Failing()), concurrency=1)
    with pytest.raises(InputError):
        current_path(tmp_path / "home", "clinic")
    assert run(roles=roles_of(ReversingAgent())).resumed == 11


def test_unsafe_documents_are_quarantined_and_never_indexed(run: Run, tmp_path: Path) -> None:
    class CopiesOne(ReversingAgent):
        async def generate(self, extraction, attributes):  # type: ignore[no-untyped-def]
            draft = await super().generate(extraction, attributes)
            if "number 4 " not in " ".join(draft.text.split()[::-1]):
                return draft
            fields = {n: " ".join(t.split()[::-1]) for n, t in draft.fields.items()}
            return type(draft)(fields)

        async def rewrite(self, draft, review, verdict):  # type: ignore[no-untyped-def]
            return draft

    summary = run(roles=roles_of(CopiesOne()))
    assert (summary.published, summary.quarantined) == (19, 1)
    assert summary.reasons == {"shared-run": 1, "similarity": 1, "no-progress": 1}
    listed = (tmp_path / "home/owner/clinic/quarantine.jsonl").read_text()
    assert json.loads(listed)["id"] == "doc-4"
    version = open_version(current_path(tmp_path / "home", "clinic"))
    sources = {version.passage(row).source for row in range(len(version))}
    assert SivCipher(KEYSET, "clinic").encrypt("doc-4", EntityType.SOURCE) not in sources


def test_a_name_that_the_new_text_left_out_still_finds_its_record(run: Run, tmp_path: Path) -> None:
    class Nameless(ReversingAgent):
        async def generate(self, extraction, attributes):  # type: ignore[no-untyped-def]
            draft = await super().generate(extraction, attributes)
            fields = {n: t.replace("[PERSON_1]", "someone") for n, t in draft.fields.items()}
            return type(draft)(fields)

    run(recipe=NAMELESS, roles=roles_of(Nameless()))
    version = open_version(current_path(tmp_path / "home", "clinic"))
    token = SivCipher(KEYSET, "clinic").encrypt("Ada Novakf", EntityType.PERSON)
    ((row, _),) = version.layers[RECORDS].search_lexical(token, 5)
    assert token not in version.passage(row).text
    assert SivCipher(KEYSET, "clinic").decrypt(version.passage(row).source) == "doc-5"


def test_if_nothing_passes_nothing_is_published(run: Run, tmp_path: Path) -> None:
    run()
    with pytest.raises(ProtectionError, match="no document passed"):
        run(roles=reversing_roles(never_safe=True))
    assert current_path(tmp_path / "home", "clinic").name == "000001"


def test_a_failing_recognizer_publishes_nothing(run: Run, tmp_path: Path) -> None:
    with pytest.raises(ProtectionError):
        run(recipe="encrypted", recognizer=FailingRecognizer())
    everything = everything_under(tmp_path / "home")
    assert b"Ada " not in everything  # a token may hold the three letters by chance
    assert b"Novak" not in everything


class Forgetful(TableRecognizer):
    """Overlooks every name of one record."""

    def recognize(self, text: str):  # type: ignore[no-untyped-def]
        return [] if "overlooked" in text else super().recognize(text)


@pytest.fixture
def overlooked(corpus: Path) -> None:
    """Add a record with the name of another one, which `Forgetful` overlooks."""
    extra = {"id": "x", "question": "Tell Ada Novaka overlooked thing", "answer": "done and well"}
    with corpus.open("a") as file:
        file.write(json.dumps(extra) + "\n")


@pytest.mark.usefixtures("overlooked")
def test_a_name_overlooked_in_one_document_is_encrypted_at_publishing(
    run: Run, tmp_path: Path
) -> None:
    summary = run(recipe="encrypted", recognizer=Forgetful(NAMES))
    assert summary.reasons == {}
    assert b"Novaka" not in everything_under(tmp_path / "home/corpora")
    version = open_version(current_path(tmp_path / "home", "clinic"))
    texts = [version.passage(row).text for row in range(len(version))]
    (text,) = (text for text in texts if "overlooked" in text)
    (token,) = (match.group() for match in TOKEN.finditer(text))
    plain = SivCipher(KEYSET, "clinic").decrypt(token)
    assert text.replace(token, plain).startswith("Tell Ada Novaka overlooked thing")
    assert sum(token in other for other in texts) > 1  # a question with the name finds it


@pytest.mark.usefixtures("overlooked")
def test_a_name_that_the_policy_does_not_encrypt_is_refused_where_it_was_overlooked(
    run: Run, tmp_path: Path
) -> None:
    summary = run(recipe="redacted", recognizer=Forgetful(NAMES))
    assert summary.reasons == {"known-identifier": 1}
    assert b"Novaka" not in everything_under(tmp_path / "home/corpora")


class Quotes(ReversingAgent):
    """Put another record's words into the draft of record 4; `stubborn` never takes them out."""

    def __init__(self, *, stubborn: bool) -> None:
        super().__init__()
        self._stubborn = stubborn

    async def generate(self, extraction, attributes):  # type: ignore[no-untyped-def]
        draft = await super().generate(extraction, attributes)
        if "number 4 " not in " ".join(draft.text.split()[::-1]):
            return draft
        quoted = "and complaint number 9 keeps me awake most nights of May."
        return type(draft)({**draft.fields, "question": quoted})

    async def rewrite(self, draft, review, verdict):  # type: ignore[no-untyped-def]
        return draft if self._stubborn else await super().rewrite(draft, review, verdict)


def test_wording_of_another_document_is_rewritten(run: Run, tmp_path: Path) -> None:
    summary = run(recipe=NAMELESS, roles=roles_of(Quotes(stubborn=False)))
    assert (summary.published, summary.reasons) == (20, {})
    version = open_version(current_path(tmp_path / "home", "clinic"))
    texts = [version.passage(row).text for row in range(len(version))]
    assert any("number 9 keeps me" in text for text in texts)
    assert not any("number 9 keeps me awake most nights of May" in text for text in texts)
    again = run(recipe=NAMELESS, roles=roles_of(Quotes(stubborn=False)))
    assert again.resumed == 20


def test_wording_of_another_document_that_stays_is_quarantined(run: Run, tmp_path: Path) -> None:
    summary = run(roles=roles_of(Quotes(stubborn=True)))
    assert summary.reasons == {"shared-run": 1, "no-progress": 1}
    listed = (tmp_path / "home/owner/clinic/quarantine.jsonl").read_text()
    assert json.loads(listed)["id"] == "doc-4"


def test_a_new_key_renews_tokens_without_the_agents(run: Run, tmp_path: Path) -> None:
    agent, fresh = ReversingAgent(), Keyset.generate()
    run(roles=roles_of(agent))
    run(roles=roles_of(agent), keyset=fresh)
    assert agent.extracted == 20
    version = open_version(current_path(tmp_path / "home", "clinic"))
    assert "Ada Novaka" in Restorer(SivCipher(fresh, "clinic")).restore(
        passage_of(version, "doc-0", fresh).text
    )


def test_two_runs_at_once_are_refused(run: Run, tmp_path: Path) -> None:
    with (
        locked_corpus(tmp_path / "home/owner/clinic"),
        pytest.raises(InputError, match="another run"),
    ):
        run()


@pytest.mark.parametrize("name", ["", "../x", "a b", "a/b", "-x", "x" * 65])
def test_a_name_that_is_no_folder_name_is_refused(run: Run, name: str) -> None:
    with pytest.raises(InputError, match="cannot name a corpus"):
        run(name=name)


def test_a_protecting_recipe_without_a_keyset_is_refused(run: Run) -> None:
    with pytest.raises(InputError, match="needs a keyset"):
        run(keyset=None)


def test_the_ledger_is_a_database_that_only_placeholders_reach(run: Run, tmp_path: Path) -> None:
    run()
    database = sqlite3.connect(tmp_path / "home/owner/clinic/ledger.sqlite")
    rows = database.execute("SELECT result FROM results").fetchall()
    assert len(rows) == 20
    assert all("[PERSON_1]" in row[0] for row in rows)


def test_a_damaged_ledger_is_one_clear_error(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "home/owner/clinic"
    folder.mkdir(parents=True)
    (folder / "ledger.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(InputError, match=r"ledger .* cannot be used"):
        run()


def test_a_ledger_that_fails_after_publishing_says_that_the_version_is_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(ledger: Ledger, *_: object) -> None:
        ledger._write("PRAGMA max_page_count = 1")
        ledger._write(f"CREATE TABLE more AS SELECT '{'x' * 100_000}' AS text")

    monkeypatch.setattr(Ledger, "store_documents", full)
    with pytest.raises(InputError, match="version 1 of `clinic` is published, but the ledger") as e:
        run()
    assert "free some disk space and start again" in (e.value.hint or "")
    assert current_path(tmp_path / "home", "clinic").name == "000001"
    monkeypatch.undo()
    assert run().path == tmp_path / "home/corpora/clinic/versions/000002"


def test_the_numbers_of_versions_end_before_any_work(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "home/corpora/clinic"
    folder.mkdir(parents=True)
    (folder / "current").write_text("999999")
    with pytest.raises(InputError, match="the last number"):
        run(roles=None)
    assert not (tmp_path / "home/owner").exists()


def test_the_corpus_is_read_twice(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[Path] = []
    read = reading.read_corpus

    def counting(source: Path, *settings: Any, **more: Any) -> Any:
        readings.append(source)
        return read(source, *settings, **more)

    monkeypatch.setattr(reading, "read_corpus", counting)
    run()
    assert len(readings) == 2


@pytest.mark.parametrize("change", ["add", "remove", "edit"])
def test_a_corpus_that_changes_during_a_run_ends_it(run: Run, corpus: Path, change: str) -> None:
    lines = corpus.read_text().splitlines()
    changed = {
        "add": [*lines, json.dumps({**record(0), "id": "doc-20"})],
        "remove": lines[:-1],
        "edit": [*lines[:-1], lines[-1].replace("remedy", "cure")],
    }[change]

    class Edits(ReversingAgent):
        async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
            corpus.write_text("\n".join(changed))
            return await super().identify(samples)

    with pytest.raises(InputError, match="changed while it was indexed"):
        run(roles=roles_of(Edits()))


def test_answer_fields_that_no_document_has_end_the_run_before_its_work(
    run: Run, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="no document has a field `anwser`") as caught:
        run(answer_fields=("answer", "anwser"))
    assert "answer" in (caught.value.hint or "")
    assert not (tmp_path / "home" / "corpora").exists()
