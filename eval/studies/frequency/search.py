"""Search for a person's record by part of the name, with and without blind words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any

from sage_rag.common.jsonl import rows, write_jsonl
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.frequency.people import Patient, patients
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.versions import open_version
from sage_rag.privacy.blind_index import PartWords
from sage_rag.privacy.policy import load_policy
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.retrieval import Retriever

_EXAMPLES = Path(__file__).parents[3] / "examples"
_INVENTED = 500
_SEED = 1
_DEPTH = 5


class Words(StrEnum):
    """The words that a question carries in addition to its tokens."""

    NONE = "tokens alone"
    WHOLE = "and words of whole values"
    FAMILY = "and of family names"
    ALL = "and of all parts"


_PART_WORDS = {
    Words.NONE: PartWords.NONE,
    Words.WHOLE: PartWords.NONE,
    Words.FAMILY: PartWords.FAMILY,
    Words.ALL: PartWords.ALL,
}


@dataclass(frozen=True, slots=True)
class SearchScore:
    """How often the wanted record comes first, and among the first five."""

    corpus: str
    asked: str
    words: Words
    first: Proportion
    among_five: Proportion


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """A question, its kind, and the ids of the records that answer it."""

    kind: str
    question: str
    records: frozenset[str]


def search_scores(home: StudyHome) -> Iterator[SearchScore]:
    """Measure both corpora: the examples, rewritten; invented records, names encrypted."""
    gold = list(rows(_EXAMPLES / "clinic_gold.jsonl"))
    asked = questions_about_examples(gold)
    examples = _corpus("examples", _EXAMPLES / "clinic.jsonl", ("question", "answer"))
    yield from measure(home, examples, "sage", asked)
    invented = patients(_INVENTED, _SEED)
    path = home.home / "invented.jsonl"
    records = ({"id": f"case-{i}", "text": patient.text} for i, patient in enumerate(invented))
    write_jsonl(path, records)
    corpus = _corpus("invented", path, ("text",))
    yield from measure(home, corpus, "encrypted", questions_about_patients(invented))


def _corpus(name: str, path: Path, fields: tuple[str, ...]) -> Corpus:
    return Corpus(name, path, fields, tuple(read_corpus(path, fields)), probes=())


def questions_about_examples(gold: Sequence[Mapping[str, Any]]) -> list[NamedQuestion]:
    """Return questions about the first person of each dialogue, and the examples' own questions."""
    people = [[e["text"] for e in row["entities"] if e["type"] == "PERSON"] for row in gold]
    full = [[name for name in names if " " in name] for names in people]
    questions = [
        asked
        for names in full
        for asked in _about(
            tuple(names[0].rsplit(" ", 1)),
            "What was {} told?",
            frozenset(r["id"] for r, n in zip(gold, full, strict=True) if names[0] in n),
        )
    ]
    own = list(rows(_EXAMPLES / "questions.jsonl"))
    named = {row["id"]: "named" if row["id"] <= "q-10" else "no one named" for row in own}
    return questions + [
        NamedQuestion(
            f"examples' own, {named[row['id']]}", row["question"], frozenset(row["expects"])
        )
        for row in own
    ]


def questions_about_patients(invented: Sequence[Patient]) -> list[NamedQuestion]:
    """Return questions about each patient that also name the complaint."""
    return [
        asked
        for i, patient in enumerate(invented)
        for asked in _about(
            patient.name,
            f"What helps {{}} against {patient.complaint}?",
            frozenset({f"case-{i}"}),
        )
    ]


def _about(name: tuple[str, ...], question: str, records: frozenset[str]) -> list[NamedQuestion]:
    given, family = name
    forms = {
        "full name": f"{given} {family}",
        "title and family name": f"Ms {family}",
        "given name": given.split(" ")[0],
        "family name first": f"{family}, {given}",
    }
    return [NamedQuestion(kind, question.format(form), records) for kind, form in forms.items()]


def measure(
    home: StudyHome, corpus: Corpus, recipe: str, asked: Sequence[NamedQuestion]
) -> Iterator[SearchScore]:
    """Index the corpus as the owner does, ask as the edge does, once for each choice of words."""
    for words in Words:
        policy = _policy(home.home, RECIPES[recipe].policy, words)
        variant = Variant(replace(RECIPES[recipe], policy=str(policy)))
        job = home.job(corpus, variant)
        edge = Keyring(home.keyset, home.recognizer, load_policy(str(policy)))
        keys = edge.for_model(job.name)
        with closing(open_version(home.run(job, variant.name).path)) as version:
            retriever = Retriever(version, home.embedder)
            ranks: dict[str, list[int | None]] = {}
            for question in asked:
                rank = _rank(question, keys, retriever, words)
                ranks.setdefault(question.kind, []).append(rank)
        yield from (_score(corpus.name, kind, words, found) for kind, found in ranks.items())


def _policy(folder: Path, name: str | None, words: Words) -> Path:
    """Write a copy of a policy with this choice of part words."""
    policies = resources.files("sage_rag.privacy").joinpath("policies")
    written = policies.joinpath(f"{name}.toml").read_text("utf-8")
    path = folder / f"{name}.toml"
    path.write_text(f'part_words = "{_PART_WORDS[words]}"\n{written}', "utf-8")
    return path


def _rank(asked: NamedQuestion, keys: CorpusKeys, retriever: Retriever, words: Words) -> int | None:
    """Return the rank of the first wanted record, from 0; `None` if it is not among five."""
    sent = keys.pseudonymize(asked.question)
    search_words = () if words is Words.NONE else keys.search_words(sent)
    passages = retriever.retrieve(sent, _DEPTH, search_words)
    sources = [keys.restore(passage.source) for passage in passages]
    return next((i for i, source in enumerate(sources) if source in asked.records), None)


def _score(corpus: str, kind: str, words: Words, ranks: Sequence[int | None]) -> SearchScore:
    return SearchScore(
        corpus=corpus,
        asked=kind,
        words=words,
        first=Proportion.of(sum(rank == 0 for rank in ranks), len(ranks)),
        among_five=Proportion.of(sum(rank is not None for rank in ranks), len(ranks)),
    )
