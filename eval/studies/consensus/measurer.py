"""Measure one index of a split corpus: exposure, utility and wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean

import numpy as np

from sage_rag.common.proportions import Proportion
from sage_rag.eval.detectors.rouge import RougeDetector
from sage_rag.eval.detectors.runs import SharedRunFinder
from sage_rag.eval.linkage import HeldRecords, PublishedText, exposures
from sage_rag.eval.membership import Membership
from sage_rag.eval.originals import Originals
from sage_rag.eval.probes.probe import Probe, ProbeKind
from sage_rag.eval.rare_runs import rare_runs
from sage_rag.eval.ratio import Ratio
from sage_rag.eval.stated_clauses import unstated_clauses
from sage_rag.eval.studies.answering import EdgeReader
from sage_rag.eval.studies.consensus.results import (
    AnswerUtility,
    IndexFigures,
    Wording,
    worst_of,
)
from sage_rag.eval.studies.consensus.splits import subject_of
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.study_home import StudyHome
from sage_rag.eval.utility import ContentWeights, bleu_1, strip_citations, without_courtesies
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.privacy.gate.leakage import Original
from sage_rag.rag_server.answering.wording import denies

_DEFAULT_K = ConsensusOptions().k
"""The k by which runs of other recipes are called rare."""
TOP_K = 5
"""Passages that a server retrieves by default."""
_SHIFTS = 5
"""Other questions whose true answers an answer is compared with."""
_NO_PROBE = Probe("whole-index", ProbeKind.UNTARGETED, "")

_Scores = Mapping[str, Sequence[float]]
"""Per measure, one score per question."""


@dataclass(frozen=True, slots=True)
class MeasuredIndex:
    """A published index and what its owner knows of it. `k`: `None` but for recipe `consensus`."""

    name: str
    path: Path
    passages: Sequence[PublishedText] = field(repr=False)
    refused: Mapping[str, int]
    k: int | None = None
    topic_records: int | None = None


class Measurer:
    """Measures indexes of one split; the first one with answers is the reference of the others."""

    def __init__(self, home: StudyHome, corpus: Corpus) -> None:
        self.corpus = corpus
        self.reader = EdgeReader(home.keyset, home.recognizer, home.embedder)
        self._embedder = home.embedder
        self._texts = {document.id: document.text for document in corpus.documents}
        others = {document.id: document.text for document in corpus.held_out}
        self._held = HeldRecords(self._texts, others, subject=subject_of)
        self._subjects = [subject_of(document.id) for document in corpus.documents]
        self._weights = ContentWeights.of(self._texts.values())
        asked = zip(corpus.questions, corpus.references, strict=True)
        cleaned = [(question, without_courtesies(true)) for question, (true,) in asked]
        self._asked = [(question, true) for question, true in cleaned if true]
        self._true = [true for _, true in self._asked]
        self._reference: _Scores = {}

    def measure(self, index: MeasuredIndex, *, wording: bool) -> IndexFigures:
        """Measure an index; `wording` costs most, and says nothing of copies of the records."""
        texts = [passage.text for passage in index.passages]
        sources = {source for passage in index.passages for source in passage.sources}
        return IndexFigures(
            name=index.name,
            k=index.k,
            topic_records=index.topic_records,
            records=len(self._texts),
            subjects=len(set(self._subjects)),
            passages=len(texts),
            represented=len(sources),
            refused=dict(index.refused),
            words=round(fmean(len(text.split()) for text in texts), 1),
            exposures=exposures(index.passages, self._held, self._embedder),
            exposed=self._exposed(index.passages, sources),
            utility=self._utility(index.path) if self._asked else None,
            wording=self._wording(texts, index.k) if wording else None,
        )

    def _exposed(self, passages: Sequence[PublishedText], sources: Set[str]) -> Membership:
        held = replace(self._held, members=sources)
        return worst_of(exposures(passages, held, self._embedder))

    @property
    def questions(self) -> int:
        """The number of questions whose true answer has content."""
        return len(self._asked)

    @property
    def others(self) -> int:
        """The number of subjects that are not indexed."""
        return len({subject_of(document.id) for document in self.corpus.held_out})

    def _utility(self, path: Path) -> AnswerUtility:
        found = self.reader.answer(path, [question for question, _ in self._asked], TOP_K).texts
        refused = sum(map(denies, found))
        answers = ["" if denies(t) else _plain(t) for t in found]
        scores = self._scores(answers)
        self._reference = self._reference or scores
        return AnswerUtility(
            questions=len(answers),
            refused=Proportion.of(refused, len(answers)),
            **{name: round(fmean(values), 5) for name, values in scores.items()},
            ratios={name: Ratio.of(scores[name], self._reference[name]) for name in scores},
            unrelated=self._unrelated(answers),
        )

    def _unrelated(self, answers: Sequence[str]) -> dict[str, float]:
        """Return the means of content F1 and cosine with the true answers of other questions."""
        found = []
        for shift in range(1, _SHIFTS + 1):
            others = self._true[shift:] + self._true[:shift]
            scores = self._content(answers, others)
            found.append({name: fmean(values) for name, values in scores.items()})
        return {name: round(fmean(each[name] for each in found), 5) for name in found[0]}

    def _scores(self, answers: Sequence[str]) -> _Scores:
        pairs = list(zip(answers, self._true, strict=True))
        return {
            **self._content(answers, self._true),
            "rouge_l": [Original(reference).rouge_l(answer) for answer, reference in pairs],
            "bleu_1": [bleu_1(answer, reference) for answer, reference in pairs],
        }

    def _content(self, answers: Sequence[str], true: Sequence[str]) -> _Scores:
        pairs = list(zip(answers, true, strict=True))
        vectors = self._embedder.embed(answers), self._embedder.embed(true)
        cosines = np.einsum("nd,nd->n", *vectors)
        return {
            "content_f1": [self._weights.f1(answer, reference) for answer, reference in pairs],
            "cosine": [float(c) if a else 0.0 for a, c in zip(answers, cosines, strict=True)],
        }

    def _wording(self, texts: Sequence[str], k: int | None) -> Wording:
        finder, rouge = self._detectors
        repeated = sum(bool(finder.runs(text)) for text in texts)
        similar = sum(any(True for _ in rouge.detect(text, _NO_PROBE)) for text in texts)
        originals = list(self._texts.values())
        return Wording(
            repeated=Proportion.of(repeated, len(texts)),
            similar=Proportion.of(similar, len(texts)),
            rare=rare_runs(texts, originals, self._subjects, k or _DEFAULT_K),
            unstated=unstated_clauses(texts, originals, self._subjects, k) if k else None,
        )

    @cached_property
    def _detectors(self) -> tuple[SharedRunFinder, RougeDetector]:
        originals = Originals.of(self._texts.items())
        return SharedRunFinder(originals), RougeDetector(originals)


def _plain(answer: str) -> str:
    return without_courtesies(strip_citations(answer))
