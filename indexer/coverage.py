"""Which languages a treatment covers; documents in others are refused.

A recognizer misses names in a language that it does not know, and takes ordinary words for names;
rules reword what they do not understand. So the refusal holds under every recipe that protects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sage_rag.common.exceptions import ProtectionError
from sage_rag.indexer.corpus import Document
from sage_rag.privacy.languages import languages_fingerprint, uncovered_language

_REASON = "language-not-covered:"
_HINT = "docs/privacy.md, Languages: name a recognizer for it; rules reword English only"


@dataclass(frozen=True, slots=True)
class Coverage:
    """The languages, as ISO 639-1 codes, that a recognizer reads and that agents rewrite.

    `rewritten`: `None` for any language, or without agents.
    """

    recognized: frozenset[str]
    rewritten: frozenset[str] | None = None

    @property
    def languages(self) -> frozenset[str]:
        """The languages that recognizer and agents both cover."""
        return self.recognized if self.rewritten is None else self.recognized & self.rewritten

    @property
    def fingerprint(self) -> str:
        """Changes with the languages and with their detection."""
        return f"{','.join(sorted(self.languages))}/{languages_fingerprint()}"

    def refusal(self, document: Document, *, by_person: bool = False) -> str | None:
        """Return the reason to refuse a document, `None` for a covered one.

        `by_person`: a person writes the draft, so only the recognizer has to know the language.
        """
        covered = self.recognized if by_person else self.languages
        language = uncovered_language(document.fields.values(), covered)
        return f"{_REASON}{language}" if language else None

    def check_for_person(self, document: Document) -> None:
        """Raise ProtectionError for a document that the recognizer cannot read for a person."""
        if reason := self.refusal(document, by_person=True):
            raise ProtectionError(f"`{document.id}` is refused: {reason}", hint=_HINT)

    def check_any(self, documents: Sequence[Document]) -> None:
        """Raise ProtectionError unless a document is covered."""
        reasons = [self.refusal(document) for document in documents]
        if documents and all(reasons):
            found = refused_languages(Counter(filter(None, reasons)))
            raise ProtectionError(
                f"all {len(documents)} sampled records are refused: {uncovered_line(found)}",
                hint=_HINT,
            )


def refused_languages(reasons: Mapping[str, int]) -> dict[str, int]:
    """Return the documents refused for their language by its code, the most frequent first.

    `reasons`: of all refusals, with their numbers.
    """
    found = {r.removeprefix(_REASON): n for r, n in reasons.items() if r.startswith(_REASON)}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def uncovered_line(languages: Mapping[str, int]) -> str:
    """Return how many documents are refused for their language, and for which languages."""
    listed = ", ".join(f"{code} {count}" for code, count in languages.items())
    count = sum(languages.values())
    return f"{count} in a language that recognizer or rules do not cover ({listed})"
