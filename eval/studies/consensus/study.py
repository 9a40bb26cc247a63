"""Measure recipe `consensus`: membership, linkage, utility, wording, canaries, and speed.

    --data FOLDER --home /tmp/study [--part healthcaremagic]

FOLDER holds the data sets under the names in `eval/studies/consensus/splits.py`. `--part` runs one
part; the page takes the others from `consensus.json` in the home folder, which also keeps indexes,
spans and vectors for later runs. The plot is written next to the page.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sage_rag.common.exceptions import ProtectionError
from sage_rag.eval.studies.consensus.canaries import PLANTED_IN, canaries, plant, published
from sage_rag.eval.studies.consensus.growth import SIZES, grown
from sage_rag.eval.studies.consensus.indexes import SplitIndexes
from sage_rag.eval.studies.consensus.measurer import MeasuredIndex, Measurer
from sage_rag.eval.studies.consensus.page import curve_plot, markdown
from sage_rag.eval.studies.consensus.results import (
    CanaryFigures,
    ConsensusStudy,
    CorpusFigures,
    IndexFigures,
    StudyPart,
)
from sage_rag.eval.studies.consensus.splits import corpus_of, split_corpus
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.parts import Figures, add_part_options, measured_part, run_parts
from sage_rag.eval.studies.runner import StudyResult, StudyRun, report
from sage_rag.eval.studies.sage.indexing_cost import OwnerCommands
from sage_rag.eval.studies.stored_figures import store, stored
from sage_rag.eval.studies.study_home import StudyHome
from sage_rag.indexer.consensus.options import ConsensusOptions

MAIN = "healthcaremagic"
KS = (2, 3, 5, 10)
BY_RECORD = ("origin", "encrypted", "sage")
TOPIC_RECORDS = (5, 8, 16)
LARGE, COMPARED = "chatdoctor", 1300
"""A large corpus, and its first records, on which it is compared with the recipes by record: `sage`
takes minutes for a thousand records."""
SEEDS = (1, 2)
"""Further splits; the tables of recipes have seed 0."""
_DEFAULT = ConsensusOptions()


@dataclass(frozen=True)
class StudyInputs:
    """The inputs of every part: the data, the share of it to use, and the home of the study."""

    data: Path
    share: float
    home: StudyHome

    def split(self, name: str, seed: int = 0, most: int | None = None) -> Corpus:
        """Split the first `most` records of a corpus, or a share of them."""
        return split_corpus(name, self.data, self.home.home, seed, most, self.share)

    def measure(
        self,
        name: str,
        recipes: Iterable[str],
        choices: Iterable[ConsensusOptions],
        seed: int = 0,
        most: int | None = None,
    ) -> CorpusFigures:
        """Publish and measure each recipe and each choice of options."""
        corpus = self.split(name, seed, most)
        measurer, indexes = Measurer(self.home, corpus), SplitIndexes(self.home, corpus)
        rows: list[IndexFigures] = []
        unpublished: list[str] = []
        for recipe in recipes:
            rows.append(_measured(measurer, indexes.by_record(recipe)))
        for options in choices:
            try:
                rows.append(_measured(measurer, indexes.consensus(options)))
            except ProtectionError:  # the passages would represent next to no record
                unpublished.append(f"k = {options.k}, {options.topic_records} records a topic")
        return CorpusFigures(
            corpus=name,
            seed=seed,
            indexed=len(corpus.documents),
            others=measurer.others,
            questions=measurer.questions,
            rows=tuple(rows),
            unpublished=tuple(unpublished),
        )


def _measured(measurer: Measurer, index: MeasuredIndex) -> IndexFigures:
    report(f"{measurer.corpus.name} {index.name}: measuring")
    # Copies of the records need no comparison with the records.
    return measurer.measure(index, wording=index.name not in ("origin", "encrypted"))


def _corpus(name: str, most: int | None = None) -> Callable[[StudyInputs], Figures]:
    """Return the part that measures all recipes side by side on a corpus, or its first records."""
    choices = [replace(_DEFAULT, k=k) for k in KS]
    return lambda inputs: {"splits": (inputs.measure(name, BY_RECORD, choices, most=most),)}


def _large(inputs: StudyInputs) -> Figures:
    return {"splits": (inputs.measure(LARGE, ["origin"], [_DEFAULT]),)}


def _seeds(inputs: StudyInputs) -> Figures:
    return {"splits": tuple(inputs.measure(MAIN, ["origin"], [_DEFAULT], s) for s in SEEDS)}


def _curve(inputs: StudyInputs) -> Figures:
    choices = [replace(_DEFAULT, k=k, topic_records=size) for k in KS for size in TOPIC_RECORDS]
    return {"splits": (inputs.measure(MAIN, ["origin"], choices),)}


def _canaries(inputs: StudyInputs) -> Figures:
    corpus, facts = inputs.split(MAIN), canaries()
    records = [{"id": document.id, **document.fields} for document in corpus.documents]
    found = []
    for subjects in PLANTED_IN:
        planted = plant(records, facts, subjects, inputs.home.embedder, corpus.fields[0])
        name = f"{corpus.name}-canaries-{subjects}"
        marked = corpus_of(name, planted, [], corpus.fields, inputs.home.home)
        texts = [p.text for p in SplitIndexes(inputs.home, marked).consensus(_DEFAULT).passages]
        found.append(CanaryFigures(subjects=subjects, published=published(facts, texts)))
    return {"canaries": tuple(found), "canary_k": _DEFAULT.k}


def _cost(inputs: StudyInputs) -> Figures:
    """Index with the command, as a user does, without the caches of other parts."""
    corpus = inputs.split(MAIN)
    owner = OwnerCommands(inputs.home.home / f"cost-{time.time_ns()}")
    runs = []
    for recipe in ("sage", "consensus"):
        report(f"{corpus.name} {recipe}: `sage-rag index`")
        runs.append(owner.index(corpus.path, recipe, recipe, corpus.fields))
    return {"indexing": tuple(runs)}


def _growth(inputs: StudyInputs) -> Figures:
    folder = inputs.home.home / f"growth-{time.time_ns()}"
    return {"growth": tuple(grown(max(50, round(inputs.share * n)), folder) for n in SIZES)}


PARTS: Mapping[str, Callable[[StudyInputs], Figures]] = {
    "cost": _cost,  # first: the peak memory of a child includes its parent's
    MAIN: _corpus(MAIN),
    LARGE: _large,
    f"{LARGE}-{COMPARED}": _corpus(LARGE, COMPARED),
    "tab": _corpus("tab"),
    "seeds": _seeds,
    "curve": _curve,
    "canaries": _canaries,
    "growth": _growth,
}


def add_options(parser: ArgumentParser) -> None:
    """Add data and parts."""
    add_part_options(parser, PARTS)


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Run the chosen parts; each is saved when it is complete."""
    saved = run.home / "consensus.json"
    study = stored(ConsensusStudy, saved) or ConsensusStudy()
    inputs = StudyInputs(options.data, options.share, StudyHome(run.home))
    measure = partial(run_part, inputs=inputs, run=run)
    for parts in run_parts(options.part or PARTS, study.parts, PARTS, measure):
        study = ConsensusStudy(parts=parts)
        store(study, saved)
    plot = options.out.with_suffix(".svg")
    if "curve" in study.parts:
        plot.parent.mkdir(parents=True, exist_ok=True)
        plot.write_text(curve_plot(study.parts["curve"]), "utf-8")
    return StudyResult(markdown(study, plot.name))


def run_part(name: str, inputs: StudyInputs, run: StudyRun) -> StudyPart:
    """Run one part."""
    return measured_part(StudyPart, lambda: PARTS[name](inputs), run)
