"""The gate: compares a draft with its original; no agent can overrule it.

A draft passes when every measure is within its limit. That nothing was recognised does not make a
draft safe: shared runs and ROUGE-L do not depend on recognition.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict

from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from sage_rag.privacy.gate.form import form_faults, too_long
from sage_rag.privacy.gate.leakage import Comparison, Original
from sage_rag.privacy.gate.likeness import Likeness
from sage_rag.privacy.gate.limits import GateLimits, Limit
from sage_rag.privacy.gate.meaning import meaning_changes, silent_fields
from sage_rag.privacy.gate.placeholders import invented_placeholders, lost_placeholders
from sage_rag.privacy.gate.quasi import is_quasi
from sage_rag.privacy.languages import language_of
from sage_rag.privacy.occurrences import value_pattern
from sage_rag.privacy.operators.ages import age_of
from sage_rag.privacy.protect import Identifier, Protection, join_fields
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.wordlists import TITLES
from sage_rag.privacy.spans import Span, resolve_overlaps
from sage_rag.privacy.tokens import PLACEHOLDER, TOKEN, readable_view
from sage_rag.privacy.words import normalize, tokenize

VERSION = 27
"""Raised with every change of the findings for the same draft."""

_COMBINED = frozenset(t for t in EntityType if is_quasi(t)) - {
    EntityType.LOCATION,
    EntityType.ORGANIZATION,
}
"""Types that identify in combination only. Places and organisations count as direct identifiers: a
village or an employer alone can identify a person."""
_SPECIAL = EntityType.SPECIAL_CATEGORY
_WORD = re.compile(r"\w+")


class Gate:
    """Judges drafts. The recognizer finds private values that a draft adds.

    Without a `Likeness`, the limit `likeness` is off, also in `active_limits`.
    """

    def __init__(
        self, limits: GateLimits, recognizer: Recognizer, likeness: Likeness | None = None
    ) -> None:
        self.limits = limits
        self._recognizer = recognizer
        self._likeness = likeness if limits.likeness is not None else None

    @property
    def fingerprint(self) -> str:
        """A name that changes with any limit or measure."""
        likeness = self._likeness.fingerprint if self._likeness is not None else "none"
        return f"{self.limits}/{VERSION}/{self._recognizer.fingerprint}/{likeness}"

    @property
    def active_limits(self) -> dict[str, Limit]:
        """Every limit of this gate by name; `None` or `False` for one that is off."""
        limits = asdict(self.limits)
        return limits if self._likeness is not None else {**limits, "likeness": None}

    def judge(
        self, original: Original, protection: Protection, draft: str | Mapping[str, str]
    ) -> Verdict:
        """Compare a draft (with placeholders) with its plain original.

        Form and meaning are judged only of a draft by field; positions are those in the joined
        fields. The time is linear in both texts, without the recognizer and the likeness. The
        likeness is measured only where there is no other finding.
        """
        text = draft if isinstance(draft, str) else join_fields(draft)
        clear = PLACEHOLDER.sub(_blank, TOKEN.sub(_blank, text))
        spans = resolve_overlaps(self._recognizer.recognize(clear))
        compared = original.compare(text)
        findings = [
            *self._text_findings(original, compared, text),
            *_identifier_findings(protection, clear, spans, self.limits.quasi_values),
            *invented_placeholders(protection.tokens, text),
            *_unprotected(protection, clear, spans),
            *lost_placeholders(protection.protected.fields, text, self.limits),
        ]
        if self.limits.form and not isinstance(draft, str):
            faults = form_faults(protection.protected.fields, draft)
            findings += [Finding(FindingKind.FORM, fault) for fault in faults]
        if self.limits.meaning and not isinstance(draft, str):
            fields, allowed = protection.protected.fields, self.limits.unverified_words
            findings += meaning_changes(fields, draft, unverified=allowed)
            findings += silent_fields(fields, draft)
        likeness = None
        if self._likeness is not None and not findings:
            likeness = self._likeness.compare(*_views(protection, text))
            findings += self._unlike(likeness)
        return Verdict(
            findings=tuple(findings),
            longest_run=compared.longest_shared_run,
            rouge_l=compared.rouge_l,
            likeness=likeness,
            order_free=compared.order_free,
            quasi=tuple(span for span in spans if is_quasi(span.entity_type)),
        )

    def _text_findings(
        self, original: Original, compared: Comparison, draft: str
    ) -> Iterable[Finding]:
        limits, rouge_f1 = self.limits, compared.rouge_l
        length, before = len(tokenize(PLACEHOLDER.sub(" ", draft))), len(original.tokens)
        if length < min(limits.min_tokens or 1, before / 2):
            yield Finding(FindingKind.EMPTY, f"only {length} words are left of the record")
        if limits.length_ratio is not None and too_long(before, length, limits.length_ratio):
            message = f"has {length} words, the record {before}"
            yield Finding(FindingKind.LENGTH, message)
        if limits.run_tokens is not None:
            for run in compared.shared_runs(at_least=limits.run_tokens):
                message = f"repeats {run.tokens} words of the original in a row"
                yield Finding(FindingKind.SHARED_RUN, message, run.start, run.end)
        if limits.rouge_l is not None and rouge_f1 > limits.rouge_l:
            message = f"ROUGE-L with the original is {rouge_f1:.2f}, over {limits.rouge_l}"
            yield Finding(FindingKind.SIMILARITY, message)
        if limits.order_free is not None and compared.order_free > limits.order_free:
            measured = f"ROUGE-Lsum with the original is {compared.order_free:.2f}"
            message = f"{measured}, over {limits.order_free}"
            yield Finding(FindingKind.SIMILARITY, message)
        if limits.language:
            was, now = original.language, language_of(draft)
            if was and now and was != now:
                message = f"is written in `{now}`, the record in `{was}`"
                yield Finding(FindingKind.LANGUAGE, message)

    def _unlike(self, likeness: float) -> Iterable[Finding]:
        least = self.limits.likeness
        if least is not None and not likeness >= least:  # NaN is below the limit
            message = f"likeness to the record is {likeness:.2f}, under {least}"
            yield Finding(FindingKind.UNLIKE, message)


def _unprotected(protection: Protection, clear: str, spans: Iterable[Span]) -> Iterable[Finding]:
    """Yield a finding for each direct identifier in a draft without markup, whatever its origin.

    The same holds for special categories where the policy hides those of the record.

    `spans`: what the recognizer finds in the draft with its surrogates, since they are part of its
    sentences. A span is ignored only if it consists of the record's surrogates and titles.
    """
    blanked = _without_surrogates(protection.surrogates, protection, clear)
    hides = any(i.entity_type is _SPECIAL for i in protection.identifiers)
    for span in spans:
        is_direct = identifiability(span.entity_type) is Identifiability.DIRECT
        if is_direct or (hides and span.entity_type is _SPECIAL):
            rest = _WORD.findall(blanked[span.start : span.end])
            if protection.surrogates and all(word.casefold() in TITLES for word in rest):
                continue
            message = f"holds a value of type {span.entity_type} in clear"
            yield Finding(FindingKind.UNPROTECTED, message, span.start, span.end)


def _views(protection: Protection, draft: str) -> tuple[str, str]:
    """Return original and draft as an index embeds them, without plain values."""
    tokens = protection.tokens

    def view(text: str) -> str:
        return readable_view(PLACEHOLDER.sub(lambda m: tokens.get(m.group(), m.group()), text))

    return view(protection.protected.text), view(draft)


def _blank(match: re.Match[str]) -> str:
    """Return spaces in place of markup, so that positions do not change."""
    return " " * len(match.group())


def _without_surrogates(surrogates: Iterable[str], protection: Protection, text: str) -> str:
    """Replace surrogates of the record by spaces.

    A surrogate that equals a direct identifier of the record by chance stays: the occurrence could
    be the identifier.
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


