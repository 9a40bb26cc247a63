"""Measure SAGE: leakage, utility and cost, by recipe, stage and choice.

    --data FOLDER --home /tmp/study [--part rounds]

FOLDER holds the data sets under the names in `eval/studies/corpora.py`. `--part` runs one part; the
page takes the others from `sage.json` in the home folder, which also keeps indexes, spans and
vectors for later runs.

Source: Zeng et al. (2024), arXiv 2406.14773, §4, A.5, A.6. Differs: answers are extractive, no
model is between attacker and passages, and the corpora are smaller.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sage_rag.agents.baselines import NEED_A_MODEL
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.options import chat_model
from sage_rag.eval.studies.corpora import CORPORA, Corpus, load_corpus
from sage_rag.eval.studies.parts import Figures, add_part_options, measured_part, run_parts
from sage_rag.eval.studies.runner import StudyResult, StudyRun, report
from sage_rag.eval.studies.sage.call_savings import measure_calls
from sage_rag.eval.studies.sage.drafts import measure_drafts
from sage_rag.eval.studies.sage.indexing_cost import OwnerCommands
from sage_rag.eval.studies.sage.measurer import Measurer
from sage_rag.eval.studies.sage.page import markdown
from sage_rag.eval.studies.sage.results import IndexMeasurement, SageStudy, StudyPart
from sage_rag.eval.studies.sage.tables import ANSWERING_K
from sage_rag.eval.studies.stored_figures import store, stored
from sage_rag.eval.studies.study_home import STAGE_1, StudyHome, Variant
from sage_rag.indexer.corpus_file import model_options
from sage_rag.indexer.recipes import RECIPES

MAIN = "healthcaremagic"
"""The paper's chat corpus, on which recipes and choices are compared."""
ROUNDS = range(6)
PER_FIELD = (1, 3, 5)
"""Attributes per field: m = 2, 6 and 10 of a dialogue. Rules know five, the default."""
CALLS_SHARE = 0.2
"""Share of the corpus for the scripted model: 100 records."""
_ORIGIN, _ENCRYPTED, _SAGE = (Variant(RECIPES[name]) for name in ("origin", "encrypted", "sage"))
_STAGE_1 = Variant(STAGE_1)


@dataclass(frozen=True)
class StudyInputs:
    """The inputs of every part: the data, the share of it to use, and the home of the study."""

    data: Path
    share: float
    home: StudyHome

    def corpus(self, name: str, share: float = 1.0) -> Corpus:
        """Read a corpus, or a share of it."""
        return load_corpus(name, self.data, self.home.home, share * self.share)

    def measure(
        self, measurer: Measurer, variants: Iterable[Variant], **choice: Any
    ) -> list[IndexMeasurement]:
        """Index and measure each variant, `origin` before the others."""
        rows = []
        for variant in (_ORIGIN, *variants):
            indexed = self.home.index(measurer.corpus, variant)
            report(f"{measurer.corpus.name} {variant.name}: measuring")
            rows.append(measurer.measure(indexed, **choice))
        return rows


def _recipes(inputs: StudyInputs) -> Figures:
    measurer = Measurer(inputs.home, inputs.corpus(MAIN))
    offered = _of_records() if inputs.home.model else _by_rules()
    named = [name for name in offered if not RECIPES[name].of_subjects]  # study `consensus`
    others = [Variant(RECIPES[name]) for name in named if name not in ("origin", "sage")]
    rows = inputs.measure(measurer, [*others, _STAGE_1, _SAGE])
    return {"compared": (measurer.comparison(rows),)}


def _of_records() -> list[str]:
    """Return the recipes for a corpus of records; study `controlled` has the one for others."""
    return [name for name, recipe in RECIPES.items() if not recipe.of_generated]


def _by_rules() -> list[str]:
    return [name for name in _of_records() if RECIPES[name].method not in NEED_A_MODEL]


def _corpora(inputs: StudyInputs) -> Figures:
    compared = []
    for name in CORPORA:
        if name != MAIN:
            measurer = Measurer(inputs.home, inputs.corpus(name))
            variants = [_ENCRYPTED, _STAGE_1, _SAGE]  # with the cost of encryption alone
            compared.append(measurer.comparison(inputs.measure(measurer, variants)))
    return {"compared": tuple(compared)}


def _attributes(inputs: StudyInputs) -> Figures:
    measurer = Measurer(inputs.home, inputs.corpus(MAIN))
    variants = [Variant(v.recipe, m) for m in PER_FIELD for v in (_STAGE_1, _SAGE)]
    rows = inputs.measure(measurer, variants, top_ks=(ANSWERING_K,))
    return {"compared": (measurer.comparison(rows),)}


def _rounds(inputs: StudyInputs) -> Figures:
    measurer = Measurer(inputs.home, inputs.corpus(MAIN))
    variants = [Variant(_SAGE.recipe, max_rounds=most) for most in ROUNDS]
    rows = inputs.measure(measurer, variants, top_ks=(ANSWERING_K,))
    drafts = measure_drafts(inputs.home, measurer, ROUNDS)
    return {"compared": (measurer.comparison(rows),), "drafts": tuple(drafts)}


def _calls(inputs: StudyInputs) -> Figures:
    corpus = inputs.corpus(MAIN, CALLS_SHARE)
    return {"calls": tuple(measure_calls(inputs.home, corpus))}


def _cost(inputs: StudyInputs) -> Figures:
    """Index with the command, as a user does, without the caches of other parts."""
    corpus = inputs.corpus(MAIN)
    owner = OwnerCommands(inputs.home.home / f"cost-{time.time_ns()}")
    runs = []
    for recipe in _by_rules():
        report(f"{corpus.name} {recipe}: `sage-rag index`")
        runs.append(owner.index(corpus.path, recipe, recipe, corpus.fields))
    return {"indexing": tuple(runs)}


PARTS: Mapping[str, Callable[[StudyInputs], Figures]] = {
    "cost": _cost,  # first: the peak memory of a child includes its parent's
    "recipes": _recipes,
    "corpora": _corpora,
    "attributes": _attributes,
    "rounds": _rounds,
    "calls": _calls,
}


def add_options(parser: ArgumentParser) -> None:
    """Add data, parts, and the model for the agents."""
    add_part_options(parser, PARTS)
    parser.add_argument(
        "--model", action="append", default=[], metavar="KEY=VALUE", help="option of a chat model"
    )


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Run the chosen parts; each is saved when it is complete."""
    saved = run.home / "sage.json"
    study = stored(SageStudy, saved) or SageStudy()
    inputs = StudyInputs(options.data, options.share, StudyHome(run.home, model=_model(options)))
    measure = partial(run_part, inputs=inputs, run=run)
    for parts in run_parts(options.part or PARTS, study.parts, PARTS, measure):
        study = SageStudy(parts=parts)
        store(study, saved)
    return StudyResult(markdown(study))


def _model(options: Namespace) -> ModelCalls | None:
    if not options.model:
        return None
    return chat_model(model_options({}, [f"model.{setting}" for setting in options.model]))


def run_part(name: str, inputs: StudyInputs, run: StudyRun) -> StudyPart:
    """Run one part."""
    model = inputs.home.model
    agents = f"model `{model.name}`" if model else "rule agents"
    return measured_part(StudyPart, lambda: PARTS[name](inputs), run, agents=agents)
