"""Retrieve passages by a weighted sum of dense and lexical scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.passages import CONSENSUS, RECORDS, Layer, Passage
from sage_rag.indexer.protocols import Embedder, Vector
from sage_rag.indexer.stores.lexical import lexical_words, searchable
from sage_rag.privacy.blind_index import identifies
from sage_rag.privacy.tokens import TOKEN, readable_view, tokens_in
from sage_rag.rag_server.guards.membership import closeness_of_copies, is_suspicious
from sage_rag.rag_server.reranking import DEPTH, Reranker, rerank

_DENSE = 0.5
"""The weight of the dense score; the lexical score has the rest. Chosen on dialogues and stories
that were not held out (docs/results/sage.md); 0.6 and 0.7 are better on some of these corpora and
worse on others."""
_NAMED, _NAMED_WITH_GROUPS = 1.0, 0.5
"""The weight of the search by tokens and blind words; less where groups of tokens also count among
the words. Chosen on every second question of docs/results/retrieval.md."""
_MIN_DEPTH = 50
_SAMPLE = 400
"""Passages whose similarities describe those of an index, for the guard."""

Ranking = Sequence[tuple[int, float]]


class SearchableLayer(Protocol):
    """A layer of an index version. `rows`, where given, are the only ones that are searched."""

    def __len__(self) -> int:
        """Return the number of passages."""
        ...

    def passage(self, row: int, score: float = 0.0) -> Passage:
        """Return the passage of a row."""
        ...

    def search_dense(
        self, vector: NDArray[np.float32], top_k: int, rows: NDArray[np.int64] | None = None
    ) -> Ranking:
        """Return rows by similarity to a vector, best first."""
        ...

    def search_lexical(
        self,
        text: str,
        top_k: int,
        rows: NDArray[np.int64] | None = None,
        groups: Sequence[Sequence[str]] = (),
    ) -> Ranking:
        """Return rows by the words of a text and by groups of tokens, best first."""
        ...

    def rows_with(self, marks: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows with at least one of some tokens or blind words, ascending."""
        ...

    def holders(self, words: Iterable[str]) -> Mapping[str, int]:
        """Return the number of rows that contain each index word; 0 for an unknown one."""
        ...

    def sentence_vectors(self, rows: Iterable[int]) -> Mapping[int, Vector]:
        """Return the stored vectors of some rows' sentences, by `sentence_key`."""
        ...


class Searchable(Protocol):
    """An index version that can be searched."""

    @property
    def layers(self) -> Mapping[Layer, SearchableLayer]:
        """The layers of the version, at least one."""
        ...


