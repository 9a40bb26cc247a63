"""The extractor: takes the whole sentences of a record."""

from __future__ import annotations

import re

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import CorpusAttributes, Extraction
from sage_rag.agents.rules.courtesies import courtesies
from sage_rag.agents.rules.dependence import restricts
from sage_rag.agents.rules.items import group
from sage_rag.agents.rules.sentences import is_clause, sentences_and_gaps
from sage_rag.common.questions import asks
from sage_rag.privacy.protect import ProtectedText

_HEADING = re.compile(r"(?:[A-Z]|[IVX]{1,4}|\d{1,2})\. ")
_VOCATIVE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Madam|Sir)\.? \[PERSON_\d+\]\.|\[[A-Z_]+_\d+\]\.")

_WELL = r"(?:all right|alright|fine|ok|okay|well|better|good|cured)"
_WILL_BE_WELL = (
    r"(?:you|everything|all|it|this|he|she|they)(?:'ll| will| are going to| is going to)"
    rf" (?:be|do|get|become|feel|improve|recover)(?: just| perfectly| completely)?(?: {_WELL})?"
    r"(?: soon| again)?(?: with (?:all )?(?:this|these|that|it|them|time|(?:proper )?treatment))?"
)
_REASSURES = re.compile(
    r"(?:(?:so|but|and|please|now|just|also)[ ,]+)*"
    r"(?:(?:do not|don't|you need not|(?:there is |there's )?no (?:need|reason) to)"
    r" (?:worry|panic|be (?:worried|afraid|anxious|scared))"
    r"(?: (?:about|too|so|very|much|at all|it|this|that|now))*"
    r"|(?:there is |there's |it is |it's )?nothing to (?:worry|be worried) about"
    r"|(?:(?:i am|i'm) (?:quite |very )?sure (?:that )?)?"
    r"(?:you|everything|all)(?:'ll| will) (?:be|do)(?: just)? (?:all right|alright|fine|ok|okay))"
    rf"(?:[, ]+(?:and |as |since )?{_WILL_BE_WELL})?[.! ]*",
    re.IGNORECASE,
)
"""Comfort that is nothing else. Without the warning before it, it says too much."""
_COMFORTS = re.compile(
    r"\b(?:(?:do not|don't|dont|not to|need not) (?:worry|panic|be (?:worried|afraid|alarmed))"
    r"|(?:nothing|no (?:need|reason)) to (?:worry|panic|be (?:worried|afraid|alarmed))"
    rf"|(?:you|he|she|everything|all|things?)(?:'ll| will) be {_WELL}"
    r"|(?:you|he|she|it|this|they)(?:'ll| will| should| would)"
    r" (?:soon )?(?:improve|recover|heal|resolve|settle|get better|go away|be cured))\b",
    re.IGNORECASE,
)
"""Comfort about a part of the matter, or with its ground in another sentence: a treatment."""


class RuleExtractor:
    """Take the whole sentences of each field, in the record's order.

    Sentences that have their meaning only together form one item. All items of a field come under
    its first attribute: the generator writes them in the record's order, whatever they are about,
    so a choice among the attributes would decide nothing.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.1. Differs: extractive, no model, no choice of
    attributes.
    """

    async def extract(self, record: ProtectedText, attributes: CorpusAttributes) -> Extraction:
        """Return the record's items by the first attribute of their field."""
        phrases: dict[str, tuple[str, ...]] = {}
        order: dict[str, tuple[str, ...]] = {}
        for field, text in record.fields.items():
            first = next((a.name for a in attributes.entries if a.field == field), None)
            if first is None:
                continue
            order[field] = tuple(" ".join(item) for item in group(_sentences(text)))
            if items := (*order[field], *courtesies(text)):
                phrases[first] = items
        return Extraction(phrases, order)


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text that say something, each once, and a gap for each other one.

    A gap is empty: what depends on the sentence there has lost its meaning.
    """
    found: list[str] = []
    for sentence in sentences_and_gaps(text):
        kept = "" if _is_idle(sentence) else sentence
        if not kept or kept not in found:
            found.append(kept)
    return found


def _is_idle(sentence: str) -> bool:
    """Return whether a sentence is a heading, a fragment, a comfort, or a mere address."""
    if (sentence.isupper() and "[" not in sentence) or (
        _HEADING.match(sentence) and not is_clause(sentence)
    ):
        return True
    if "[PERSON_" in sentence:
        return bool(_VOCATIVE.fullmatch(sentence)) and not sentence.startswith("[")
    if _REASSURES.fullmatch(sentence) or _COMFORTS.search(sentence):
        return True
    return len(words(sentence)) < 3 and not asks(sentence) and not restricts(sentence)
