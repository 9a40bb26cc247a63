"""The words of drafts, passages and originals, as gate, audit and attacks count them.

A word is one of `privacy.words`. A placeholder or a token is one word, whatever its letters, and
equals no word of plain text. So a draft has as many words as the passage that it becomes.
"""

from __future__ import annotations

import re

from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.tokens import PLACEHOLDER, TOKEN
from sage_rag.privacy.words import Word, tokenize, words

_MARKUP = re.compile(f"(?:{TOKEN.pattern})|(?:{PLACEHOLDER.pattern})")


def draft_tokens(text: str) -> list[str]:
    """Return the case-folded words of a text; a placeholder or token is one word as written."""
    if "[" not in text:
        return tokenize(text)
    found: list[str] = []
    end = 0
    for markup in _MARKUP.finditer(text):
        found += tokenize(text[end : markup.start()])
        found.append(markup.group())
        end = markup.end()
    return found + tokenize(text[end:])


def draft_words(text: str) -> list[Word]:
    """Return the words of `draft_tokens` with their positions."""
    found: list[Word] = []
    end = 0
    for markup in _MARKUP.finditer(text):
        found += _words_of(text, end, markup.start())
        found.append(Word(markup.group(), *markup.span()))
        end = markup.end()
    return found + _words_of(text, end, len(text))


def _words_of(text: str, start: int, end: int) -> list[Word]:
    found = words(text[start:end])
    return [Word(w.text, w.start + start, w.end + start) for w in found] if start else found


def sentence_tokens(text: str) -> list[list[str]]:
    """Return the words of each sentence of `common.sentences` that has any."""
    spans = sentence_spans(text)
    return [found for start, end in spans if (found := draft_tokens(text[start:end]))]
