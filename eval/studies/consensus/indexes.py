"""Publish the indexes of a split corpus, and say which records each passage was made of."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from sage_rag.common.jsonl import rows
from sage_rag.eval.linkage import PublishedText
from sage_rag.eval.studies.answering import EdgeReader
from sage_rag.eval.studies.consensus.measurer import MeasuredIndex
from sage_rag.eval.studies.consensus.splits import SUBJECT
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.indexer.changes import document_hash
from sage_rag.indexer.consensus.layer import TOPICS_FILE
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.versions import open_version


class SplitIndexes:
    """Publishes indexes of one corpus and returns them with the sources of their passages."""

    def __init__(self, home: StudyHome, corpus: Corpus) -> None:
        self._home = home
        self._corpus = corpus
        self._reader = EdgeReader(home.keyset, home.recognizer, home.embedder)
        self._ids = {document_hash(document.id): document.id for document in corpus.documents}

    def by_record(self, recipe: str) -> MeasuredIndex:
        """Publish by a recipe that makes each passage from one record."""
        indexed = self._home.index(self._corpus, Variant(RECIPES[recipe]))
        passages = self._reader.passages(indexed.path)
        return MeasuredIndex(recipe, indexed.path, passages, indexed.summary.reasons)

    def consensus(self, options: ConsensusOptions) -> MeasuredIndex:
        """Publish what at least k subjects say."""
        job = self._home.job(self._corpus, Variant(RECIPES["consensus"]))
        job = replace(job, subject=SUBJECT, consensus=options)
        name = f"consensus, k = {options.k}"
        indexed = self._home.run(job, name)
        figures = indexed.summary.consensus
        refused = Counter(indexed.summary.reasons) + Counter(figures.refused if figures else {})
        return MeasuredIndex(
            name,
            indexed.path,
            self._passages(indexed.path, job.owner_folder / TOPICS_FILE),
            refused,
            options.k,
            options.topic_records,
        )

    def _passages(self, path: Path, topics: Path) -> list[PublishedText]:
        """Return the passages with the ids of their topics' records, as the owner knows them."""
        sources = {
            topic["id"]: tuple(self._ids[name] for name in topic["documents"])
            for topic in rows(topics)
        }
        with closing(open_version(path)) as version:
            passages = map(version.passage, range(len(version)))
            return [PublishedText(sources[passage.id], passage.text) for passage in passages]
