"""Ask questions of an index version as a user with the key does, follow-ups included."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sage_rag.agents.reading.protocols import PassageReader
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.versions import IndexVersion, open_version
from sage_rag.rag_server.answering.evidence import Evidence, find_evidence
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.names import names_someone
from sage_rag.rag_server.answering.over_records import ONE_RECORD
from sage_rag.rag_server.answering.protocols import AnswerContext, ConversationTurn
from sage_rag.rag_server.answering.wording import NOTHING_FOUND, UNCLEAR
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.followups import people_before, standalone
from sage_rag.rag_server.retrieval import Retriever

TOP_K = 5


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. `sealed`: as the server sends it; `text`: as the user reads it.

    `first`: the record of the first passage. `cited`: the record that the answer cites; empty for a
    refusal. `named`: whether the question names someone.
    """

    sealed: str = field(repr=False)
    text: str = field(repr=False)
    first: str
    cited: str
    evidence: Evidence
    named: bool

    @property
    def refused(self) -> bool:
        """Whether there is no answer."""
        return not self.cited

    @property
    def unclear(self) -> bool:
        """Whether the answer says that it may be none."""
        return self.text.startswith((UNCLEAR, ONE_RECORD))


class Asker:
    """A user at the edge; without `keys`, of a plain index."""

    def __init__(
        self,
        version: IndexVersion,
        embedder: Embedder,
        keys: CorpusKeys | None,
        reader: PassageReader | None,
    ) -> None:
        self._version = version
        self._embedder = embedder
        self._keys = keys
        if keys is not None:
            keys.use_lookup(version.lookup)
        self._retriever = Retriever(version, embedder)
        self._answerer = ExtractiveAnswerer(embedder, reader)

    def ask(self, turns: Sequence[str]) -> Reply:
        """Return the reply to the last of a user's turns, after the replies to those before it."""
        sealed = [self._keys.pseudonymize(turn) if self._keys else turn for turn in turns]
        history: list[ConversationTurn] = []
        for count in range(1, len(sealed)):
            reply = self._reply(sealed[:count], history)
            history.append(ConversationTurn("user", sealed[count - 1]))
            history.append(ConversationTurn("assistant", reply.sealed))
        return self._reply(sealed, history)

    def _reply(self, sealed: Sequence[str], history: Sequence[ConversationTurn]) -> Reply:
        question = standalone(sealed)
        words = self._keys.search_words(question) if self._keys else ()
        groups = self._keys.search_groups(question) if self._keys else ()
        people = self._keys.named_people(question) if self._keys else None
        meant = people.meant if people else ()
        if not meant and not names_someone(question):
            meant = tuple(people_before(sealed))
        passages = self._retriever.retrieve(question, TOP_K, words, groups, meant)
        layers = self._version.layers
        evidence = find_evidence(question, passages, words, layers, self._embedder, people)
        answer = self._answerer.compose(
            AnswerContext(sealed[-1], passages, history, standalone=question, evidence=evidence)
        )
        cited = [n for n in range(1, TOP_K + 1) if answer.endswith(f" [{n}]")]
        sources = [self._restored(passage.source) for passage in passages]
        return Reply(
            answer,
            self._restored(answer),
            sources[0] if sources else "",
            sources[cited[0] - 1] if cited and answer != NOTHING_FOUND else "",
            evidence,
            names_someone(question),
        )

    def _restored(self, text: str) -> str:
        return self._keys.restore(text) if self._keys else text


def ask_all(
    path: Path,
    embedder: Embedder,
    keys: CorpusKeys | None,
    asked: Sequence[Sequence[str]],
    reader: PassageReader | None = None,
) -> list[Reply]:
    """Return the reply to each conversation from the version in a folder."""
    with closing(open_version(path)) as version:
        asker = Asker(version, embedder, keys, reader)
        return [asker.ask(turns) for turns in asked]
