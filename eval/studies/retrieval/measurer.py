"""Search indexes of one question set in several ways, and score what is found."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from sage_rag.common.proportions import Proportion
from sage_rag.eval.ratio import Ratio
from sage_rag.eval.studies.retrieval.results import (
    TOP,
    MeanScore,
    SearchScores,
    ndcg,
    reciprocal_rank,
)
from sage_rag.eval.studies.retrieval.sets import JudgedQuery, QuerySet, halves
from sage_rag.eval.studies.study_home import IndexedVariant, StudyHome
from sage_rag.indexer.versions import IndexVersion, open_version
from sage_rag.privacy.policy import load_policy
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.reranking import reranker_called
from sage_rag.rag_server.retrieval import Retriever

_DEPTH = 50


@dataclass(frozen=True)
class Rankings:
    """Ids of the passages that each question finds, best first."""

    queries: tuple[JudgedQuery, ...] = field(repr=False)
    found: tuple[tuple[str, ...], ...] = field(repr=False)
    known: tuple[tuple[str, ...], ...] = field(repr=False)
    published: frozenset[str] = field(repr=False)
    times_ms: tuple[float, ...] = field(repr=False)


class SearchMeasurer:
    """Measures searches of one question set; the first index is the reference for the others."""

    def __init__(self, home: StudyHome, questions: QuerySet, *, chosen: bool = False) -> None:
        self._home = home
        self._set = questions
        choosing, reported = halves(questions.queries)
        self._queries = tuple(choosing if chosen else reported)
        self._reference: Rankings | None = None

    def measure(self, indexed: IndexedVariant, reranker: str) -> SearchScores:
        """Search one index in one way; the first call must be of the plain index."""
        with closing(open_version(indexed.path)) as version:
            own = self._search(version, reranker)
        self._reference = self._reference or own
        return self._scores(indexed, reranker, own, self._reference)

    def _search(self, version: IndexVersion, reranker: str) -> Rankings:
        asking = _Asking(self._home, version, reranker)
        found, times = [], []
        for query in self._queries:
            ids, took = asking.search(query.text, _DEPTH)
            found.append(ids)
            times.append(took)
        known = tuple(asking.search(query.text, 1)[0] for query in self._set.known)
        return Rankings(self._queries, tuple(found), known, asking.published, tuple(times))

    def _scores(
        self, indexed: IndexedVariant, reranker: str, own: Rankings, reference: Rankings
    ) -> SearchScores:
        judged = [
            (i, query.relevant & own.published)
            for i, query in enumerate(own.queries)
            if query.relevant & own.published
        ]
        # The plain index is scored on the passages that both indexes publish.
        plain = [_only(found, own.published) for found in reference.found]
        pairs = [(own.found[i], plain[i], relevant) for i, relevant in judged]
        firsts = [(found[0], own.found[i][:TOP]) for i, found in enumerate(plain) if found]
        known = [
            (query.relevant, found)
            for query, found in zip(self._set.known, own.known, strict=True)
            if query.relevant <= own.published
        ]
        hits = [bool(relevant & set(found[:TOP])) for found, _, relevant in pairs]
        plain_hits = [bool(relevant & set(found[:TOP])) for _, found, relevant in pairs]
        return SearchScores(
            corpus=self._set.name,
            recipe=indexed.name,
            reranker=reranker,
            documents=indexed.summary.documents,
            published=indexed.summary.published,
            judged=len(judged),
            ndcg=_mean([(ndcg(f, r), ndcg(p, r)) for f, p, r in pairs]),
            mrr=_mean([(reciprocal_rank(f, r), reciprocal_rank(p, r)) for f, p, r in pairs]),
            hits=Proportion.of(sum(hits), len(hits)),
            hit_ratio=Ratio.of(hits, plain_hits) if hits else None,
            agreement=Proportion.of(sum(f in found for f, found in firsts), len(firsts)),
            known=Proportion.of(sum(set(f) == r for r, f in known), len(known)),
            median_ms=round(statistics.median(own.times_ms), 1),
        )


class _Asking:
    """Asks one index as a user with the key does."""

    def __init__(self, home: StudyHome, version: IndexVersion, reranker: str) -> None:
        manifest = version.manifest
        self._keys: CorpusKeys | None = None
        if manifest.policy is not None:
            policy = load_policy(manifest.policy)
            self._keys = CorpusKeys(manifest.corpus, home.keyset, home.recognizer, policy)
            self._keys.use_lookup(version.lookup)
        self._retriever = Retriever(version, home.embedder, reranker_called(reranker))
        self.published = frozenset(
            self._plain(version.passage(row).source) for row in range(len(version))
        )

    def search(self, question: str, top_k: int) -> tuple[tuple[str, ...], float]:
        """Return the ids of the passages that a question finds, and the time of the search."""
        asked = self._keys.pseudonymize(question) if self._keys else question
        words = self._keys.search_words(asked) if self._keys else ()
        groups = self._keys.search_groups(asked) if self._keys else ()
        started = time.perf_counter()
        passages = self._retriever.retrieve(asked, top_k, words, groups)
        took = 1000 * (time.perf_counter() - started)
        return tuple(self._plain(passage.source) for passage in passages), took

    def _plain(self, source: str) -> str:
        return self._keys.restore(source) if self._keys else source


def _only(found: Sequence[str], published: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in found if name in published)


def _mean(scores: Sequence[tuple[float, float]]) -> MeanScore:
    own, plain = [own for own, _ in scores], [plain for _, plain in scores]
    value = round(statistics.fmean(own), 4) if own else 0.0
    return MeanScore(value=value, ratio=Ratio.of(own, plain) if own else None)
