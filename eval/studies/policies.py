"""Measure what each policy replaces, by class of value.

    --gold tab=tab.jsonl --gold presidio=clinical_names.jsonl [--text qa.jsonl#question]

Gold files are those of study `recognition`. `--text` names a file without marks and its field, of
which the share of changed letters and digits is counted.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sage_rag.common.jsonl import rows
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.recognition import (
    covered_entities,
    gold_argument,
    gold_of,
    gold_rows,
)
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.tables import table
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import preset, preset_names
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.scores import GoldEntity, GoldText, entities_of
from sage_rag.privacy.spans import Span

_ABOUT = """\
An entity (a person, a date, an employer) is *replaced* if every letter and digit of all its
mentions in a text, except titles ("Mr"), lies in a value that the policy encrypts, removes,
exchanges or makes coarser. A value that is as coarse as the policy requires ("1999" where years
stay) is not replaced. Only entities that the annotators call DIRECT or QUASI count, where they
state it. Presets differ here only in what they do with what the default recognizer finds; what it
misses stays under all. Two dates that are marked as one (`18 May and 3 December 2001`) count as
missed, though both are replaced, since the "and" stays."""
_NOT_PRIVATE = "NO_MASK"


class RememberedSpans:
    """Another recognizer's spans, found once per text: every policy reads the same texts."""

    def __init__(self, inner: Recognizer) -> None:
        self._inner = inner
        self._found: dict[str, Sequence[Span]] = {}

    @property
    def fingerprint(self) -> str:
        """The inner recognizer's."""
        return self._inner.fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of a text."""
        if text not in self._found:
            self._found[text] = self._inner.recognize(text)
        return self._found[text]


def replaced(golds: Iterable[GoldText], protector: Protector) -> dict[str, Proportion]:
    """Return the share of replaced entities by risk and by label."""
    entities = [e for gold in golds for e in entities_of(gold, protector.changes(gold.text))]
    entities = [entity for entity in entities if entity.risk != _NOT_PRIVATE]
    by_risk = covered_entities(entities, lambda entity: entity.risk)
    return {**by_risk, **covered_entities(entities, _label)}


def _label(entity: GoldEntity) -> str:
    return entity.label


def changed(texts: Iterable[str], protector: Protector) -> Proportion:
    """Return the share of letters and digits that a policy changes."""
    hidden = total = 0
    for text in texts:
        total += sum(map(str.isalnum, text))
        hidden += sum(sum(map(str.isalnum, text[s.start : s.end])) for s in protector.changes(text))
    return Proportion.of(hidden, total)


def add_options(parser: ArgumentParser) -> None:
    """Add the gold files and the texts without marks."""
    parser.add_argument(
        "--gold", action="append", required=True, help="SCHEME=PATH, a jsonl with `text`, `spans`"
    )
    parser.add_argument("--text", action="append", default=[], help="PATH#FIELD, a jsonl")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Measure every preset on the gold files and on the texts."""
    protectors = _protectors()
    blocks, figures = [], {}
    for scheme, path in map(gold_argument, options.gold):
        golds = [gold_of(row, scheme) for row in gold_rows(path)]
        found = {name: replaced(golds, one) for name, one in protectors.items()}
        title = f"## {path.parent.name}/{path.name}: replaced entities"
        blocks += [title, _in_brief(found), "With intervals:", _by_class(found)]
        figures[path.name] = found
        report(f"{path} done")
    if options.text:
        blocks += ["## Changed letters and digits of texts", _by_file(options.text, protectors)]
    return StudyResult(page("What the policies replace", _ABOUT, run, *blocks), figures)


def _protectors() -> dict[str, Protector]:
    keyset, recognizer = Keyset.generate(), RememberedSpans(default_recognizer())
    cipher, surrogates = default_cipher(keyset, "study"), Surrogates(keyset, "study")
    return {
        name: Protector(recognizer, preset(name), cipher, surrogates) for name in preset_names()
    }


def _in_brief(found: Mapping[str, Mapping[str, Proportion]]) -> str:
    classes = list(dict.fromkeys(name for shares in found.values() for name in shares))
    lines = (
        [f"`{name}`", *(f"{shares[c].successes} of {shares[c].trials}" for c in classes)]
        for name, shares in found.items()
    )
    return table(["preset", *classes], lines)


def _by_class(found: Mapping[str, Mapping[str, Proportion]]) -> str:
    classes = dict.fromkeys(name for shares in found.values() for name in shares)
    lines = ([name, *(shares[name] for shares in found.values())] for name in classes)
    return table(["class", *(f"`{name}`" for name in found)], lines)


def _by_file(arguments: Iterable[str], protectors: Mapping[str, Protector]) -> str:
    lines = []
    for argument in arguments:
        file, _, name = argument.partition("#")
        texts = [str(row[name]) for row in rows(Path(file))]
        shares = (changed(texts, protector) for protector in protectors.values())
        lines.append([f"`{Path(file).parent.name}/{Path(file).name}`, {name}", *shares])
    return table(["texts", *(f"`{name}`" for name in protectors)], lines)
