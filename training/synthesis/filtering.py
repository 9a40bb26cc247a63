"""Refuse drafts that do not follow the instruction or contradict the document's values."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sage_rag.privacy.gate.meaning import meaning_changes
from sage_rag.privacy.tokens import LOOK_ALIKE, PLACEHOLDER, placeholders_in
from sage_rag.training.synthesis.entities import EntityDocument
from sage_rag.training.synthesis.samples import Draft, Kind

VERSION = 3
"""Raised with every change of the verdict on the same draft."""

_FEWEST_CHARS = 12
_MOST_CHARS = 20_000
"""About twice what Table 7's cut-off of 2,048 tokens leaves of a text."""
_WORD = re.compile(r"\w")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_UNFILLED = re.compile(r"\{\w+\}|<(?:E\d|Title|entity|answer|question|score)\b[^>]*>", re.I)
_REFUSAL = re.compile(
    r"\b(?:as an ai\b|as a language model|i(?:'m| am) (?:sorry|unable|not able)|i can(?:no|')t"
    r"|i apologi[sz]e)|作为(?:一个|一名)?(?:AI|人工智能|语言模型)|我无法|很抱歉|对不起",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]|_{3,}|\b(?:Q|Question|Exercise|Complete|gap)\b|问|填空|空白|补全|略去")
_ANSWER = re.compile(r"^(?:Answer: |答：)", re.MULTILINE)
_LEAST_NAMED: Mapping[Kind, int] = {Kind.DESCRIPTION: 1, Kind.RELATION: 2, Kind.QUESTION: 1}


def refusal(document: EntityDocument, draft: Draft) -> str | None:
    """Return why a draft is refused, or `None` for one that can be used. Quotes no text.

    A draft is refused when it is empty, cut off or unfilled, declines the task, does not name the
    entities that it is about, asks no question although it should, contains an entity or a number
    that the document does not contain, or changes a quantity, a negation or another fact of a
    sentence that it restates (`privacy.gate.meaning`, English).

    Guarantees: a usable draft contains no placeholder that the document lacks, and no number
    outside of the document. Text from templates is the document's own and is only checked for
    its form.
    Does not guarantee: that its words are true. A model can still relate two entities wrongly.

    Source: Liu et al. (2025), SoE, §3.3, "Data filtering". Differs: a check by rules.
    """
    text = draft.text
    if not _FEWEST_CHARS <= len(text) <= _MOST_CHARS or not _WORD.search(PLACEHOLDER.sub("", text)):
        return "it is too short or too long"
    if _UNFILLED.search(text):
        return "it has a slot that is not filled"
    return _disobedience(draft) or _contradiction(document, draft)


def _disobedience(draft: Draft) -> str | None:
    if not _is_quoted(draft) and _REFUSAL.search(draft.text):
        return "it declines the task"
    named = placeholders_in(draft.text) & set(draft.members)
    if len(named) < min(_LEAST_NAMED[draft.kind], len(draft.members)):
        return "it does not name the entities that it is about"
    if draft.kind is Kind.QUESTION and not _ASKS.search(draft.text):
        return "it asks no question"
    return None


def _contradiction(document: EntityDocument, draft: Draft) -> str | None:
    if not placeholders_in(draft.text) <= set(document.entities):
        return "it names an entity that the document does not contain"
    rest = PLACEHOLDER.sub(" ", draft.text)
    if LOOK_ALIKE.search(rest):
        return "it holds marks in brackets that the document does not contain"
    numbers = set(_NUMBER.findall(PLACEHOLDER.sub(" ", document.text)))
    if not set(_NUMBER.findall(rest)) <= numbers:
        return "it states a number that the document does not contain"
    return None if _is_quoted(draft) else _changed_value(document, draft)


def _changed_value(document: EntityDocument, draft: Draft) -> str | None:
    """Return which fact of a sentence of the document a draft changes, by the gate's rules."""
    statements = _ANSWER.split(draft.text)[-1]
    for finding in meaning_changes({"": document.text}, {"": statements}):
        if finding.message.startswith("changes "):
            return f"it {finding.message}"
    return None


def _is_quoted(draft: Draft) -> bool:
    """Return whether a draft consists of a template and the document's own words."""
    return draft.writer.startswith("template:")
