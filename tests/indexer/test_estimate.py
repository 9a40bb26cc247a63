"""A dry run counts what there is to do, writes nothing and asks nobody."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sage_rag.agents.chat.costs import CallCosts, Price
from sage_rag.agents.protocols import Roles
from sage_rag.agents.testing import ReversingAgent, reversing_roles
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.estimate import ROUNDS, Estimate, estimate, estimate_lines
from sage_rag.indexer.job import IndexJob
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.sample_work import SAMPLE, sample_of
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import NAMES, Run, clinic_job


class Silent(ReversingAgent):
    """Must not be asked."""

    async def identify(self, samples):
        raise AssertionError("the identifier was asked")

    async def extract(self, record, attributes):
        raise AssertionError("the extractor was asked")

    async def review(self, record, draft):
        raise AssertionError("the reviewer was asked")


def roles_of(agent: ReversingAgent, everything: str = "e", drafting: str = "d") -> Roles:
    return Roles(agent, agent, agent, agent, agent, everything, drafting)


@pytest.fixture
def job(corpus: Path, tmp_path: Path) -> IndexJob:
    job = clinic_job(corpus, tmp_path / "home")
    return replace(job, roles=roles_of(Silent()), costs=CallCosts(Price(1.0, 4.0)))


def files(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_first_dry_run_writes_nothing_and_asks_nobody(job: IndexJob, tmp_path: Path) -> None:
    before = files(tmp_path)
    made = estimate(job)
    assert files(tmp_path) == before
    assert not job.home.exists()
    assert (made.documents, made.to_treat, made.to_refine, made.finished) == (20, 20, 0, 0)
    assert made.sampled == 5
    assert made.calls == 20 * (1 + 1 + ROUNDS) + 1
    assert made.money == pytest.approx(
        (made.prompt_tokens + 4 * made.completion_tokens) / 1e6, abs=1e-4
    )
    assert made.seconds > 0


def estimated(job: IndexJob, **changes: Any) -> Estimate:
    before = files(job.home)
    made = estimate(replace(job, **changes))
    assert files(job.home) == before
    return made


def test_it_tells_what_is_finished_from_what_is_only_drafted(job: IndexJob, run: Run) -> None:
    run(roles=roles_of(ReversingAgent()))
    assert estimated(job).finished == 20
    assert estimated(job).calls == 0
    refined = estimated(job, roles=roles_of(Silent(), "another review prompt"))
    assert (refined.to_refine, refined.to_treat, refined.finished) == (20, 0, 0)
    assert refined.calls == 20 * 2
    treated = estimated(job, recipe=recipe_called("sage", "soe-all"))
    assert (treated.to_refine, treated.to_treat) == (0, 20)


def test_without_a_model_there_is_time_and_no_cost(job: IndexJob) -> None:
    made = estimated(job, costs=None, roles=roles_of(ReversingAgent()))
    assert (made.calls, made.prompt_tokens, made.money) == (0, 0, None)
    assert made.assumed == "no model is asked"


def test_the_share_that_the_gate_passes_is_told_with_its_interval(job: IndexJob) -> None:
    made = estimated(job, costs=None, roles=roles_of(ReversingAgent()))
    assert made.safe == made.sampled == 5
    assert "of the sample, the gate passes 5 of 5 (95 %: at least 54.9 %)" in list(
        estimate_lines(job, made)
    )


def test_what_a_model_would_write_is_not_guessed(job: IndexJob) -> None:
    made = estimated(job)
    assert made.safe is None
    assert not any("the gate passes" in line for line in estimate_lines(job, made))


def test_longer_records_and_fewer_at_a_time_cost_more(job: IndexJob, corpus: Path) -> None:
    short = estimated(job)
    slow = estimated(job, concurrency=1)
    assert slow.seconds > short.seconds
    corpus.write_text(corpus.read_text().replace("keeps me awake", "keeps me awake " * 50))
    assert estimated(job).prompt_tokens > 1.4 * short.prompt_tokens


def test_the_table_says_each_figure_once(job: IndexJob) -> None:
    table = list(estimate_lines(job, estimated(job)))
    assert "nothing was written or sent" in table[0]
    assert sum("model calls" in line for line in table) == 1
    assert "no price given" in "\n".join(estimate_lines(job, estimated(job, costs=CallCosts())))


def test_a_run_without_a_model_costs_nothing(job: IndexJob) -> None:
    made = replace(estimated(job), calls=0, money=None)
    lines = "\n".join(estimate_lines(job, made))
    assert "price" not in lines
    assert re.search(r"cost +none", lines)


def test_the_start_of_the_process_counts(job: IndexJob) -> None:
    without = estimated(job, costs=None, roles=roles_of(ReversingAgent()))
    job = replace(job, costs=None, roles=roles_of(ReversingAgent()))
    made = estimate(job, start_s=60)
    assert made.seconds >= 60
    assert made.spent_s >= 60
    assert without.spent_s < 60


def test_an_estimate_that_is_not_cheap_says_so(job: IndexJob) -> None:
    def notes(**changes: float) -> list[str]:
        made = replace(estimated(job), **changes)
        return [line for line in estimate_lines(job, made) if "too small to predict" in line]

    assert len(notes(spent_s=6.0, seconds=30.0)) == 1
    assert notes(spent_s=6.0, seconds=90.0) == []
    assert notes(spent_s=6.0, seconds=30.0, sampled=0) == []


@pytest.mark.parametrize(
    ("recipe", "calls"),
    [("paraphrase", 20), ("checklist", 20), ("zerogen", 20), ("attrprompt", 21)],
)
def test_baselines_are_one_call_a_record(job: IndexJob, recipe: str, calls: int) -> None:
    assert estimated(job, recipe=recipe_called(recipe)).calls == calls


def test_the_sample_is_what_an_estimate_of_a_tenth_can_afford() -> None:
    def documents(count: int, words: int = 10) -> list[Document]:
        return [Document(str(i), {"text": "word " * words}) for i in range(count)]

    def sampled(count: int) -> int:
        return len(sample_of(documents(min(count, SAMPLE)), count * 50, count))

    assert list(map(sampled, (3, 30, 300, 500, 1000, 9000))) == [3, 5, 5, 10, 35, SAMPLE]
    long = documents(10, words=1000)
    assert len(sample_of(long, 10 * 5000 + 990 * 50, 1000)) == 5


def test_the_time_is_that_of_the_run(job: IndexJob, run: Run) -> None:
    class Slow(TableRecognizer):
        def recognize(self, text: str) -> Sequence[Span]:
            time.sleep(0.03)  # releases the lock, as a network does
            return super().recognize(text)

    changes = {"recognizer": Slow(NAMES), "roles": reversing_roles()}
    made = estimated(job, costs=None, **changes)
    assert 0.5 < made.seconds / run(**changes).seconds < 2
