"""Retrieval instead of training: chunks of several lengths, plain and encrypted, and their readers.

Source: Liu et al. (2025), SoE, §4.5, A.2, Table 4 and Figure 6. Differs: the retriever, the
reranker and the extractive reader are those of this project. A model of the study's size can read
only what fits into a training row.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.eval.knowledge.answering import by_likelihood, named_option
from sage_rag.eval.knowledge.arms import BASE, ENC_S, SYNT, QuestionSpelling
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.questions import Choice, Question
from sage_rag.eval.knowledge.texts import Spelling, encrypted, plain, shown_name
from sage_rag.eval.studies.runner import report
from sage_rag.eval.studies.soe.corpora import Population
from sage_rag.eval.studies.soe.retrieval_chunks import Chunk, Fact, chunks_of
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.eval.studies.stored_figures import all_stored, store, stored
from sage_rag.indexer.embedding import CachedEmbedder, embedder_called
from sage_rag.indexer.layers import LayerIndex, write_layer
from sage_rag.indexer.passages import RECORDS, Layer, Passage
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.tokens import readable_view
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.reranking import LATE_INTERACTION, OFF, reranker_called
from sage_rag.rag_server.retrieval import Retriever

CHUNK_TOKENS = (64, 128, 256, 512, 1024)
RERANKERS = (OFF, LATE_INTERACTION)
COMBINATIONS = len(CHUNK_TOKENS) * len(QuestionSpelling) * len(RERANKERS)
TOP = (1, 4, 16)
_READ = 4
"""Chunks that the extractive reader gets. Source: SoE, Table 4, top-k 4."""
_FILE = "retrieval.json"
_MOST_WORDS = 12
"""Words of an extractive answer: about one sentence."""


class RetrievalFigures(BaseModel):
    """Questions about the tested persons, answered from chunks of one length in one spelling.

    `found`: questions with a chunk that states the asked fact among the first 1, 4 and 16.
    `extractive`: questions that the extractive reader answers with the correct option alone, from
    four chunks. `models`: correct answers of models that read the first chunk, by likelihood; empty
    where a prompt is longer than a training row.
    """

    model_config = ConfigDict(frozen=True)
    seed: int
    chunk_tokens: int
    chunks: int
    spelling: QuestionSpelling
    reranker: str
    found: Mapping[int, Proportion]
    extractive: Proportion
    models: Mapping[str, Proportion] = {}


class StoredRetrieval(BaseModel):
    """The figures of one seed."""

    model_config = ConfigDict(frozen=True)
    figures: tuple[RetrievalFigures, ...]


@dataclass(frozen=True, slots=True)
class ChunkIndex:
    """The chunks as an index of one layer."""

    layers: Mapping[Layer, LayerIndex]


def run_retrieval(seed: SeedFolder) -> None:
    """Measure every combination of length, spelling and reranker that has no figures yet."""
    earlier = stored(StoredRetrieval, seed.folder / _FILE)
    known = list(earlier.figures) if earlier else []
    embedder = CachedEmbedder(embedder_called())  # the same sentences are in chunks of each length
    done = {(f.chunk_tokens, f.spelling, f.reranker) for f in known}
    for tokens, spelling, reranker in product(CHUNK_TOKENS, QuestionSpelling, RERANKERS):
        if (tokens, spelling, reranker) in done:
            continue
        known.append(measure_retrieval(seed, tokens, spelling, reranker, embedder))
        store(StoredRetrieval(figures=tuple(known)), seed.folder / _FILE)


def stored_retrieval(home: Path) -> list[RetrievalFigures]:
    """Return the figures of all seeds.

    Raises:
        InputError: for a file that does not hold such figures.
    """
    seeds = all_stored(StoredRetrieval, home, f"seed-*/{_FILE}")
    return [figures for seed in seeds for figures in seed.figures]


def measure_retrieval(
    seed: SeedFolder,
    chunk_tokens: int,
    spelling: QuestionSpelling,
    reranker: str,
    embedder: Embedder,
) -> RetrievalFigures:
    """Index the chunks of all persons in one spelling, and ask about the tested ones.

    The persons whom the base was schooled on are in the index too, so that there is something to
    choose from. Models are asked where the home folder has them.
    """
    people = seed.people
    spell = plain if spelling is QuestionSpelling.PLAIN else encrypted(people.cipher())
    chunks = chunks_of([*people.schooled, *people.corpus], spell, chunk_tokens, people.seed)
    models = _models(seed, spelling)
    with tempfile.TemporaryDirectory() as folder:
        index = _index(Path(folder), chunks, embedder)
        retriever = Retriever(index, embedder, reranker_called(reranker))
        asking = _Asking(people, chunks, spell, retriever, embedder)
        found = asking.figures(chunk_tokens, spelling, reranker, models)
        report(f"{chunk_tokens} tokens, {spelling}, {reranker}: {found.found[1]}")
        index.layers[RECORDS].close()
    return found


def _models(seed: SeedFolder, spelling: QuestionSpelling) -> dict[str, CausalModel]:
    trained = SYNT if spelling is QuestionSpelling.PLAIN else ENC_S
    folders = {arm.name: seed.folder / arm.name / "run" / "model" for arm in (BASE, trained)}
    return {name: CausalModel.open(path) for name, path in folders.items() if path.exists()}


def _index(folder: Path, chunks: Sequence[Chunk], embedder: Embedder) -> ChunkIndex:
    passages = [Passage(f"{n:06d}", "", {"text": c.text}) for n, c in enumerate(chunks)]
    vectors = embedder.embed([readable_view(chunk.text) for chunk in chunks])
    write_layer(folder, passages, vectors, [chunk.text for chunk in chunks])
    return ChunkIndex({RECORDS: LayerIndex(folder, RECORDS)})


def fact_of(choice: Choice) -> Fact:
    """Return the fact that a question asks for."""
    return choice.person.name, choice.attribute


class _Asking:
    """Asks the questions about the tested persons, once for each reranker."""

    def __init__(
        self,
        people: Population,
        chunks: Sequence[Chunk],
        spell: Spelling,
        retriever: Retriever,
        embedder: Embedder,
    ) -> None:
        self._people, self._chunks, self._spell = people, chunks, spell
        self._retriever = retriever
        self._reader = ExtractiveAnswerer(embedder, most_words=_MOST_WORDS, few_words=1)

    def figures(
        self,
        chunk_tokens: int,
        spelling: QuestionSpelling,
        reranker: str,
        models: Mapping[str, CausalModel],
    ) -> RetrievalFigures:
        """Retrieve for each question, and let every reader answer."""
        questions = self._people.questions(self._spell)
        found = [self._retrieved(choice) for choice in self._people.choices]
        right = [
            self._extracted(choice, question, passages)
            for choice, question, passages in zip(
                self._people.choices, questions, found, strict=True
            )
        ]
        stated = [
            [fact_of(choice) in self._chunks[int(p.id)].facts for p in passages]
            for choice, passages in zip(self._people.choices, found, strict=True)
        ]
        first = [passages[0].text for passages in found]
        answered = {name: self._answered(m, questions, first) for name, m in models.items()}
        return RetrievalFigures(
            seed=self._people.seed,
            chunk_tokens=chunk_tokens,
            chunks=len(self._chunks),
            spelling=spelling,
            reranker=reranker,
            found={k: Proportion.of(sum(any(s[:k]) for s in stated), len(stated)) for k in TOP},
            extractive=Proportion.of(sum(right), len(right)),
            models={name: share for name, share in answered.items() if share is not None},
        )

    def _question(self, choice: Choice) -> str:
        return choice.forms[0].format(name=shown_name(choice.person, self._spell))

    def _retrieved(self, choice: Choice) -> list[Passage]:
        return self._retriever.retrieve(self._question(choice), max(TOP))

    def _extracted(self, choice: Choice, question: Question, passages: Sequence[Passage]) -> bool:
        context = AnswerContext(self._question(choice), passages[:_READ])
        return named_option(self._reader.compose(context), question.options) == question.right

    def _answered(
        self, model: CausalModel, questions: Sequence[Question], chunks: Sequence[str]
    ) -> Proportion | None:
        """Return the correct answers of a model that reads a chunk before each question.

        Each question is asked in one form, to save time.
        """
        row = self._people.settings.row_tokens
        shown = [
            q.model_copy(update={"prompts": (f"{chunk} {q.prompts[0]}",)})
            for q, chunk in zip(questions, chunks, strict=True)
        ]
        asked = [f"{question.prompts[0]} {o}." for question in shown for o in question.options]
        if max(map(model.token_count, asked)) >= row:
            return None
        right = by_likelihood(model, shown).right(shown)
        return Proportion.of(sum(right), len(right))