def _identifier_findings(
    protection: Protection, clear: str, spans: Sequence[Span], quasi_limit: int | None
) -> list[Finding]:
    # Surrogates of digits alone stay: blanking an age could remove a part of a real phone number.
    named = [s for s in protection.surrogates if any(map(str.isalpha, s))]
    ages = _ages(protection, clear, spans)
    clear = _without_surrogates(named, protection, clear)
    findings: list[Finding] = []
    combined: dict[Hashable, Finding] = {}
    for identifier in protection.identifiers:
        age = age_of(identifier.value) if identifier.entity_type is EntityType.AGE else None
        position = ages.get(age) or find_identifier(identifier, clear)
        if position is None:
            continue
        message = f"holds a value of type {identifier.entity_type} of the original"
        if identifier.entity_type in _COMBINED:
            finding = Finding(FindingKind.QUASI_COMBINATION, message, *position)
            combined.setdefault(age or identifier, finding)
        else:
            findings.append(Finding(FindingKind.IDENTIFIER, message, *position))
    over = quasi_limit is not None and len(combined) > quasi_limit
    return findings + (list(combined.values()) if over else [])


_OR_MORE = re.compile(r"\s+or\s+more\b")
"""After the number of the last band of `generalize`."""


def _ages(
    protection: Protection, clear: str, spans: Iterable[Span]
) -> dict[tuple[float, str] | None, tuple[int, int]]:
    """Return the positions of the exact ages of a draft, in figures or in words.

    A surrogate is no age of the record, and a band is no exact age.
    """
    found: dict[tuple[float, str] | None, tuple[int, int]] = {}
    for span in spans:
        value = clear[span.start : span.end]
        if span.entity_type is not EntityType.AGE or value in protection.surrogates:
            continue
        age = age_of(value)
        if age is not None and not _OR_MORE.match(clear, span.end):
            found.setdefault(age, (span.start, span.end))
    return found


_NAME_PART = re.compile(r"[^\W\d_]{3,}")


def find_identifier(identifier: Identifier, text: str) -> tuple[int, int] | None:
    """Return the position of a plain value in a text, or `None`; also under NFKC.

    `privacy.occurrences.value_pattern` defines an occurrence; a person's first and last name also
    occur where they are one word ("adanovak", "novak_ada"). The position of a spelling that only
    NFKC reveals is the whole text.
    """
    if identifier.entity_type is EntityType.PERSON and (
        one := _as_one_word(identifier.value, text)
    ):
        return one.span()
    expression = value_pattern(identifier.value, identifier.entity_type)
    if expression is None:
        return None
    if match := re.search(expression, text):
        return match.span()
    value, plain = (unicodedata.normalize("NFKC", t) for t in (identifier.value, text))
    revealed = value_pattern(value, identifier.entity_type)
    found = revealed is not None and re.search(revealed, plain) is not None
    if not found and not identifier.value.isalpha():  # without case, a name could match any word
        folded = re.escape(normalize(value))
        found = re.search(rf"(?<!\w){folded}(?!\w)", normalize(plain)) is not None
    return (0, len(text)) if found else None


def _as_one_word(name: str, text: str) -> re.Match[str] | None:
    """Return a word of a text that consists of a person's first and last name, in any case."""
    parts = _NAME_PART.findall(name)
    if len(parts) < 2:
        return None
    first, last = parts[0], parts[-1]
    expression = rf"(?<![^\W\d_])(?:{first}[._-]?{last}|{last}[._-]?{first})(?![^\W\d_])"
    return re.search(expression, text, re.IGNORECASE)
