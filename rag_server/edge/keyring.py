"""What the edge can do with a keyset for one corpus: hide values and show them again."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from sage_rag.common.web.errors import ApiError
from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.inspection import Condition
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.redact import redact
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import Operator, OperatorChoice, Policy
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.edge.links import GuardedStream, replace_outside_addresses

_CORPUS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DAMAGED = (Condition.MALFORMED, Condition.UNKNOWN_KEY, Condition.FORGED)
_REMEMBERED = 1024
"""Chat clients send the whole conversation with every turn; it is recognised once."""


class Keys:
    """Hide and show the values of one corpus.

    With a grant, values of the types that it does not hold are redacted in questions, and their
    tokens stand as `[PHONE_NUMBER: not granted]` in answers.
    """

    def __init__(self, corpus: str, keyset: Keyset, recognizer: Recognizer, policy: Policy) -> None:
        self.corpus = corpus
        self._cipher = default_cipher(keyset, corpus)
        self._blind_index = BlindIndex(keyset, corpus, policy.part_words)
        self._policy = _within(policy, keyset.types)
        self._tokens: Counter[Condition] = Counter()
        self._told = 0
        self._restorer = Restorer(self._cipher, lambda found: self._tokens.update([found]))
        surrogates = Surrogates(keyset, corpus)
        protector = Protector(recognizer, self._policy, self._cipher, surrogates)
        self._pseudonymize = lru_cache(_REMEMBERED)(protector.pseudonymize)

    def pseudonymize(self, text: str) -> str:
        """Return the text with what is recognised in it as tokens.

        Raises:
            ProtectionError: when recognising fails; then nothing may be sent.
        """
        return self._pseudonymize(text)

    def damage(self) -> str | None:
        """Return how the tokens of all answers so far were, if a damaged one is among the new.

        Counts alone, for a log: a model that invents tokens, or a server that forges them, shows.
        """
        damaged = sum(self._tokens[condition] for condition in _DAMAGED)
        if damaged == self._told:
            return None
        self._told = damaged
        return ", ".join(f"{count} {name}" for name, count in sorted(self._tokens.items()))

    def search_words(self, pseudonymized: str) -> tuple[str, ...]:
        """Return the blind words of the values whose tokens stand in a text of ours.

        Where a type is not encrypted, or its key not granted, there is no token and no word.
        """
        tokens = (match.group() for match in TOKEN.finditer(pseudonymized))
        return self._blind_index.words_of_tokens(tokens, self._cipher)

    def hide_whole(self, value: str, entity_type: EntityType) -> str:
        """Return a token for a value that is private as a whole, recognised or not."""
        if self._policy.operator(entity_type) is Operator.ENCRYPT:
            return self._cipher.encrypt(value, entity_type)
        return redact(entity_type)

    def restore(self, text: str) -> str:
        """Return the text with its tokens as plain values, those in web addresses excepted."""
        return replace_outside_addresses(text, self._value)

    def restore_in_json(self, text: str) -> str:
        """Return JSON source with its tokens as plain values, escaped to stay inside strings."""
        return replace_outside_addresses(text, self._escaped, in_json=True)

    def stream(
        self, *, in_json: bool = False, beside: Collection[GuardedStream] = ()
    ) -> GuardedStream:
        """Return a restorer for text, or JSON source, that arrives in pieces.

        `beside`: texts that a reader may take for the beginning of this one.
        """
        shown = self._escaped if in_json else self._value
        return GuardedStream(shown, in_json=in_json, beside=beside)

    def _value(self, match: re.Match[str]) -> str:
        return self._restorer.restore(match.group())

    def _escaped(self, match: re.Match[str]) -> str:
        return json.dumps(self._value(match), ensure_ascii=False)[1:-1]


def _within(policy: Policy, granted: frozenset[EntityType]) -> Policy:
    """Return the policy with redaction wherever it would need a key that is not granted."""
    keyed = (Operator.ENCRYPT, Operator.SURROGATE)
    lacking = {t for t, c in policy.choices.items() if c.operator in keyed and t not in granted}
    redacted = dict.fromkeys(lacking, OperatorChoice(Operator.REDACT))
    return replace(policy, choices={**policy.choices, **redacted})


class Keyring:
    """The keyset or grant, cut to the corpus that a request names."""

    def __init__(self, keyset: Keyset, recognizer: Recognizer, policy: Policy) -> None:
        self._keyset = keyset
        self._recognizer = recognizer
        self._policy = policy
        self._keys = lru_cache(64)(self._build)

    def for_model(self, model: object) -> Keys:
        """Return the keys for the corpus that `model` names.

        Raises:
            ApiError: 400 for anything but a plain corpus name; free text could travel in it.
        """
        if not isinstance(model, str) or not _CORPUS.fullmatch(model):
            raise ApiError(
                400,
                "`model` must be the name of a corpus: letters, digits, `.`, `_`, `-`",
                code="invalid_value",
                param="model",
            )
        return self._keys(model)

    def _build(self, model: str) -> Keys:
        return Keys(model, self._keyset, self._recognizer, self._policy)
