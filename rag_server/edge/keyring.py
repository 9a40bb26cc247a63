"""The keys of one corpus: pseudonymise questions and restore answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache

from sage_rag.common.deadlines import checkpoint
from sage_rag.common.web.errors import ApiError
from sage_rag.privacy.blind_index import BlindIndex, PartWords
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import UnsignedError
from sage_rag.privacy.inspection import Condition, Occurrence
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup import STEM_TYPES, Lookup, all_parts
from sage_rag.privacy.lookup_seal import SealedLookup
from sage_rag.privacy.operators.redact import redact
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import Operator, OperatorChoice, Policy
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import EntityCipher, Recognizer
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.spans import Span
from sage_rag.privacy.tokens import TOKEN, token_type, tokens_in
from sage_rag.rag_server.edge.index_lookup import IndexLookup
from sage_rag.rag_server.edge.index_policies import IndexPolicies
from sage_rag.rag_server.edge.links import GuardedStream, replace_outside_addresses
from sage_rag.rag_server.edge.memory_file import Seen
from sage_rag.rag_server.edge.named_people import people_named
from sage_rag.rag_server.edge.short_questions import ShortQuestionRecognizer
from sage_rag.rag_server.edge.shown_values import ShownRecognizer, ShownValues, encrypting
from sage_rag.rag_server.edge.text_cache import TextCache
from sage_rag.rag_server.languages import is_not_read
from sage_rag.rag_server.named_people import NamedPeople

_MODEL = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63})(?:@[0-9]{1,6})?")
"""A corpus, or one of its versions, as `clinic@7`."""
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_NEW_KEYS = "if the keys were rotated, start the edge again with the current keyset"
_DAMAGED = (Condition.MALFORMED, Condition.UNKNOWN_KEY, Condition.FORGED)


class _SentenceCipher:
    """Wraps a cipher: a value that its record wraps or aligns has single spaces.

    `LITERAL` values stay as they were written.
    """

    def __init__(self, cipher: EntityCipher) -> None:
        self._cipher = cipher

    def encrypt(self, value: str, entity_type: EntityType) -> str:
        """Return the token of a value, as the wrapped cipher."""
        return self._cipher.encrypt(value, entity_type)

    def decrypt(self, token: str) -> str:
        """Return the value of a token; raises as the wrapped cipher."""
        value = self._cipher.decrypt(token)
        return value if token_type(token) is EntityType.LITERAL else _SPACE.sub(" ", value)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How questions are read: with the lookup of one version or without one, under one policy.

    `unproven`: a lookup that only hides more, where there is no `index`. `encrypted`: the types
    whose values become tokens.
    """

    pseudonymize: TextCache
    index: IndexLookup | None
    unproven: IndexLookup | None
    policy: Policy
    blind_index: BlindIndex
    encrypted: frozenset[EntityType]

    @property
    def parts_index(self) -> IndexLookup | None:
        """The index, if the policy allows a search by parts of values."""
        return None if self.policy.part_words is PartWords.NONE else self.index


