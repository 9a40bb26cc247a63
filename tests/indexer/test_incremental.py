"""What a later run does again, after which change; and what it forgets."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.protocols import Attribute, CorpusAttributes, Draft, Review, Roles
from sage_rag.agents.refinement import CallSavings, RefinementOptions
from sage_rag.agents.team.conversation import team
from sage_rag.agents.testing import ReversingAgent
from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.indexer.changes import Changes
from sage_rag.indexer.embedding import text_hash
from sage_rag.indexer.index_run import embedded_text
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.sentences import sentence_views
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.gate.findings import FindingKind
from tests.indexer.conftest import Run, record, rows_of


class Counting(ReversingAgent):
    """Count what is asked of each stage."""

    def __init__(self) -> None:
        super().__init__()
        self.identified = self.reviewed = 0

    async def identify(self, samples):
        self.identified += 1
        return await super().identify(samples)

    async def review(self, record, draft):
        self.reviewed += 1
        return await super().review(record, draft)

    @property
    def asked(self) -> tuple[int, int, int]:
        return self.identified, self.extracted, self.reviewed


def roles_of(agent: ReversingAgent, everything: str = "e1", drafting: str = "d1") -> Roles:
    return Roles(agent, agent, agent, agent, agent, everything, drafting)


def sage(**limits: object):
    recipe = recipe_called("sage")
    return replace(recipe, limits=replace(recipe.limits, **limits))


class Harmless:
    """An adversary that finds nothing."""

    fingerprint = "harmless"

    def against(self, protection, recognizer):
        async def infer(draft):
            return Review(True)

        return infer


@dataclass
class Corpus:
    """The corpus file, to change."""

    path: Path

    def write(self, *records: dict[str, str]) -> None:
        self.path.write_text("".join(json.dumps(r) + "\n" for r in records))


@pytest.fixture
def twenty(corpus: Path) -> Corpus:
    return Corpus(corpus)


def test_a_second_run_says_what_changed_and_treats_that_alone(run: Run, twenty: Corpus) -> None:
    agent = Counting()
    assert run(roles=roles_of(agent)).changes == Changes(added=20)
    assert agent.asked == (1, 20, 20)
    changed = {**record(3), "answer": "Dear Ada Novakd, there is a new remedy for your trouble."}
    twenty.write(*(record(i) for i in range(5, 20)), changed, {**record(0), "id": "new"})
    summary = run(roles=roles_of(agent))
    # doc-0 has another name now, and its content is known.
    assert summary.changes == Changes(added=1, changed=1, removed=4, unchanged=15)
    assert agent.asked == (1, 21, 21)
    assert (summary.published, summary.resumed) == (17, 16)


def test_nothing_changed_is_said_too(run: Run) -> None:
    run()
    assert run().changes == Changes(unchanged=20)


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (lambda a: {"roles": roles_of(a)}, (0, 0, 0)),
        (lambda a: {"roles": roles_of(a, everything="another review prompt")}, (0, 0, 20)),
        (lambda a: {"recipe": sage(rouge_l=0.45)}, (0, 0, 20)),
        (lambda a: {"recipe": sage(run_tokens=9)}, (0, 0, 20)),
        (
            lambda a: {"refinement": RefinementOptions(savings=CallSavings(gate_first=False))},
            (0, 0, 20),
        ),
        (lambda a: {"refinement": RefinementOptions(max_rounds=2)}, (0, 0, 20)),
        (lambda a: {"refinement": RefinementOptions(adversary=Harmless())}, (0, 0, 20)),
        (lambda a: {"refinement": RefinementOptions(conversation=team)}, (0, 0, 0)),
        (lambda a: {"roles": roles_of(a, "e2", "d2")}, (1, 20, 20)),
        (lambda a: {"recipe": recipe_called("sage", "soe-all")}, (1, 20, 20)),
        (
            lambda a: {
                "attributes": CorpusAttributes(
                    (
                        Attribute("all", "question", "what is asked"),
                        Attribute("more", "answer", "what is said"),
                    ),
                    "dialogue",
                )
            },
            (0, 20, 20),
        ),
    ],
    ids=[
        *("nothing", "review prompt", "similarity", "run"),
        *("savings", "rounds", "adversary", "conversation"),
        *("stage-1 prompt", "policy", "attributes"),
    ],
)
def test_a_changed_setting_does_again_what_it_decides_and_nothing_else(
    run: Run, change: Callable[[Counting], dict[str, object]], again: tuple[int, int, int]
) -> None:
    agent = Counting()
    settings = {"roles": roles_of(agent), "recipe": sage()}
    run(**settings)
    before = agent.asked
    summary = run(**{**settings, **change(agent)})
    assert tuple(n - b for n, b in zip(agent.asked, before, strict=True)) == again
    assert summary.published == 20
    assert summary.redrafted == (20 if again == (0, 0, 20) else 0)


def test_a_removed_document_is_gone_from_version_and_ledger(
    run: Run, twenty: Corpus, tmp_path: Path
) -> None:
    peculiar = {**record(4), "question": "My zanzibarian trombone hurts Ada Novake at every noon."}
    twenty.write(record(0), peculiar)
    run()
    folder = tmp_path / "home/owner/clinic"
    assert b"zanzibarian" in ledger_bytes(folder)
    twenty.write(record(0), record(1))
    assert run().changes == Changes(added=1, removed=1, unchanged=1)
    assert b"zanzibarian" not in ledger_bytes(folder)
    with sqlite3.connect(folder / "ledger.sqlite") as database:
        for table in ("documents", "results", "drafts"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (2,), table  # noqa: S608
        vectors = {h for (h,) in database.execute("SELECT text_hash FROM vectors")}
    version = open_version(current_path(tmp_path / "home", "clinic"))
    assert set(rows_of(version)) == {"doc-0", "doc-1"}
    passages = [version.passage(row) for row in range(len(version))]
    texts = [text for p in passages for text in (embedded_text(p), *sentence_views(p, ()))]
    assert vectors == set(map(text_hash, texts))


def ledger_bytes(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in folder.glob("ledger.sqlite*"))


def test_a_run_that_does_not_publish_forgets_nothing(run: Run, twenty: Corpus) -> None:
    agent = Counting()
    run(roles=roles_of(agent))
    twenty.write({**record(1), "question": "This is a new question of Ada Novakb about pain."})

    class Down(Counting):
        async def extract(self, record, attributes):
            raise UpstreamError("the model endpoint failed")

    with pytest.raises(UpstreamError):
        run(roles=roles_of(Down()))
    twenty.write(*(record(i) for i in range(20)))
    again = run(roles=roles_of(agent))
    assert (again.resumed, again.changes) == (20, Changes(unchanged=20))


def test_a_model_without_a_usable_answer_is_asked_again_by_the_next_run(run: Run) -> None:
    class Mumbles(Counting):
        async def extract(self, record, attributes):
            if "number 3 keeps" in record.text:
                raise AgentOutputError("the model's answer does not fit")
            return await super().extract(record, attributes)

    first = run(roles=roles_of(Mumbles()))
    assert first.reasons == {"malformed-agent-output": 1}
    second = run(roles=roles_of(Counting()))
    assert (second.published, second.resumed, second.reasons) == (20, 19, {})


def test_killed_between_the_stages_the_draft_is_not_made_again(run: Run) -> None:
    class Dies(Counting):
        async def review(self, record, draft):
            if self.reviewed == 7:
                raise UpstreamError("the model endpoint failed")
            return await super().review(record, draft)

    with pytest.raises(UpstreamError):
        run(roles=roles_of(Dies()), concurrency=1)
    agent = Counting()
    summary = run(roles=roles_of(agent), concurrency=1)
    assert (summary.resumed, summary.redrafted) == (7, 1)
    assert agent.asked == (0, 12, 13)


def test_a_draft_that_holds_a_value_in_clear_is_never_stored(run: Run, tmp_path: Path) -> None:
    class Blabs(Counting):
        async def generate(self, extraction, attributes):
            draft = await super().generate(extraction, attributes)
            return Draft({**draft.fields, "answer": f"{draft.fields['answer']} Ada Novakc"})

        async def rewrite(self, draft, review, verdict):
            assert FindingKind.UNPROTECTED in {f.kind for f in verdict.findings}
            cleared = {n: t.replace("Ada Novakc", "") for n, t in draft.fields.items()}
            return Draft(cleared)

    run(roles=roles_of(Blabs()))
    assert b"Ada Novakc" not in ledger_bytes(tmp_path / "home/owner/clinic")


def test_published_documents_leave_no_transcript(run: Run, tmp_path: Path) -> None:
    run(roles=roles_of(Counting()))
    with sqlite3.connect(tmp_path / "home/owner/clinic/ledger.sqlite") as database:
        kept = [row[0] for row in database.execute("SELECT transcript FROM results")]
    assert kept == [None] * 20


@pytest.mark.parametrize(("version", "said"), [(0, "an earlier"), (9, "a later")])
def test_a_ledger_of_another_format_is_refused_in_one_line(
    tmp_path: Path, version: int, said: str
) -> None:
    path = tmp_path / "ledger.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(f"CREATE TABLE results (a); PRAGMA user_version={version};")
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"written by {said} sage-rag") as error:
        Ledger(path)
    assert "\n" not in error.value.message
    assert path.read_bytes() == before


def test_a_full_disk_keeps_the_last_version_and_the_ledgers_state(
    run: Run, twenty: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    twenty.write(*(record(i) for i in range(10)))

    def full(*_: object, **__: object) -> None:
        raise InputError("cannot write the version: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("sage_rag.indexer.pipeline.publish", full)
        with pytest.raises(InputError, match="No space left"):
            run()
    assert current_path(tmp_path / "home", "clinic").name == "000001"
    assert run().changes == Changes(removed=10, unchanged=10)


def test_vectors_that_other_code_made_are_made_anew(run: Run, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    run(embedder=embedder)
    before = embedder.embedded
    with sqlite3.connect(tmp_path / "home/owner/clinic/ledger.sqlite") as database:
        update = database.execute("UPDATE vectors SET embedder = 'hash-64/earlier'")
    assert run(embedder=embedder).resumed == 20
    assert embedder.embedded == before + update.rowcount
    assert update.rowcount > 20  # passages and their sentences
