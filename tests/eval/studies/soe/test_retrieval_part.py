from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.eval.knowledge.arms import QuestionSpelling
from sage_rag.eval.knowledge.texts import encrypted, plain
from sage_rag.eval.studies.soe import retrieval_part
from sage_rag.eval.studies.soe.corpora import Population
from sage_rag.eval.studies.soe.retrieval_chunks import chunks_of
from sage_rag.eval.studies.soe.retrieval_part import (
    fact_of,
    measure_retrieval,
    run_retrieval,
    stored_retrieval,
)
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.rag_server.reranking import OFF

PEOPLE = Population(StudySettings(schooled=20, trained=4, tested=8), 0)
EVERYONE = [*PEOPLE.schooled, *PEOPLE.corpus]


@pytest.mark.parametrize("tokens", [32, 64, 100_000])
def test_every_fact_is_stated_in_one_chunk(tokens: int) -> None:
    chunks = chunks_of(EVERYONE, plain, tokens, 0)
    facts = [fact for chunk in chunks for fact in chunk.facts]
    assert len(facts) == len(set(facts)) == 5 * len(EVERYONE)
    assert all(chunk.facts and len(chunk.text) <= 4 * tokens for chunk in chunks)
    for person in EVERYONE:
        for attribute, value in person.values.items():
            [own] = [chunk for chunk in chunks if (person.name, attribute) in chunk.facts]
            assert person.name in own.text
            assert value in own.text


def test_encrypted_chunks_state_the_facts_of_the_plain_ones() -> None:
    clear = chunks_of(EVERYONE, plain, 64, 0)
    hidden = chunks_of(EVERYONE, encrypted(PEOPLE.cipher()), 64, 0)
    assert [chunk.facts for chunk in clear] == [chunk.facts for chunk in hidden]
    assert not any(person.name in chunk.text for person in EVERYONE for chunk in hidden)


@pytest.mark.parametrize("spelling", list(QuestionSpelling))
def test_the_chunk_that_answers_is_found_and_read(
    spelling: QuestionSpelling, tmp_path: Path
) -> None:
    seed = SeedFolder(tmp_path, PEOPLE)
    found = measure_retrieval(seed, 64, spelling, OFF, HashEmbedder())
    asked = len(PEOPLE.choices)
    assert found.found[1].trials == asked == 40
    assert asked / 4 < found.found[1].successes <= found.found[16].successes
    assert found.extractive.successes > asked / 4
    assert found.models == {}


def test_one_chunk_is_always_found(tmp_path: Path) -> None:
    seed = SeedFolder(tmp_path, PEOPLE)
    plain_spelling = QuestionSpelling.PLAIN
    found = measure_retrieval(seed, 100_000, plain_spelling, OFF, HashEmbedder())
    assert found.chunks == 1
    assert found.found[1].successes == found.found[1].trials


def test_figures_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval_part, "CHUNK_TOKENS", (64,))
    monkeypatch.setattr(retrieval_part, "RERANKERS", (OFF,))
    monkeypatch.setattr(retrieval_part, "embedder_called", HashEmbedder)
    seed = SeedFolder(tmp_path / "seed-0", PEOPLE)
    run_retrieval(seed)
    found = stored_retrieval(tmp_path)
    monkeypatch.setattr(retrieval_part, "measure_retrieval", None)
    run_retrieval(seed)
    assert stored_retrieval(tmp_path) == found
    assert [figures.spelling for figures in found] == list(QuestionSpelling)


def test_a_question_asks_for_a_fact_of_a_tested_person() -> None:
    tested = {(person.name, attribute) for person in PEOPLE.tested for attribute in person.values}
    assert {fact_of(choice) for choice in PEOPLE.choices} == tested
