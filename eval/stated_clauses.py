"""Clauses of a consensus that the records do not say: a check by the gate for meaning.

The rules of `indexer.consensus` choose the clauses; the gate for meaning was written for drafts and
knows nothing of these rules, so it judges them from outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from sage_rag.common.proportions import Proportion
from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.labels import LISTS, labelled_statements
from sage_rag.privacy.gate.meaning import meaning_changes

_FIELD = "text"


def unstated_clauses(
    passages: Iterable[str], originals: Sequence[str], subjects: Sequence[str], k: int
) -> Proportion:
    """Return the distinct clauses that fewer than k subjects say, of all.

    A subject says a clause if one of the sentences of its originals has all its words in a row, and
    the gate for meaning finds no change between the two. Topics are no clauses. `subjects`: whose
    record each original is.
    """
    clauses = sorted({clause for text in passages for clause in _clauses(text)})
    sentences = _sentences_with(clauses, originals, subjects)
    unstated = sum(not _said_by(k, clause, sentences[clause]) for clause in clauses)
    return Proportion.of(unstated, len(clauses))


def _clauses(text: str) -> Iterator[str]:
    for statement in labelled_statements(text):
        if statement.label not in LISTS and draft_tokens(statement.text):
            yield statement.text


def _sentences_with(
    clauses: Sequence[str], originals: Sequence[str], subjects: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """Return the subject and text of each sentence that has the words of a clause in a row."""
    by_word: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for clause in clauses:
        tokens = draft_tokens(clause)
        by_word[tokens[0]].append((clause, tokens))
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for original, subject in zip(originals, subjects, strict=True):
        for start, end in sentence_spans(original):
            words = draft_tokens(original[start:end])
            for place, word in enumerate(words):
                for clause, tokens in by_word.get(word, ()):
                    if words[place : place + len(tokens)] == tokens:
                        found[clause].append((subject, original[start:end]))
    return found


def _said_by(k: int, clause: str, sentences: Iterable[tuple[str, str]]) -> bool:
    draft = {_FIELD: clause if clause.endswith("?") else f"{clause}."}
    saying = set[str]()
    for subject, sentence in sentences:
        if subject in saying:
            continue
        found = meaning_changes({_FIELD: sentence}, draft, unverified=None)
        if all(finding.kind is not FindingKind.MEANING_CHANGED for finding in found):
            saying.add(subject)
            if len(saying) == k:
                return True
    return False
