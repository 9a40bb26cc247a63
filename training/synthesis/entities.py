"""Entities of a document: a recognizer finds them, a policy decides which ones are encrypted."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.languages import uncovered_language
from sage_rag.privacy.operators.encrypt import encrypt
from sage_rag.privacy.policy import Operator, Policy
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import EntityCipher, Recognizer
from sage_rag.privacy.recognizers.catalog import DEFAULT_LANGUAGES
from sage_rag.privacy.spans import Span, resolve_overlaps
from sage_rag.privacy.tokens import PLACEHOLDER, TOKEN
from sage_rag.training.synthesis.samples import SourceDocument

VERSION = 1
"""Raised with every change of the entities of the same text."""

_WORD = re.compile(r"\w")
_OPERATORS = frozenset((Operator.ENCRYPT, Operator.KEEP))


@dataclass(frozen=True, slots=True)
class Entity:
    """A value of a document. `encrypted`: whether the policy encrypts it. `repr` hides it."""

    entity_type: EntityType
    value: str = field(repr=False)
    encrypted: bool

    def rendered(self, cipher: EntityCipher | None) -> str:
        """Return the token, or the value where the policy keeps it or there is no cipher."""
        if cipher is None or not self.encrypted:
            return self.value
        return "".join(encrypt(self.value, self.entity_type, cipher))


@dataclass(frozen=True)
class EntityDocument:
    """A document with a placeholder for each mention of an entity.

    `text` holds no value of an entity. `entities`: by placeholder, in order of their first
    mention; `repr` hides their values.
    """

    id: str
    text: str
    entities: Mapping[str, Entity]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """`[start, end)` of each sentence of `text`."""
        return sentence_spans(self.text)

    @cached_property
    def mentions(self) -> dict[str, list[int]]:
        """The sentences, by number from 0, that mention each entity which can be a graph's node."""
        found: dict[str, list[int]] = {p: [] for p, e in self.entities.items() if _is_node(e)}
        for number, (start, end) in enumerate(self.sentences):
            for name in dict.fromkeys(PLACEHOLDER.findall(self.text, start, end)):
                placeholder = f"[{name[0]}_{name[1]}]"
                if placeholder in found:
                    found[placeholder].append(number)
        return {placeholder: numbers for placeholder, numbers in found.items() if numbers}

    def rendered(self, cipher: EntityCipher | None) -> dict[str, str]:
        """Return what stands for each placeholder in a finished text."""
        return {name: entity.rendered(cipher) for name, entity in self.entities.items()}


def _is_node(entity: Entity) -> bool:
    return identifiability(entity.entity_type) is not Identifiability.TECHNICAL


class EntityReader:
    """Find the entities of documents.

    Values that the policy encrypts are found and hidden by `privacy.protect`, in at most two
    passes, before anything else reads the text. Entities that it keeps are found in what remains.

    Guarantees: fails closed, as `Protector`; refuses a document in a language that the recognizer
    does not cover (`languages`, ISO 639-1).
    Does not guarantee: that the recognizer finds every value.
    """

    def __init__(
        self,
        recognizer: Recognizer,
        policy: Policy,
        languages: frozenset[str] = DEFAULT_LANGUAGES,
    ) -> None:
        """Raise `InputError` for a policy that does more than encrypt or keep values."""
        for entity_type in EntityType:
            if (operator := policy.operator(entity_type)) not in _OPERATORS:
                raise InputError(
                    f"policy `{policy.name}` has the operator {operator} for {entity_type}; "
                    "synthesis encrypts values or keeps them",
                    hint="use soe-all or soe-pl, or a policy with these two operators",
                )
        self._recognizer = recognizer
        self._policy = policy
        self._languages = languages
        self._protector = Protector(recognizer, policy, _ReversibleMarks())
        self._keeps = any(policy.operator(t) is Operator.KEEP for t in EntityType)

    @property
    def fingerprint(self) -> str:
        """A name that changes whenever the entities of a text could change."""
        return f"entities-{VERSION}/{self._protector.fingerprint}"

    def read(self, document: SourceDocument) -> EntityDocument:
        """Return the document with its entities.

        Raises:
            ProtectionError: when a value cannot be protected, or the language is not covered.
        """
        if language := uncovered_language([document.text], self._languages):
            raise ProtectionError(
                f"no recognizer covers the language of document `{document.id}`, `{language}`",
                hint="docs/privacy.md, Languages",
            )
        protection = self._protector.protect({"": document.text}, passes=2)
        text = protection.protected.text
        entities = {
            placeholder: Entity(_type(placeholder), _value(token), encrypted=True)
            for placeholder, token in protection.tokens.items()
        }
        if self._keeps:
            text = self._with_kept(text, entities)
        ordered = dict.fromkeys(match.group() for match in PLACEHOLDER.finditer(text))
        return EntityDocument(document.id, text, {name: entities[name] for name in ordered})

    def _with_kept(self, text: str, entities: dict[str, Entity]) -> str:
        """Add the entities that the policy keeps, and return the text with their placeholders."""
        counts: dict[EntityType, int] = {}
        names: dict[tuple[EntityType, str], str] = {}
        parts, position = [], 0
        for span in self._kept_spans(text):
            value = text[span.start : span.end]
            key = (span.entity_type, value)
            if key not in names:
                counts[span.entity_type] = counts.get(span.entity_type, 0) + 1
                names[key] = f"[{span.entity_type}_{counts[span.entity_type]}]"
                entities[names[key]] = Entity(span.entity_type, value, encrypted=False)
            parts += [text[position : span.start], names[key]]
            position = span.end
        return "".join([*parts, text[position:]])

    def _kept_spans(self, text: str) -> Iterator[Span]:
        hidden = [match.span() for match in PLACEHOLDER.finditer(text)]
        found = [
            span
            for span in self._recognizer.recognize(text)
            if self._policy.operator(span.entity_type) is Operator.KEEP
        ]
        for span in resolve_overlaps(found):
            apart = all(span.end <= start or end <= span.start for start, end in hidden)
            if apart and _WORD.search(text, span.start, span.end):
                yield span


class _ReversibleMarks:
    """Marks a value by its Base64 form, so that it is found again behind its placeholder.

    Not a cipher: no mark leaves this module.
    """

    def encrypt(self, value: str, entity_type: EntityType) -> str:
        payload = base64.urlsafe_b64encode(value.encode("utf-8", "surrogatepass")).decode()
        return f"{entity_type}_[{payload}]"

    def decrypt(self, token: str) -> str:
        return _value(token)


def _value(token: str) -> str:
    match = TOKEN.fullmatch(token)
    if match is None:
        raise ProtectionError("an entity has no readable mark")
    return base64.urlsafe_b64decode(match.group(2)).decode("utf-8", "surrogatepass")


def _type(placeholder: str) -> EntityType:
    match = PLACEHOLDER.fullmatch(placeholder)
    if match is None:
        raise ProtectionError("an entity has no readable placeholder")
    return EntityType(match.group(1))
