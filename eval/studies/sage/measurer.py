"""Measure one index: leakage, utility of answers, and whether records are found again."""

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
from sage_rag.eval.linkage import HeldRecords, PublishedText, exposures
from sage_rag.eval.originals import Originals
from sage_rag.eval.ratio import Ratio
from sage_rag.eval.report import AttackReport
from sage_rag.eval.studies.answering import EdgeReader
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.sage.results import (
    AnswerScores,
    IndexComparison,
    IndexMeasurement,
    WordingLikeness,
)
from sage_rag.eval.studies.sage.tables import ANSWERING_K
from sage_rag.eval.studies.study_home import IndexedVariant, StudyHome
from sage_rag.eval.targets.version import VersionTarget
from sage_rag.eval.utility import agreement, bleu_1, strip_citations
from sage_rag.privacy.gate.leakage import Comparison, Original
from sage_rag.privacy.tokens import readable_view

TOP_KS = (1, 2, 5, 10)
"""Passages retrieved. Source: Zeng et al. (2024), arXiv 2406.14773, §4.1 (1) and Figure 5."""


@dataclass(frozen=True, slots=True)
class _Scores:
    """One value per question, for one number of passages."""

    rouge_l: tuple[float, ...]
    bleu_1: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Retrieval:
    """Scores by k, sources per question, and whether each known item was found first."""

    scores: dict[int, _Scores] = field(repr=False)
    sources: tuple[tuple[str, ...], ...] = field(repr=False)
    known: tuple[bool, ...] = field(repr=False)


class Measurer:
    """Measures indexes of one corpus; the first one is the reference for the others."""

    def __init__(self, home: StudyHome, corpus: Corpus) -> None:
        self.corpus = corpus
        self._embedder = home.embedder
        self._reader = EdgeReader(home.keyset, home.recognizer, home.embedder)
        self._reference: _Retrieval | None = None
        self._texts = {document.id: document.text for document in corpus.documents}
        self.originals = Originals.of(self._texts.items())
        # Every index receives these prompts one by one; embedding them together costs less.
        self._embedder.embed([readable_view(probe.prompt) for probe in corpus.probes])

    def measure(self, indexed: IndexedVariant, top_ks: Sequence[int] = TOP_KS) -> IndexMeasurement:
        """Attack and query one index."""
        asked = self._ask(indexed.path, top_ks)
        self._reference = self._reference or asked
        summary = indexed.summary
        published = self._reader.passages(indexed.path)
        return IndexMeasurement(
            name=indexed.name,
            documents=summary.documents,
            published=summary.published,
            quarantined=summary.quarantined,
            reasons=summary.reasons,
            rounds=indexed.rounds,
            attacks=self._attack_reports(indexed.path, top_ks),
            answers=tuple(self._answer_scores(k, asked) for k in asked.scores),
            agreement=agreement(self._reference.sources, asked.sources, ANSWERING_K),
            known_items=Proportion.of(sum(asked.known), len(asked.known)),
            known_ratio=Ratio.of(asked.known, self._reference.known),
            wording=WordingLikeness.of([self._compare(passage) for passage in published]),
            kept=dict(summary.kept),
            exposures=exposures(published, self._held(published), self._embedder),
        )

    def _held(self, published: Sequence[PublishedText]) -> HeldRecords:
        """Return the attacker's records; membership is asked of those with a passage."""
        members = list(dict.fromkeys(source for p in published for source in p.sources))
        others = {document.id: document.text for document in self.corpus.held_out}
        return HeldRecords(self._texts, others, members)

    def _compare(self, passage: PublishedText) -> Comparison:
        (source,) = passage.sources
        return Original(self._texts[source]).compare(passage.text)

    def comparison(self, rows: Sequence[IndexMeasurement]) -> IndexComparison:
        """Return the rows with the size of corpus, questions and prompts."""
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

    def leaked_originals(self, texts: Sequence[str]) -> tuple[int, int]:
        """Return how many originals share a run with these texts, and how many are similar."""
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
        compat = compat_detectors(self.originals, contacts)
        judges += [judge for judge in compat if judge.name == "rouge-compat"]
        return Attack(self.corpus.probes, judges, originals=len(self.originals))

    def _attack_reports(self, path: Path, top_ks: Sequence[int]) -> tuple[AttackReport, ...]:
        """Attack at every k. Only the first report has the whole index, equal for each k."""
        reports: list[AttackReport] = []
        for top_k in top_ks:
            with closing(VersionTarget(path, self._embedder, top_k)) as target:
                report = self._attack.run(target, top_k=top_k)
            reports.append(_shortened(report, whole=not reports))
        return tuple(reports)

    def _ask(self, path: Path, top_ks: Sequence[int]) -> _Retrieval:
        """Query one index; a corpus without questions is queried for its known items instead."""
        corpus = self.corpus
        wanted = [record for record, _ in corpus.known_items]
        halves = [text for _, text in corpus.known_items]
        led = self._reader.answer(path, halves, ANSWERING_K).sources
        known = tuple(found[:1] == (record,) for record, found in zip(wanted, led, strict=True))
        if not corpus.questions:
            return _Retrieval({}, led, known)
        answers = {
            k: self._reader.answer(path, corpus.questions, k)
            for k in sorted({*top_ks, ANSWERING_K})
        }
        scores = {k: self._scores(found.texts) for k, found in answers.items()}
        return _Retrieval(scores, answers[ANSWERING_K].sources, known)

    def _scores(self, texts: Sequence[str]) -> _Scores:
        """Score answers against the nearest of the true answers."""
        plain = [strip_citations(text) for text in texts]
        pairs = list(zip(plain, self.corpus.references, strict=True))
        return _Scores(
            tuple(max(Original(true).rouge_l(text) for true in all_) for text, all_ in pairs),
            tuple(max(bleu_1(text, true) for true in all_) for text, all_ in pairs),
        )

    def _answer_scores(self, top_k: int, asked: _Retrieval) -> AnswerScores:
        own = asked.scores[top_k]
        reference = (self._reference or asked).scores.get(top_k, own)
        return AnswerScores(
            top_k=top_k,
            rouge_l=round(sum(own.rouge_l) / len(own.rouge_l), 5),
            bleu_1=round(sum(own.bleu_1) / len(own.bleu_1), 5),
            rouge_ratio=Ratio.of(own.rouge_l, reference.rouge_l),
            bleu_ratio=Ratio.of(own.bleu_1, reference.bleu_1),
        )


def _shortened(report: AttackReport, *, whole: bool) -> AttackReport:
    """Leave out the ids of leaking probes: a hundred thousand ids that no reader needs."""
    groups = []
    for group in report.groups:
        if whole or group.name != WHOLE_INDEX:
            measures = tuple(m.model_copy(update={"probes": ()}) for m in group.measures)
            groups.append(group.model_copy(update={"measures": measures}))
    return report.model_copy(update={"groups": tuple(groups)})
