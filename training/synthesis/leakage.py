"""Count values that stayed in clear: the leakage of encrypting only after the synthesis."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.ciphers.codewords import displayed_type
from sage_rag.training.synthesis.entities import EntityDocument


@dataclass(frozen=True)
class Leakage:
    """Mentions of private values in the texts of one document, by displayed entity type.

    `plain`: in clear. `encrypted`: tokens. Types that share a codebook name (`displayed_type`)
    count as one, whatever the cipher, so that ciphers can be compared.
    """

    plain: Counter[EntityType] = field(default_factory=Counter)
    encrypted: Counter[EntityType] = field(default_factory=Counter)

    @property
    def ratio(self) -> float | None:
        """Plain mentions for one encrypted mention, `None` where there is no encrypted one.

        Source: Liu et al. (2025), SoE, Table 8.
        """
        encrypted = self.encrypted.total()
        return self.plain.total() / encrypted if encrypted else None


def leakage(values: Mapping[str, EntityType], texts: Iterable[str]) -> Leakage:
    """Count mentions of values in texts: those in clear, and tokens.

    A mention in clear is the value as a whole word or words, outside of tokens, in the same case.
    Of two values at one place only the longer one counts.

    Does not guarantee: finding a part of a value, such as the family name of a full name, unless
    it is a value itself. A word of a template that equals a value counts as a mention.
    """
    counts = Leakage()
    pattern = _mention_of(values)
    for text in texts:
        counts.encrypted.update(
            displayed_type(EntityType(match.group(1))) for match in TOKEN.finditer(text)
        )
        rest = TOKEN.sub("\n", text)
        counts.plain.update(displayed_type(values[m]) for m in pattern.findall(rest))
    return counts


def encrypted_values(document: EntityDocument) -> dict[str, EntityType]:
    """Return the values of a document that its policy encrypts, with their types."""
    return {e.value: e.entity_type for e in document.entities.values() if e.encrypted}


def _mention_of(values: Iterable[str]) -> re.Pattern[str]:
    """Return an expression for whole values, the longest first."""
    longest_first = sorted(filter(None, values), key=len, reverse=True)
    spelled = "|".join(map(_bounded, longest_first))
    return re.compile(spelled or r"(?!)")


def _bounded(value: str) -> str:
    """Return an expression for a value that is no part of a longer word. Chinese has no words."""
    start = r"(?<![^\W\u3400-\u9fff])" if value[0].isalnum() else ""
    end = r"(?![^\W\u3400-\u9fff])" if value[-1].isalnum() else ""
    return f"{start}{re.escape(value)}{end}"
