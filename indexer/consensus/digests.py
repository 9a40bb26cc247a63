"""Digests: the words of a record by which it finds its topic, as a short text to embed."""

from __future__ import annotations

from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.support import SupportCounts
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS
from sage_rag.privacy.tokens import PLACEHOLDER

_WORDS = 24
"""The most words of a digest: twelve find worse topics, and whole texts no better ones
(healthcaremagic, other splits than those of the published figures)."""


def digest(text: str, counts: SupportCounts, k: int) -> str:
    """Return the rarest content words that k subjects say, in the order of the text.

    No word of fewer subjects decides where a record belongs. A digest is embedded in a third of the
    time of a text of two hundred words.
    """
    tokens = draft_tokens(text)
    subjects = dict(zip(tokens, counts.of_runs(tokens, 1).tolist(), strict=True))
    said = [word for word in subjects if subjects[word] >= k and _is_content(word)]
    kept = frozenset(sorted(said, key=lambda word: subjects[word])[:_WORDS])
    return " ".join(word for word in said if word in kept)


def _is_content(word: str) -> bool:
    if word in FUNCTION_WORDS or PLACEHOLDER.fullmatch(word):
        return False
    return not any(character.isdigit() for character in word)