class Retriever:
    """Find the passages of one index version that are relevant to a question.

    A version with one layer is searched as a whole. With two, a question that names somebody of the
    corpus searches the records that contain this name, with all pieces of a text that begins with
    it, and nothing else; every other question searches the consensus. To name somebody takes a
    token or blind word of a direct identifier that is in the records and not in the consensus. The
    server has no key to test it: what it compares is the whole ciphertext, with the ciphertexts of
    the index.

    Guarantees: without such a token or blind word, no record and no score of one is returned. A
    client without a key cannot make one: a token authenticates its value by 128 bits, a blind word
    has 80.
    Does not guarantee: secrecy of a token. A client that saw one, in an answer for example, can ask
    for the records of this name, and for those of the tokens in them.
    """

    def __init__(
        self,
        version: Searchable,
        embedder: Embedder,
        reranker: Reranker | None = None,
        *,
        guarded: bool = False,
    ) -> None:
        """`guarded`: hide a passage that is repeated by a question that names no one."""
        self._layers = version.layers
        self._guarded = guarded
        layers = version.layers.values() if guarded else ()
        self._closeness = [(layer, closeness_of_copies(layer)) for layer in layers]
        self._embedder = embedder
        self._reranker = reranker

    def retrieve(
        self,
        question: str,
        top_k: int,
        words: Sequence[str] = (),
        groups: Sequence[Sequence[str]] = (),
        people: Sequence[str] = (),
    ) -> list[Passage]:
        """Return up to `top_k` passages, best first; `score` is the fused score, or the reranker's.

        `words` are the blind words of the values whose tokens occur in the question: they also
        match other spellings and longer forms of these values. `groups`: for each word of these
        values, the tokens of the index whose values have it. `people`: the tokens of the index whom
        the question may mean; the best passage of theirs that a search finds is returned.

        The dense search reads the question without its ciphertext tokens: they have no meaning for
        an embedding. The lexical search reads a group as the word that its values share, so that
        names count as they do in clear text; without groups, each token and blind word is a word.
        A third search uses tokens and blind words alone, because who names someone wants that
        person's records.
        """
        marks = [*tokens_in(question), *words]
        layer, rows = self._scope(marks)
        if top_k < 1 or not len(layer):
            return []
        depth = max(_MIN_DEPTH, 10 * top_k)
        vector = self._embedder.embed([without_tokens(question)])[0]
        named = layer.search_lexical(" ".join(marks), depth, rows) if marks else []
        dense = layer.search_dense(vector, depth, rows)
        if groups:
            lexical = layer.search_lexical(TOKEN.sub(" ", question), depth, rows, groups)
        else:
            lexical = layer.search_lexical(searchable(question, words), depth, rows)
        fused = fuse(dense, lexical, named, _NAMED_WITH_GROUPS if groups else _NAMED)
        if self._guarded and dense and not any(map(identifies, marks)):
            hidden = self._hidden_row(layer, vector, dense)
            fused = [(row, score) for row, score in fused if row != hidden]
        if people:
            fused = _with_one_of(layer.rows_with(people), fused, top_k)
        if self._reranker is None:
            return [layer.passage(row, score) for row, score in fused[:top_k]]
        found = [(layer.passage(row), score) for row, score in fused[: max(DEPTH, top_k)]]
        reranked = rerank(question, found, self._reranker)[:top_k]
        return [replace(passage, score=score) for passage, score in reranked]

    def _hidden_row(
        self, layer: SearchableLayer, vector: NDArray[np.float32], dense: Ranking
    ) -> int | None:
        """Return the row of the nearest passage if the question repeats it."""
        sample = np.unique(np.linspace(0, len(layer) - 1, _SAMPLE).astype(np.int64))
        row, similarity = dense[0]
        others = dict((*layer.search_dense(vector, len(sample), sample), *dense[1:2]))
        others.pop(row, None)
        closeness = max((c for own, c in self._closeness if own is layer), default=0.0)
        return row if is_suspicious(similarity, list(others.values()), closeness) else None

    def _scope(self, marks: Sequence[str]) -> tuple[SearchableLayer, NDArray[np.int64] | None]:
        """Return the layer that a question searches, and the rows of it; `None`: all rows."""
        if len(self._layers) == 1:
            return next(iter(self._layers.values())), None
        consensus, records = self._layers[CONSENSUS], self._layers[RECORDS]
        # A token in the consensus is public to every client, so it opens no record.
        names = [m for m in marks if identifies(m) and not len(consensus.rows_with([m]))]
        rows = records.rows_with(names)
        return (records, rows) if len(rows) else (consensus, None)


def _with_one_of(rows: NDArray[np.int64], ranking: Ranking, most: int) -> list[tuple[int, float]]:
    """Return a ranking whose first `most` rows have the best one of `rows`, if it is ranked."""
    wanted, ranked = frozenset(rows.tolist()), list(ranking)
    place = next((n for n, (row, _) in enumerate(ranked) if row in wanted), 0)
    if place >= most:
        ranked.insert(most - 1, ranked.pop(place))
    return ranked


def without_tokens(question: str) -> str:
    """Return a question as the embedder reads it: without tokens if it has other words.

    "person 1" is near to every passage with names, whomever the question is about.
    """
    bare = " ".join(TOKEN.sub(" ", question).split())
    return bare if lexical_words(bare) else readable_view(question)


def fuse(
    dense: Ranking, lexical: Ranking, named: Ranking = (), named_weight: float = _NAMED
) -> list[tuple[int, float]]:
    """Return the sum of each row's scores, divided by the best score of each search; best first.

    With weight 1, `named` counts as much as the two other searches together. Ties are in row order.

    Source: Bruch, Gai and Ingber (2023), "An analysis of fusion functions for hybrid retrieval",
    ACM TOIS 42, §4 (convex combination). Differs: cosines start at 0, not at -1, and a row that a
    search does not return has the score 0.
    """
    scores: dict[int, float] = {}
    for ranking, weight in ((dense, _DENSE), (lexical, 1 - _DENSE), (named, named_weight)):
        best = max((score for _, score in ranking), default=0.0)
        for row, score in ranking:
            share = max(score, 0.0) / best if best > 0 else 0.0
            scores[row] = scores.get(row, 0.0) + weight * share
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
