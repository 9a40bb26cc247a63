"""The gate: measures a draft against its original and has the last word over any agent.

Pure measurement. A draft passes when every measure is within its limit; "nothing was recognised"
is never taken for "safe": the shared runs and ROUGE-L are measured whatever was recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from privacy.entities import EntityType, Identifiability, identifiability
from privacy.fingerprints import source_digest
from privacy.leakage import Comparison, Original, normalize, tokenize
from privacy.occurrences import spelling
from privacy.protect import Identifier, Protection
from privacy.protocols import Recognizer
from privacy.quasi import is_quasi
from privacy.recognizers.wordlists import TITLES
from privacy.spans import resolve_overlaps
from privacy.tokens import PLACEHOLDER, TOKEN

_COMBINED = frozenset(t for t in EntityType if is_quasi(t)) - {
    EntityType.LOCATION,
    EntityType.ORGANIZATION,
}
"""Types that identify in combination only. Places and organisations are held to the rule of direct
identifiers: a village or an employer alone can single somebody out."""
_WORD = re.compile(r"\w+")


class FindingKind(StrEnum):
    """What can be wrong with a draft."""

    IDENTIFIER = "identifier"
    SHARED_RUN = "shared-run"
    SIMILARITY = "similarity"
    QUASI_COMBINATION = "quasi-combination"
    UNKNOWN_PLACEHOLDER = "unknown-placeholder"
    UNPROTECTED = "unprotected"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why a draft does not pass.

    `message` holds no plain value. `[start, end)` is the place in the draft, where there is one.
    """

    kind: FindingKind
    message: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate measured. `safe` when there is no finding.

    `longest_run` in tokens; `rouge_l` is F in [0, 1].
    """

    findings: tuple[Finding, ...]
    longest_run: int
    rouge_l: float

    @property
    def safe(self) -> bool:
        """Whether the draft may be published."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class GateLimits:
    """The limits of a gate; `None` leaves a measure out (for recipes that publish originals'
    wording on purpose, as the baselines `redacted` and `encrypted` do).

    Source: Zeng et al. (2024), arXiv 2406.14773, §4.3 for the run of 10 tokens and ROUGE-L 0.5.
    """

    run_tokens: int | None = 10
    """A shared run of this many tokens counts as repeated text."""
    rouge_l: float | None = 0.5
    """ROUGE-L F above this counts as the same text again."""
    quasi_values: int = 1
    """How many distinct ages, dates and other values that identify in combination may stand in the
    draft as they were in the original: one alone is common, two together begin to single out."""
    min_tokens: int = 8
    """A draft shorter than this and than half its original answers for nothing."""


class Gate:
    """Judge drafts. The recognizer looks for private values that a draft brings in anew."""

    def __init__(self, limits: GateLimits, recognizer: Recognizer) -> None:
        self.limits = limits
        self._recognizer = recognizer

    @property
    def fingerprint(self) -> str:
        """A name that changes with any limit and with the measures themselves."""
        files = ("gate.py", "leakage.py", "occurrences.py", "quasi.py", "tokens.py")
        measures = source_digest("privacy", *files)
        return f"{self.limits}/{measures}/{self._recognizer.fingerprint}"

    def judge(self, original: Original, protection: Protection, draft: str) -> Verdict:
        """Measure a draft (with placeholders) against its plain original."""
        compared = original.compare(draft)
        findings = [
            *self._text_findings(original, compared, draft),
            *_identifier_findings(protection, draft, self.limits.quasi_values),
            *_placeholder_findings(protection, draft),
            *self._unprotected(protection, draft),
        ]
        return Verdict(tuple(findings), compared.longest_shared_run, compared.rouge_l.f1)

    def _text_findings(
        self, original: Original, compared: Comparison, draft: str
    ) -> Iterable[Finding]:
        limits, rouge_f1 = self.limits, compared.rouge_l.f1
        length = len(tokenize(PLACEHOLDER.sub(" ", draft)))
        if length < min(limits.min_tokens, len(original.tokens) / 2):
            yield Finding(FindingKind.EMPTY, f"only {length} words are left of the record")
        if limits.run_tokens is not None:
            for run in compared.shared_runs(at_least=limits.run_tokens):
                message = f"repeats {run.tokens} words of the original in a row"
                yield Finding(FindingKind.SHARED_RUN, message, run.start, run.end)
        if limits.rouge_l is not None and rouge_f1 > limits.rouge_l:
            message = f"ROUGE-L with the original is {rouge_f1:.2f}, over {limits.rouge_l}"
            yield Finding(FindingKind.SIMILARITY, message)

    def _unprotected(self, protection: Protection, draft: str) -> Iterable[Finding]:
        """Find direct identifiers in the draft itself, whoever brought them in.

        The recognizer reads the draft with its surrogates, since they are part of its sentences;
        what it finds there is none only if the record's surrogates and titles are all of it.
        """
        clear = PLACEHOLDER.sub(_blank, TOKEN.sub(_blank, draft))
        stand_ins = _without_surrogates(protection.surrogates, protection, clear)
        for span in resolve_overlaps(self._recognizer.recognize(clear)):
            if identifiability(span.entity_type) is Identifiability.DIRECT:
                rest = _WORD.findall(stand_ins[span.start : span.end])
                if protection.surrogates and all(word.casefold() in TITLES for word in rest):
                    continue
                message = f"holds a {span.entity_type} in clear"
                yield Finding(FindingKind.UNPROTECTED, message, span.start, span.end)


