"""Measure one index: what it leaks, what its answers are worth, whether records are found again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sage_rag.common.proportions import Proportion
from sage_rag.eval.attack import WHOLE_INDEX, Attack
from sage_rag.eval.detectors.rouge import RougeDetector
from sage_rag.eval.detectors.runs import SharedRunFinder
from sage_rag.eval.detectors.suite import compat_detectors, contact_recognizer, detectors
from sage_rag.eval.originals import Originals
from sage_rag.eval.report import AttackReport
from sage_rag.eval.studies.answering import Reader
from sage_rag.eval.studies.bench import IndexedVariant, StudyHome
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.results import Answering, IndexComparison, IndexMeasurement, Ratio
from sage_rag.eval.targets.version import VersionTarget
from sage_rag.eval.utility import agreement, bleu_1, strip_citations
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.tokens import readable_view

TOP_KS = (1, 2, 5, 10)
"""Passages retrieved. Source: Zeng et al. (2024), arXiv 2406.14773, §4.1 (1) and Figure 5."""
ANSWERING_K = 5
"""What a server retrieves by default."""


@dataclass(frozen=True, slots=True)
class _Scores:
    """One value per question, from so many passages."""

    rouge_l: tuple[float, ...]
    bleu_1: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What asking one index gave: scores by k, sources per question, whether known items led."""

    scores: dict[int, _Scores] = field(repr=False)
    sources: tuple[tuple[str, ...], ...] = field(repr=False)
    known: tuple[bool, ...] = field(repr=False)


class Measurer:
    """Measures indexes of one corpus. The first one measured is what others are compared to."""

    def __init__(self, bench: StudyHome, corpus: Corpus) -> None:
        self.corpus = corpus
        self._embedder = bench.embedder
        self._reader = Reader(bench.keyset, bench.recognizer, bench.embedder)
        self._reference: _Asked | None = None
        self.originals = Originals.of((d.id, d.text) for d in corpus.documents)
        # Prompts are asked of every index, one by one; embedded together they cost less.
        self._embedder.embed([readable_view(probe.prompt) for probe in corpus.probes])

    def measure(self, indexed: IndexedVariant, top_ks: Sequence[int] = TOP_KS) -> IndexMeasurement:
        """Attack and question one index."""
        asked = self._ask(indexed.path, top_ks)
        self._reference = self._reference or asked
        summary = indexed.summary
        return IndexMeasurement(
            name=indexed.name,
            documents=summary.documents,
            published=summary.published,
            quarantined=summary.quarantined,
            reasons=summary.reasons,
            rounds=indexed.rounds,
            attacks=self._attacked(indexed.path, top_ks),
            answers=tuple(self._answering(k, asked) for k in asked.scores),
            agreement=agreement(self._reference.sources, asked.sources, ANSWERING_K),
            known_items=Proportion.of(sum(asked.known), len(asked.known)),
            known_ratio=Ratio.of(asked.known, self._reference.known),
        )

    def compared(self, rows: Sequence[IndexMeasurement]) -> IndexComparison:
        """Return the rows with what they were measured on."""
        corpus = self.corpus
        return IndexComparison(
            corpus=corpus.name,
            documents=len(corpus.documents),
            questions=len(corpus.questions),
            known_items=len(corpus.known_items),
            marked=len(corpus.marked),
            prompts={
                kind: sum(probe.kind == kind for probe in corpus.probes)
                for kind in ("targeted", "untargeted")
            },
            rows=tuple(rows),
        )

    def shown(self, texts: Sequence[str]) -> tuple[int, int]:
        """Return how many originals texts repeat a run of, and to how many they are similar."""
        finder, rouge = self._wording
        repeated = {original for text in texts for original in finder.runs(text)}
        probe = self.corpus.probes[0]
        similar = {leak.piece for text in texts for leak in rouge.detect(text, probe)}
        return len(repeated), len(similar)

    @cached_property
    def _wording(self) -> tuple[SharedRunFinder, RougeDetector]:
        return SharedRunFinder(self.originals), RougeDetector(self.originals)

    @cached_property
    def _attack(self) -> Attack:
        contacts = contact_recognizer()
        judges = detectors(self.originals, contacts, self.corpus.marked or None)
        closer = compat_detectors(self.originals, contacts)
        judges += [judge for judge in closer if judge.name == "rouge-compat"]
        return Attack(self.corpus.probes, judges, originals=len(self.originals))

    def _attacked(self, path: Path, top_ks: Sequence[int]) -> tuple[AttackReport, ...]:
        """Attack at every k. What the whole index shows is the same at each: the first has it."""
        reports: list[AttackReport] = []
        for top_k in top_ks:
            with closing(VersionTarget(path, self._embedder, top_k)) as target:
                report = self._attack.run(target, top_k=top_k)
            reports.append(_shortened(report, whole=not reports))
        return tuple(reports)

    def _ask(self, path: Path, top_ks: Sequence[int]) -> _Asked:
        """Ask one index. A corpus without questions is asked for its known items instead."""
        corpus = self.corpus
        wanted = [record for record, _ in corpus.known_items]
        halves = [text for _, text in corpus.known_items]
        led = self._reader.answer(path, halves, ANSWERING_K).sources
        known = tuple(found[:1] == (record,) for record, found in zip(wanted, led, strict=True))
        if not corpus.questions:
            return _Asked({}, led, known)
        answers = {
            k: self._reader.answer(path, corpus.questions, k)
            for k in sorted({*top_ks, ANSWERING_K})
        }
        scores = {k: self._scores(found.texts) for k, found in answers.items()}
        return _Asked(scores, answers[ANSWERING_K].sources, known)

    def _scores(self, texts: Sequence[str]) -> _Scores:
        """Compare answers with the nearest of the true ones."""
        plain = [strip_citations(text) for text in texts]
        pairs = list(zip(plain, self.corpus.references, strict=True))
        return _Scores(
            tuple(max(Original(true).rouge_l(text).f1 for true in all_) for text, all_ in pairs),
            tuple(max(bleu_1(text, true) for true in all_) for text, all_ in pairs),
        )

    def _answering(self, top_k: int, asked: _Asked) -> Answering:
        own = asked.scores[top_k]
        reference = (self._reference or asked).scores.get(top_k, own)
        return Answering(
            top_k=top_k,
            rouge_l=round(sum(own.rouge_l) / len(own.rouge_l), 5),
            bleu_1=round(sum(own.bleu_1) / len(own.bleu_1), 5),
            rouge_ratio=Ratio.of(own.rouge_l, reference.rouge_l),
            bleu_ratio=Ratio.of(own.bleu_1, reference.bleu_1),
        )


def _shortened(report: AttackReport, *, whole: bool) -> AttackReport:
    """Leave out which probes leaked, which are a hundred thousand ids that no reader looks for."""
    groups = []
    for group in report.groups:
        if whole or group.name != WHOLE_INDEX:
            measures = tuple(m.model_copy(update={"probes": ()}) for m in group.measures)
            groups.append(group.model_copy(update={"measures": measures}))
    return report.model_copy(update={"groups": tuple(groups)})
