"""Records in a language that recognizer or rules do not cover are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.testing import reversing_roles
from sage_rag.common.exceptions import ProtectionError
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.coverage import Coverage, refused_languages
from sage_rag.indexer.estimate import estimate, estimate_lines
from sage_rag.indexer.job import Summary
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.review import ReviewSession
from sage_rag.indexer.versions import REPORT, current_path, open_version
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.keyset.keyset import Keyset
from tests.indexer.conftest import KEYSET, Run, clinic_job

SPANISH = {
    "id": "doc-es",
    "question": "Mi madre tiene setenta años y desde ayer no puede mover el brazo izquierdo.",
    "answer": "Llame ahora mismo al servicio de urgencias y no espere a que se le pase.",
}
GERMAN = {
    "id": "doc-de",
    "question": "Mein Vater nimmt seit gestern neue Tabletten und ihm ist jetzt sehr schwindlig.",
    "answer": "Bitte geben Sie ihm keine weitere Tablette, bevor er in der Praxis war.",
}
CHINESE = {
    "id": "doc-zh",
    "question": "医生您好，我母亲今年六十八岁，最近两周晚上总是咳嗽，白天还好，没有发烧。",
    "answer": "先观察体温，多喝水。如果咳嗽超过三周，请尽快到呼吸科就诊。",
}
MIXED = {
    "id": "doc-mixed",
    "question": "My mother writes this herself and I only pass it on to you, please read it.",
    "answer": SPANISH["answer"],
}


@pytest.fixture
def add(corpus: Path) -> Any:
    def add(*records: dict[str, str]) -> None:
        with corpus.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    return add


def refused(home: Path) -> dict[str, list[str]]:
    lines = (home / "owner" / "clinic" / "quarantine.jsonl").read_text().splitlines()
    return {row["id"]: row["reasons"] for row in map(json.loads, lines)}


@pytest.mark.parametrize("recipe", ["sage", "encrypted", "redacted", "surrogates"])
def test_a_record_that_is_not_covered_is_refused_under_every_recipe_that_protects(
    run: Run, add: Any, tmp_path: Path, recipe: str
) -> None:
    add(SPANISH, GERMAN, MIXED)
    summary: Summary = run(recipe=recipe)
    assert summary.published == 20
    assert refused(tmp_path / "home") == {
        "doc-es": ["language-not-covered:es"],
        "doc-de": ["language-not-covered:de"],
        "doc-mixed": ["language-not-covered:es"],
    }
    assert refused_languages(summary.reasons) == {"es": 2, "de": 1}
    version = current_path(tmp_path / "home", "clinic")
    report = json.loads((version / REPORT).read_text())
    assert report["languages_refused"] == {"es": 2, "de": 1}


def test_a_language_that_the_owner_names_is_published(run: Run, add: Any) -> None:
    add(SPANISH)
    assert run().published == 20
    assert run(languages=frozenset({"en", "es"})).published == 21


def test_rules_rewrite_english_alone() -> None:
    both = frozenset({"en", "zh"})
    assert Coverage(both, rules_roles().languages).languages == {"en"}
    assert Coverage(both, reversing_roles().languages).languages == Coverage(both).languages == both


def test_chinese_is_covered_by_the_recognizer_and_not_by_the_rules(
    corpus: Path, tmp_path: Path
) -> None:
    corpus.write_text(json.dumps(CHINESE) + "\n")
    counted = {}
    for recipe in ("sage", "encrypted"):
        job = clinic_job(corpus, tmp_path / "home", recipe_called(recipe))
        roles = rules_roles() if recipe == "sage" else None
        counted[recipe] = estimate(replace(job, roles=roles)).languages_refused
    assert counted == {"sage": {"zh": 1}, "encrypted": {}}


def test_a_dry_run_counts_them_and_says_which_languages(
    corpus: Path, add: Any, tmp_path: Path
) -> None:
    add(SPANISH, GERMAN, MIXED)
    job = clinic_job(corpus, tmp_path / "home")
    estimated = estimate(job)
    assert (estimated.to_treat, estimated.languages_refused) == (20, {"es": 2, "de": 1})
    assert "will be refused: 3 in a language that" in "\n".join(estimate_lines(job, estimated))
    assert "(es 2, de 1)" in "\n".join(estimate_lines(job, estimated))


def test_a_corpus_without_a_covered_record_fails_with_the_languages(run: Run, corpus: Path) -> None:
    corpus.write_text("".join(json.dumps(each) + "\n" for each in (SPANISH, GERMAN)))
    with pytest.raises(ProtectionError, match=r"all 2 sampled records are refused: .*de 1, es 1"):
        run()


def test_attributes_come_from_covered_records_alone(run: Run, corpus: Path, add: Any) -> None:
    seen: list[str] = []

    class Watching:
        def __getattr__(self, name: str) -> Any:
            return getattr(agent.identifier, name)

        async def identify(self, samples: Any) -> Any:
            seen.extend(sample.text for sample in samples)
            return await agent.identifier.identify(samples)

    agent = reversing_roles()
    add(*({**SPANISH, "id": f"es-{i}"} for i in range(15)))
    assert run(roles=replace(agent, identifier=Watching())).published == 20
    assert seen
    assert not any("urgencias" in text for text in seen)


def test_a_new_key_renews_a_run_with_refused_records(run: Run, add: Any) -> None:
    add(SPANISH)
    run()
    rotated = Keyset.generate()
    assert run(keyset=rotated).published == 20


def test_review_publishes_no_draft_of_a_record_that_the_recognizer_cannot_read(
    run: Run, add: Any, corpus: Path, tmp_path: Path
) -> None:
    add(SPANISH)
    run()
    job = clinic_job(corpus, tmp_path / "home")
    ledger = Ledger(job.owner_folder / "ledger.sqlite")
    draft = {"question": "The arm of the mother does not move.", "answer": "Call for help now."}
    with pytest.raises(ProtectionError, match="language-not-covered:es"):
        ReviewSession(job, ledger).edit("doc-es", draft)
    ledger.close()


def test_a_persons_draft_of_a_record_that_only_the_rules_do_not_cover_is_published(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    english = corpus.read_text()
    corpus.write_text(english + json.dumps(CHINESE) + "\n")
    by_rules = replace(reversing_roles(), languages=frozenset({"en"}))
    assert run(roles=by_rules).published == 20
    job = replace(clinic_job(corpus, tmp_path / "home"), roles=by_rules)
    assert estimate(job).languages_refused == {"zh": 1}
    ledger = Ledger(job.owner_folder / "ledger.sqlite")
    draft = {"question": "孩子夜里咳嗽怎么办？", "answer": "请多喝温水，并去看医生。"}
    ReviewSession(job, ledger).edit("doc-zh", draft)
    ledger.close()
    assert estimate(job).languages_refused == {}
    assert run(roles=by_rules).published == 21


def test_the_corpus_file_names_recognizer_and_languages(corpus: Path, tmp_path: Path) -> None:
    parts: dict[str, Any] = {"recognizer": object(), "embedder": object(), "agents": False}

    def languages(**settings: Any) -> set[str]:
        file = CorpusFile(source=corpus, recipe="sage", **settings)
        return set(index_job(file, "clinic", tmp_path, KEYSET, **parts).languages)

    assert languages() == {"en", "zh"}
    assert languages(recognizers=("gliner:m",), languages=("es", "fr")) == {"en", "zh", "es", "fr"}


def test_a_published_version_holds_nothing_of_a_refused_record(
    run: Run, add: Any, tmp_path: Path
) -> None:
    add(SPANISH)
    run(recipe="encrypted")
    version = current_path(tmp_path / "home", "clinic")
    assert len(open_version(version)) == 20
    assert not any(b"urgencias" in p.read_bytes() for p in version.rglob("*") if p.is_file())