def _blank(match: re.Match[str]) -> str:
    """Blank out markup at its length, so that places stay right."""
    return " " * len(match.group())


def _without_surrogates(surrogates: Iterable[str], protection: Protection, text: str) -> str:
    """Blank out surrogates of the record.

    A surrogate that equals one of the record's direct identifiers by chance is not blanked: which
    of the two stands there, nobody could tell.
    """
    taken = {
        normalize(i.value)
        for i in protection.identifiers
        if identifiability(i.entity_type) is Identifiability.DIRECT
    }
    shown = [s.strip() for s in surrogates if normalize(s) not in taken]
    if not any(shown):
        return text
    longest_first = sorted(filter(None, shown), key=lambda s: (-len(s), s))
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"
    return re.sub(pattern, _blank, text)


def _identifier_findings(protection: Protection, draft: str, quasi_limit: int) -> list[Finding]:
    # Figures alone are not blanked: a stand-in age would cut a hole into a real phone number.
    named = [s for s in protection.surrogates if any(map(str.isalpha, s))]
    clear = PLACEHOLDER.sub(_blank, TOKEN.sub(_blank, draft))
    clear = _without_surrogates(named, protection, clear)
    findings: list[Finding] = []
    combined: list[Finding] = []
    for identifier in protection.identifiers:
        place = find_identifier(identifier, clear)
        if place is None:
            continue
        message = f"holds a {identifier.entity_type} of the original"
        if identifier.entity_type in _COMBINED:
            combined.append(Finding(FindingKind.QUASI_COMBINATION, message, *place))
        else:
            findings.append(Finding(FindingKind.IDENTIFIER, message, *place))
    return findings + (combined if len(combined) > quasi_limit else [])


def find_identifier(identifier: Identifier, text: str) -> tuple[int, int] | None:
    """Return where a plain value stands in a text, or `None`; under NFKC too.

    `privacy.occurrences.spelling` says what counts as the value.
    """
    expression = spelling(identifier.value, identifier.entity_type)
    if expression is None:
        return None
    if match := re.search(expression, text):
        return match.span()
    if identifier.value.isalpha():
        return None  # normalising folds case, in which a name would be any word
    folded = re.escape(normalize(identifier.value))
    # A spelling that only NFKC sees through: its place is not known.
    return (0, len(text)) if re.search(rf"(?<!\w){folded}(?!\w)", normalize(text)) else None


def _placeholder_findings(protection: Protection, draft: str) -> list[Finding]:
    return [
        Finding(
            FindingKind.UNKNOWN_PLACEHOLDER,
            f"holds {match.group()}, which the original has not",
            *match.span(),
        )
        for match in PLACEHOLDER.finditer(draft)
        if match.group() not in protection.tokens
    ]
