"""A draft that is similar to another document as a whole, without a shared run of ten words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from sage_rag.agents.protocols import Draft, Roles
from sage_rag.agents.testing import ReversingAgent
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.review import ReviewSession
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.gate.limits import GateLimits
from tests.indexer.conftest import KEYSET, Run, clinic_job, record

LENIENT = GateLimits(likeness=None, subject_mentions=None, common_placeholders=False)
SAGE = replace(recipe_called("sage"), limits=LENIENT)
OTHER = {
    "id": "other",
    "question": "The roof of the old barn leaks in heavy rain since the storm of last winter tore "
    "its northern tiles away, and the hay below is wet.",
    "answer": "Cover the open part with a sheet before the next rain and dry the hay in the yard.",
}
LIKE_OTHER = {
    "question": "The roof of an old barn leaks in strong rain since the gale of last winter took "
    "its northern tiles off, and the straw below is damp.",
    "answer": "Cover the open side with a sheet before more rain and dry the straw in the yard.",
}


class Mistakes(ReversingAgent):
    """Write for record 4 nearly the text of another document; `stubborn` never changes it."""

    def __init__(self, *, stubborn: bool) -> None:
        super().__init__()
        self.stubborn = stubborn
        self.found: list[float] = []

    async def generate(self, extraction, attributes):
        draft = await super().generate(extraction, attributes)
        if "number 4 " not in " ".join(draft.text.split()[::-1]):
            return draft
        return Draft(LIKE_OTHER)

    async def rewrite(self, draft, review, verdict):
        self.found.append(verdict.rouge_l)
        if self.stubborn:
            return draft
        return Draft({n: " ".join(reversed(t.split())) for n, t in draft.fields.items()})


def roles_of(agent: ReversingAgent) -> Roles:
    return Roles(agent, agent, agent, agent, agent, "test")


def write(corpus: Path, *records: dict[str, str]) -> None:
    corpus.write_text("".join(json.dumps(r) + "\n" for r in records))


def published(home: Path) -> dict[str, str]:
    version = open_version(current_path(home, "clinic"))
    passages = [version.passage(row) for row in range(len(version))]
    return {SivCipher(KEYSET, "clinic").decrypt(p.source): p.text for p in passages}


def test_it_is_published_while_there_is_no_such_document_and_rewritten_after(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    agent = Mistakes(stubborn=False)
    assert run(recipe=SAGE, roles=roles_of(agent)).published == 20
    assert published(tmp_path / "home")["doc-4"] == "\n".join(LIKE_OTHER.values())
    assert agent.found == []
    write(corpus, *(record(i) for i in range(20)), OTHER)
    summary = run(recipe=SAGE, roles=roles_of(agent))
    assert (summary.published, summary.resumed, summary.reasons) == (21, 20, {})
    assert len(agent.found) == 1
    assert agent.found[0] > 0.5  # the rewriter gets their similarity
    assert "old barn leaks" not in published(tmp_path / "home")["doc-4"]
    assert run(recipe=SAGE, roles=roles_of(agent)).resumed == 21
    assert len(agent.found) == 1


def test_what_stays_alike_is_quarantined_and_shown_to_the_owner(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    write(corpus, *(record(i) for i in range(20)), OTHER)
    summary = run(recipe=SAGE, roles=roles_of(Mistakes(stubborn=True)))
    assert (summary.published, summary.reasons) == (20, {"similarity": 1, "no-progress": 1})
    ledger, opened = reviewed(corpus, tmp_path)
    (quarantined,) = opened
    assert quarantined.document.id == "doc-4"
    assert quarantined.draft == LIKE_OTHER
    ledger.close()


def test_a_persons_draft_is_held_to_the_same(run: Run, corpus: Path, tmp_path: Path) -> None:
    write(corpus, *(record(i) for i in range(20)), OTHER)
    agents = roles_of(Mistakes(stubborn=True))
    run(recipe=SAGE, roles=agents)
    ledger, opened = reviewed(corpus, tmp_path)
    opened.accept("doc-4")  # its own gate finds nothing
    ledger.close()
    summary = run(recipe=SAGE, roles=agents)
    assert (summary.published, summary.reviewed, summary.reasons) == (20, 1, {"similarity": 1})
    assert summary.unfollowed == {"similarity": 1}
    assert "doc-4" not in published(tmp_path / "home")
    write(corpus, *(record(i) for i in range(20)))  # the other one is gone
    assert run(recipe=SAGE, roles=agents).reasons == {}
    assert "old barn leaks" in published(tmp_path / "home")["doc-4"]


def test_a_limit_that_is_off_is_not_held(run: Run, corpus: Path) -> None:
    write(corpus, *(record(i) for i in range(20)), OTHER)
    off = replace(SAGE, limits=replace(LENIENT, rouge_l=None))
    assert run(recipe=off, roles=roles_of(Mistakes(stubborn=True))).published == 21


def reviewed(corpus: Path, tmp_path: Path) -> tuple[Ledger, ReviewSession]:
    job = clinic_job(corpus, tmp_path / "home", SAGE)
    ledger = Ledger(job.owner_folder / "ledger.sqlite")
    return ledger, ReviewSession(job, ledger)
