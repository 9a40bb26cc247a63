"""Find the record of a person by part of the name, with and without blind words."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sage_rag.agents.rules.roles import rules_roles
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.people import Case, cases
from sage_rag.indexer.embedding import CachedEmbedder, SentenceTransformerEmbedder
from sage_rag.indexer.pipeline import IndexJob, index_corpus
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.blind_index import PartWords
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.retrieval import Retriever

_EXAMPLES = Path(__file__).parents[2] / "examples"
_INVENTED = 500
_SEED = 1
_DEPTH = 5


class Words(StrEnum):
    """What travels with a question beside its tokens."""

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


class FindingScore(BaseModel):
    """How often the record asked for came first, and among the first five."""

    model_config = ConfigDict(frozen=True)
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


def find_all() -> Iterator[FindingScore]:
    """Measure both corpora: the examples, rewritten; invented records, names encrypted."""
    records = [json.loads(line) for line in _lines(_EXAMPLES / "clinic.jsonl")]
    gold = [json.loads(line) for line in _lines(_EXAMPLES / "clinic_gold.jsonl")]
    yield from finding("examples", "sage", records, about_examples(gold))
    invented = cases(_INVENTED, _SEED)
    texts = [{"id": f"case-{i}", "text": case.text} for i, case in enumerate(invented)]
    yield from finding("invented", "encrypted", texts, about_cases(invented))


def about_examples(gold: Sequence[Mapping[str, object]]) -> list[NamedQuestion]:
    """Return questions about the first person of each dialogue, and the examples' own questions."""
    people = [[str(e["text"]) for e in row["entities"] if e["type"] == "PERSON"] for row in gold]  # type: ignore[attr-defined]
    full = [[name for name in names if " " in name] for names in people]
    questions = [
        asked
        for names in full
        for asked in _about(
            tuple(names[0].rsplit(" ", 1)),
            "What was {} told?",
            frozenset(str(r["id"]) for r, n in zip(gold, full, strict=True) if names[0] in n),
        )
    ]
    own = [json.loads(line) for line in _lines(_EXAMPLES / "questions.jsonl")]
    named = {row["id"]: "named" if row["id"] <= "q-10" else "nobody named" for row in own}
    return questions + [
        NamedQuestion(
            f"examples' own, {named[row['id']]}", row["question"], frozenset(row["expects"])
        )
        for row in own
    ]


def about_cases(invented: Sequence[Case]) -> list[NamedQuestion]:
    """Return questions about each patient that say what the matter was, too."""
    return [
        asked
        for i, case in enumerate(invented)
        for asked in _about(
            case.patient, f"What helps {{}} against {case.complaint}?", frozenset({f"case-{i}"})
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


def finding(
    corpus: str, recipe: str, records: Sequence[Mapping[str, str]], asked: Sequence[NamedQuestion]
) -> Iterator[FindingScore]:
    """Index records as the owner does, ask as the edge does, and yield what was found."""
    embedder = CachedEmbedder(SentenceTransformerEmbedder())
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "records.jsonl"
        source.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        owner = PartWordsOwner(Path(folder), corpus, source, recipe, embedder)
        for words in Words:
            keys = owner.keys(words)
            with closing(open_version(owner.index(words))) as version:
                retriever = Retriever(version, embedder)
                ranks: dict[str, list[int | None]] = {}
                for one in asked:
                    ranks.setdefault(one.kind, []).append(_rank(one, keys, retriever, words))
            yield from (_found(corpus, kind, words, found) for kind, found in ranks.items())


@dataclass
class PartWordsOwner:
    """The owner of a corpus, who tries one choice of part words after another."""

    home: Path
    corpus: str
    source: Path
    recipe: str
    embedder: Embedder

    def __post_init__(self) -> None:
        self._keyset = Keyset.generate()
        self._recognizer = default_recognizer()

    def index(self, words: Words) -> Path:
        """Publish a version and return its folder; the drafts are made once."""
        job = IndexJob(
            corpus=self.source,
            text_fields=None,
            name=self.corpus,
            home=self.home,
            recipe=replace(recipe_called(self.recipe), policy=str(self._policy(words))),
            keyset=self._keyset,
            recognizer=self._recognizer,
            embedder=self.embedder,
            roles=rules_roles(self.embedder),
        )
        asyncio.run(index_corpus(job, lambda stage, done, total: None))
        return current_path(self.home, self.corpus)

    def keys(self, words: Words) -> CorpusKeys:
        """Return what the edge has for the corpus."""
        policy = load_policy(str(self._policy(words)))
        return Keyring(self._keyset, self._recognizer, policy).for_model(self.corpus)

    def _policy(self, words: Words) -> Path:
        name = recipe_called(self.recipe).policy
        written = (
            resources.files("sage_rag.privacy")
            .joinpath("policies", f"{name}.toml")
            .read_text("utf-8")
        )
        path = self.home / f"{name}.toml"
        path.write_text(f'part_words = "{_PART_WORDS[words]}"\n{written}', "utf-8")
        return path


def _rank(asked: NamedQuestion, keys: CorpusKeys, retriever: Retriever, words: Words) -> int | None:
    """Return the place of the first record asked for, from 0; `None` if it is not among five."""
    sent = keys.pseudonymize(asked.question)
    search_words = () if words is Words.NONE else keys.search_words(sent)
    passages = retriever.retrieve(sent, _DEPTH, search_words)
    sources = [keys.restore(passage.source) for passage in passages]
    return next((i for i, source in enumerate(sources) if source in asked.records), None)


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def _found(corpus: str, kind: str, words: Words, ranks: Sequence[int | None]) -> FindingScore:
    return FindingScore(
        corpus=corpus,
        asked=kind,
        words=words,
        first=Proportion.of(sum(rank == 0 for rank in ranks), len(ranks)),
        among_five=Proportion.of(sum(rank is not None for rank in ranks), len(ranks)),
    )
