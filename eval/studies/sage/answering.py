"""Answer held-out questions from an index version, as a user with the key reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.versions import Manifest, open_version
from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import EntityCipher, Recognizer
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
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

    def answer(
        self,
        path: Path,
        questions: Sequence[str],
        top_k: int,
        progress: Callable[[int], None] | None = None,
    ) -> EdgeAnswers:
        """Answer every question extractively from its `top_k` passages."""
        version = open_version(path)
        retriever, answerer = Retriever(version, self._embedder), ExtractiveAnswerer()
        cipher = default_cipher(self._keyset, version.manifest.corpus)
        protect = self._protect(version.manifest, cipher)
        blind = self._blind_index(version.manifest)
        restore = Restorer(cipher).restore
        texts: list[str] = []
        sources: list[tuple[str, ...]] = []
        for question in questions:
            asked = protect(question)
            tokens = [match.group() for match in TOKEN.finditer(asked)]
            words = blind.words_of_tokens(tokens, cipher) if blind else ()
            passages = retriever.retrieve(asked, top_k, words)
            texts.append(restore(answerer.compose(asked, passages)))
            # Restoring does not change the plain source of a plain index.
            sources.append(tuple(restore(passage.source) for passage in passages))
            if progress is not None:
                progress(len(texts))
        version.close()
        return EdgeAnswers(tuple(texts), tuple(sources))

    def _blind_index(self, manifest: Manifest) -> BlindIndex | None:
        if manifest.policy is None:
            return None
        parts = load_policy(manifest.policy).part_words
        return BlindIndex(self._keyset, manifest.corpus, parts)

    def _protect(self, manifest: Manifest, cipher: EntityCipher) -> Callable[[str], str]:
        recipe, policy, corpus = manifest.recipe, manifest.policy, manifest.corpus
        if policy is None or recipe == _PLAIN_QUESTIONS:
            return lambda question: question
        surrogates = Surrogates(self._keyset, corpus)
        return Protector(self._recognizer, load_policy(policy), cipher, surrogates).pseudonymize
