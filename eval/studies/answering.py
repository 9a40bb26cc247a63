"""Answer held-out questions from an index version, as a user with the key reads them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sage_rag.eval.linkage import PublishedText
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.versions import Manifest, open_version
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.protocols import Recognizer
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.retrieval import Retriever

_PLAIN_QUESTIONS = "redacted"


@dataclass(frozen=True, slots=True)
class EdgeAnswers:
    """Per question: the restored answer, and the sources of the passages, best first."""

    texts: tuple[str, ...] = field(repr=False)
    sources: tuple[tuple[str, ...], ...] = field(repr=False)


class EdgeReader:
    """A user with the key at the edge: questions are pseudonymised, answers are restored.

    The edge applies the policy of the index, so that equal values are equal tokens. A redacted or
    plain index receives plain questions.
    """

    def __init__(self, keyset: Keyset, recognizer: Recognizer, embedder: Embedder) -> None:
        self._keyset = keyset
        self._recognizer = recognizer
        self._embedder = embedder

    def answer(self, path: Path, questions: Sequence[str], top_k: int) -> EdgeAnswers:
        """Answer every question extractively from its `top_k` passages.

        No question is refused for lack of evidence, so that recipes are compared by what they hold.
        """
        texts: list[str] = []
        sources: list[tuple[str, ...]] = []
        answerer = ExtractiveAnswerer(self._embedder)
        with closing(open_version(path)) as version:
            retriever = Retriever(version, self._embedder)
            keys = self._keys(version.manifest)
            if keys:
                keys.use_lookup(version.lookup)
            pseudonymize = keys.pseudonymize if keys else str
            if version.manifest.recipe == _PLAIN_QUESTIONS:
                pseudonymize = str
            restore = keys.restore if keys else str
            for question in questions:
                asked = pseudonymize(question)
                words = keys.search_words(asked) if keys else ()
                groups = keys.search_groups(asked) if keys else ()
                passages = retriever.retrieve(asked, top_k, words, groups)
                fields = version.manifest.answer_fields
                context = AnswerContext(asked, passages, answer_fields=fields)
                texts.append(restore(answerer.compose(context)))
                sources.append(tuple(restore(passage.source) for passage in passages))
        return EdgeAnswers(tuple(texts), tuple(sources))

    def passages(self, path: Path) -> list[PublishedText]:
        """Return the texts of an index as published, with the ids of their records."""
        with closing(open_version(path)) as version:
            keys = self._keys(version.manifest)
            restore = keys.restore if keys else str
            rows = map(version.passage, range(len(version)))
            return [PublishedText((restore(row.source),), row.text) for row in rows]

    def _keys(self, manifest: Manifest) -> CorpusKeys | None:
        """Return what the edge needs for an index; `None` for a plain index."""
        if manifest.policy is None:
            return None
        policy = load_policy(manifest.policy)
        return CorpusKeys(manifest.corpus, self._keyset, self._recognizer, policy)