class CorpusKeys:
    """Pseudonymise and restore the values of one corpus.

    With a grant, values of types that it does not include are redacted in questions, and their
    tokens appear as `[PHONE_NUMBER: not granted]` in answers.
    """

    def __init__(
        self,
        corpus: str,
        keyset: Keyset,
        recognizer: Recognizer,
        policy: Policy | None,
        restored: Counter[Condition] | None = None,
        shown: ShownValues | None = None,
        policies: IndexPolicies | None = None,
    ) -> None:
        """Derive the keys.

        `policy`: without one, that of the index, which its lookup says, but for no type a weaker
        one than `sage`; until then, and for an index whose lookup has none, `sage`. `restored` also
        counts the tokens of answers, by condition. `shown`: the values restored for all corpora,
        since a client can send the answer of one corpus to another. `policies`: those that the
        indexes of all corpora said.
        """
        self.corpus = corpus
        self._cipher = default_cipher(keyset, corpus)
        self._own_policy = policy
        self._policies = IndexPolicies() if policies is None else policies
        self._tokens: Counter[Condition] = Counter()
        self._reported = 0
        shared = Counter() if restored is None else restored
        self._shown = ShownValues() if shown is None else shown
        self._by_server = False
        opener = _SentenceCipher(self._cipher)
        self._restorer = Restorer(opener, lambda found: self._note(found, shared))
        self._surrogates = Surrogates(keyset, corpus)
        self._keyset = keyset
        self._recognizer = recognizer
        self._reading = self._read_with(None)

    def use_lookup(self, sealed: bytes | None) -> None:
        """Read the next questions with the sealed lookup of an index.

        Where it is refused, or the index has none, the one before is used on: else a server could
        have the names that only it finds sent in clear.

        Raises:
            DecryptionError: unless the owner made it for this corpus.
            UnsignedError: when nothing proves that the owner made it. Then its policy only makes
                stricter, and its names only hide more, unless the owner's was used before.
            RollbackError: for that of an older version than was seen.
            ProtectionError: when what it says cannot be stored; it is used all the same.
        """
        index, unproven = self._reading.index, self._reading.unproven
        try:
            if sealed is not None:
                lookup = Lookup.open(sealed, self._keyset, self.corpus)
                key_id = SealedLookup.parse(sealed).key_id
                is_primary = key_id == self._keyset.primary
                seen = Seen(lookup.version, "primary" if is_primary else "old")
                self._policies.check(self.corpus, seen)
                index = IndexLookup(lookup, all_parts(self._keyset, self.corpus))
                self._policies.keep(self.corpus, lookup.policy, seen, key_id)
        except UnsignedError:
            lookup = Lookup.open_unproven(sealed or b"", self._keyset, self.corpus)
            unproven = IndexLookup(lookup, all_parts(self._keyset, self.corpus))
            if lookup.policy is not None:
                self._policies.make_stricter(self.corpus, lookup.policy)
            raise
        finally:  # until here, questions are read with the lookup before
            self._reading = self._read_with(index, None if index else unproven)

    def _read_with(
        self, index: IndexLookup | None, unproven: IndexLookup | None = None
    ) -> _Reading:
        policy = self._own_policy or self._policies.of(self.corpus)
        own = _restricted(policy, self._keyset.types)
        known = self._recognizer
        if source := index or unproven:
            known = ShortQuestionRecognizer(self._recognizer, source, is_proven=index is not None)

        def hidden(text: str, by_server: bool, *shown: Span) -> str:
            whole = frozenset[EntityType]() if by_server else encrypted
            reader = ShownRecognizer(known, shown, whole) if shown else known
            used = encrypting(own, shown) if shown else own
            protector = Protector(reader, used, self._cipher, self._surrogates)
            return protector.pseudonymize(text)

        blind_index = BlindIndex(self._keyset, self.corpus, policy.part_words)
        encrypted = frozenset(t for t in EntityType if own.operator(t) is Operator.ENCRYPT)
        return _Reading(TextCache(hidden), index, unproven, policy, blind_index, encrypted)

    def for_answers(self) -> CorpusKeys:
        """Return these keys for texts that the server may have written.

        There every value that was restored before is hidden, wherever it occurs.
        """
        keys = copy(self)
        keys._by_server = True
        return keys

    def pseudonymize(self, text: str) -> str:
        """Return the text with its recognised values as tokens.

        Raises:
            ProtectionError: when recognition fails; then nothing may be sent.
        """
        checkpoint()
        shown = self._shown.spans(text, by_server=self._by_server)
        return self._reading.pseudonymize(text, self._by_server, *shown)

    def has_shown(self, text: str) -> bool:
        """Return whether a value that was restored before occurs in a text."""
        return bool(self._shown.spans(text, by_server=self._by_server))

    def new_damage(self) -> str | None:
        """Return token counts by condition, if damaged tokens came since the last call.

        They are for a log, and show a model that invents tokens or a server that forges them.
        """
        damaged = sum(self._tokens[condition] for condition in _DAMAGED)
        if damaged == self._reported:
            return None
        self._reported = damaged
        counts = ", ".join(f"{count} {name}" for name, count in sorted(self._tokens.items()))
        return f"{counts}; {_NEW_KEYS}" if self._tokens[Condition.UNKNOWN_KEY] else counts

    def _note(self, found: Occurrence, shared: Counter[Condition]) -> None:
        self._tokens[found.condition] += 1
        shared[found.condition] += 1
        if found.value is not None:
            self._shown.add(found.value, found.entity_type)

    def search_words(self, pseudonymized: str) -> tuple[str, ...]:
        """Return the blind words of the values whose tokens occur in a pseudonymised text.

        A value without a token has none: its type is not encrypted, or its key is not granted. With
        a lookup, a first name has the words of the values of the index that contain it, and a value
        those of its other types, unless the policy allows no search by parts.
        """
        tokens = tokens_in(pseudonymized)
        reading = self._reading
        words = reading.blind_index.words_of_tokens(tokens, self._cipher)
        index = reading.parts_index
        if index is None:
            return words
        more = (
            word
            for token in set(tokens)
            for word in index.search_words(self._cipher.decrypt(token), token_type(token))
        )
        return tuple(sorted({*words, *more}))

    def search_groups(self, pseudonymized: str) -> tuple[tuple[str, ...], ...]:
        """Return, for each word of the values in a pseudonymised text, the tokens with this word.

        Names, and titles of works and events, are searched so, and a day by the tokens of its
        dates: with a lookup, unless the policy allows no search by parts. Sorted, so that order
        reveals nothing.
        """
        index = self._reading.parts_index
        if index is None:
            return ()
        found = set[tuple[str, ...]]()
        for match in TOKEN.finditer(pseudonymized):
            entity_type, value = EntityType(match.group(1)), self._cipher.decrypt(match.group())
            if entity_type in STEM_TYPES:
                found.update(index.groups(value))
            elif entity_type is EntityType.DATE_TIME and (dates := index.dates(value)):
                found.add(dates)
        return tuple(sorted(found))

    def named_people(self, pseudonymized: str) -> NamedPeople | None:
        """Return whom the persons of a pseudonymised text may mean.

        `None` without a lookup, and where the policy allows no search by parts.
        """
        index = self._reading.parts_index
        if index is None:
            return None
        tokens = tokens_in(pseudonymized)
        named = people_named(tokens, index, self._cipher)
        if named.unknown and is_not_read(self._plain(pseudonymized)):
            # In "Wie hoch war die Strafe?" the recognizer takes ordinary words for names.
            return replace(named, unknown=())
        return named

    def hide_whole(self, value: str, entity_type: EntityType) -> str:
        """Return a token for a whole value, without recognition."""
        if entity_type in self._reading.encrypted:
            return self._cipher.encrypt(value, entity_type)
        return redact(entity_type)

    def restore(self, text: str) -> str:
        """Return the text with its tokens as plain values, except tokens in web addresses."""
        return replace_outside_addresses(text, self._value)

    def restore_in_json(self, text: str, *, displayed: bool = False) -> str:
        """Return JSON source with its tokens as plain values, escaped as parts of strings.

        `displayed`: a client may display the source itself, as it does the content of an answer.
        """
        return replace_outside_addresses(text, self._escaped, in_json=True, displayed=displayed)

    def stream(
        self,
        *,
        in_json: bool = False,
        displayed: bool = False,
        preceding: Collection[GuardedStream] = (),
    ) -> GuardedStream:
        """Return a restorer for text, or JSON source, that arrives in pieces.

        `displayed`: as in `restore_in_json`. `preceding`: texts that a client may put before this
        one.
        """
        shown = self._escaped if in_json else self._value
        return GuardedStream(shown, in_json=in_json, displayed=displayed, preceding=preceding)

    def _plain(self, text: str) -> str:
        """Return a text with its values in clear. It must stay in this process."""
        return TOKEN.sub(lambda match: self._cipher.decrypt(match.group()), text)

    def _value(self, match: re.Match[str]) -> str:
        return self._restorer.restore(match.group())

    def _escaped(self, match: re.Match[str]) -> str:
        return json.dumps(self._value(match), ensure_ascii=False)[1:-1]


