"""Put what is published under the owner's keys: tokens for placeholders, blind words, names."""

from __future__ import annotations

from collections.abc import Iterable

from sage_rag.indexer.ledger import Result
from sage_rag.indexer.passages import SealedDocument, passage_id
from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import Operator, Policy
from sage_rag.privacy.protect import seal
from sage_rag.privacy.protocols import EntityCipher


class Sealer:
    """Seals the results of one corpus under the primary key of a keyset."""

    def __init__(self, keyset: Keyset, corpus: str, cipher: EntityCipher, policy: Policy) -> None:
        """`cipher`: of this keyset and corpus."""
        self._keyset = keyset
        self._corpus = corpus
        self._cipher = cipher
        self._policy = policy
        self._blind_index = BlindIndex(keyset, corpus, policy.part_words)

    def seal(self, result: Result) -> SealedDocument:
        """Return the publishable form of a safe result: tokens replace placeholders."""
        if not result.safe or result.fields is None:
            raise ValueError("only a safe result can be sealed")
        fields = {name: seal(text, result.tokens) for name, text in result.fields.items()}
        tokens = tuple(result.tokens.values())
        return SealedDocument(fields, tokens, self.words_of(tokens))

    def words_of(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """Return the blind words of tokens: derived, not stored, so that they have their key."""
        return self._blind_index.words_of_tokens(tokens, self._cipher)

    def token_of(self, value: str, entity_type: EntityType) -> str | None:
        """Return the token of a value; `None` for a type that the policy does not encrypt."""
        if self._policy.operator(entity_type) is not Operator.ENCRYPT:
            return None
        return self._cipher.encrypt(value, entity_type)

    def plain(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """Return the values of tokens, for the audit across documents."""
        return tuple(map(self._cipher.decrypt, tokens))

    def names(self, document_id: str) -> tuple[str, str]:
        """Return a passage's id, which does not reveal its document's id, and the id as a token."""
        name = passage_id(self._keyset, self._corpus, document_id)
        return name, self._cipher.encrypt(document_id, EntityType.SOURCE)
