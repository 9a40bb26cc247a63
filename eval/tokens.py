"""How models treat the tokens they copy: shares of damaged ones over a set of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.privacy.inspection import Condition, inspect
from sage_rag.privacy.protocols import EntityCipher

_UNDECODABLE = (Condition.MALFORMED, Condition.UNKNOWN_KEY, Condition.FORGED)


class TokenDamage(BaseModel):
    """Tokens in answers by condition, each with its share of all of them.

    `occurrences` counts every token of every answer, `distinct` every spelling once.
    `undecodable` is what SoE calls FCND, `uncited` what it calls FCAOA. `answers` is the share of
    answers in which a token is either.

    Source: Liu et al. (2025), SoE, A.1, Tables 5 and 6. Differs: repaired tokens are told apart and
    are no failures; a grant's missing types are no failures of the model either; shares come with
    intervals, which take tokens as independent, although those of one answer are not.
    """

    model_config = ConfigDict(frozen=True)
    occurrences: Mapping[Condition, Proportion]
    distinct: Mapping[Condition, Proportion]
    undecodable: Proportion
    uncited: Proportion
    answers: Proportion


def token_damage(
    answers: Iterable[tuple[str, Collection[str] | None]], cipher: EntityCipher
) -> TokenDamage:
    """Classify the tokens of answers as the model gave them, before anything is restored.

    Each answer comes with the tokens that it may hold, those of question and passages, or None
    where that is not known; then none of its tokens counts as uncited.
    """
    counts: Counter[Condition] = Counter()
    spellings: dict[str, Condition] = {}
    failed = total = 0
    for text, cited in answers:
        found = inspect(text, cipher, cited)
        counts += found.counts
        spellings |= {text[o.start : o.end]: o.condition for o in found.occurrences}
        failed += any(_is_failure(o.condition) for o in found.occurrences)
        total += 1
    occurrences = counts.total()
    return TokenDamage(
        occurrences=_shares(counts),
        distinct=_shares(Counter(spellings.values())),
        undecodable=Proportion.of(sum(counts[c] for c in _UNDECODABLE), occurrences),
        uncited=Proportion.of(counts[Condition.UNCITED], occurrences),
        answers=Proportion.of(failed, total),
    )


def _is_failure(condition: Condition) -> bool:
    return condition in _UNDECODABLE or condition == Condition.UNCITED


def _shares(counts: Counter[Condition]) -> dict[Condition, Proportion]:
    return {c: Proportion.of(counts[c], counts.total()) for c in Condition}


def markdown(damage: TokenDamage) -> str:
    """Return the table for a report."""
    rows = [
        "| tokens in answers | occurrences | distinct |",
        "| --- | --- | --- |",
        *(f"| {c} | {damage.occurrences[c]} | {damage.distinct[c]} |" for c in Condition),
        "",
        f"Answers with a token that is undecodable or uncited: {damage.answers}.",
    ]
    return "\n".join(rows) + "\n"