def _restricted(policy: Policy, granted: frozenset[EntityType]) -> Policy:
    """Return the policy with redaction in place of operators whose keys are not granted."""
    keyed = (Operator.ENCRYPT, Operator.SURROGATE)
    lacking = {t for t, c in policy.choices.items() if c.operator in keyed and t not in granted}
    redacted = dict.fromkeys(lacking, OperatorChoice(Operator.REDACT))
    return replace(policy, choices={**policy.choices, **redacted})


class Keyring:
    """Derives the keys of a corpus from a keyset or grant."""

    def __init__(
        self,
        keyset: Keyset,
        recognizer: Recognizer,
        policy: Policy | None,
        shown: ShownValues | None = None,
        policies: IndexPolicies | None = None,
    ) -> None:
        """`policy`: as in `CorpusKeys`. `shown`: the values that were restored before; `policies`:
        those that indexes said before; without them, none is known yet.
        """
        self._keyset = keyset
        self._shown = ShownValues() if shown is None else shown
        self._recognizer = recognizer
        self._policy = policy
        # Outside the cache, which forgets.
        self._policies = IndexPolicies() if policies is None else policies
        self._restored: Counter[Condition] = Counter()
        self._keys = lru_cache(64)(self._build)

    def for_model(self, model: object) -> CorpusKeys:
        """Return the keys for the corpus that `model` names.

        Raises:
            ApiError: 400 unless it is a plain corpus name, because free text could leave in it.
        """
        match = _MODEL.fullmatch(model) if isinstance(model, str) else None
        if match is None:
            raise ApiError(
                400,
                "`model` must be the name of a corpus: letters, digits, `.`, `_`, `-`;"
                " perhaps with a version, as `clinic@7`",
                code="invalid_value",
                param="model",
            )
        return self._keys(match.group(1))

    def restored(self) -> dict[str, int]:
        """Return the tokens of answers since the start, of all corpora, by condition."""
        return {condition.value: self._restored[condition] for condition in Condition}

    def _build(self, model: str) -> CorpusKeys:
        return CorpusKeys(
            model,
            self._keyset,
            self._recognizer,
            self._policy,
            self._restored,
            self._shown,
            self._policies,
        )
