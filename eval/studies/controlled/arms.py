"""The arms of the study: how each writes its samples, and what is measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from sage_rag.common.ledger import StageLedger
from sage_rag.eval.studies.controlled.corpora import StudyTexts
from sage_rag.eval.studies.controlled.models import SeedModels
from sage_rag.eval.studies.controlled.results import ArmResult, Excerpt
from sage_rag.eval.studies.controlled.settings import ControlledSettings
from sage_rag.eval.studies.runner import report
from sage_rag.eval.synthetic_text.leakage import Leakage, context_leakage
from sage_rag.eval.synthetic_text.report import Reference, measure_texts, values_of
from sage_rag.eval.synthetic_text.similarity import Overlap, Sources
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.words import tokenize
from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.fiction import fiction_key
from sage_rag.training.controlled.generation import Generation, GenerationSettings, Sample
from sage_rag.training.controlled.names import Block, Contrast, Method
from sage_rag.training.controlled.run import finished_samples, samples_ledger
from sage_rag.training.controlled.sampling import SamplingSettings
from sage_rag.training.controlled.wiring import causal_sampler

_EXCERPT_CHARACTERS = 280
_EXCERPTS = 9
_UNLIKE = 0.5
"""ROUGE-L with every source under which a sample may be shown on the page."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One row of the tables. `known`: values are the annotators', else the recognizer's."""

    name: str
    title: str
    method: Method
    block: Block = Block.NONE
    known: bool = True
    contrast: Contrast = Contrast.NONE
    rate: float = 0.0

    @property
    def of_examples(self) -> bool:
        """Whether the paper measures the arm against its own examples."""
        return self.method is not Method.PREFIX


BASELINE = "Baseline"
_ICL = Arm("icl", "ICL", Method.IN_CONTEXT)
_MASKED = "Fine-tuning w/ masking"


def arms_of(settings: ControlledSettings) -> list[Arm]:
    """Return the arms, in the order of the paper's tables."""

    def tuned(name: str, title: str, contrast: Contrast, **changes: Any) -> Arm:
        arm = Arm(name, title, Method.PREFIX, contrast=contrast, rate=settings.prefix_rate)
        return replace(arm, **changes)

    blocked = replace(
        _ICL, name="icl-blocked", title="ICL w/ privacy enhancement", block=Block.CORPUS
    )
    plain = tuned("prefix", "Fine-tuning", Contrast.NONE)
    printed = tuned("prefix-printed", f"{_MASKED}, eq. 3 as printed", Contrast.PRINTED)
    lowering = tuned("prefix-lowering", f"{_MASKED}, lowering sign", Contrast.LOWERING)
    slow = f"{_MASKED}, eq. 3 as printed, the paper's rate"
    return [
        Arm("baseline", BASELINE, Method.BASELINE),
        *(_ICL, blocked, plain, printed, lowering),
        replace(printed, name="prefix-paper-rate", title=slow, rate=settings.paper_rate),
        tuned(
            "prefix-blocked",
            "Fine-tuning, lowering sign, values blocked",
            Contrast.LOWERING,
            block=Block.CORPUS,
        ),
        *(
            replace(arm, name=f"{arm.name}-unknown", known=False)
            for arm in (_ICL, blocked, plain, printed)
        ),
    ]


def run_arm(arm: Arm, models: SeedModels, embedder: Embedder | None) -> ArmResult:
    """Write and measure the samples of an arm; finished samples are in the seed's ledger."""
    generation = generation_of(arm, models)
    ledger = samples_ledger(models.folder / "samples.sqlite")
    try:
        samples = _written(arm, generation, ledger)
    finally:
        ledger.close()
    return _measured(arm, models, generation, samples, embedder)


def _written(arm: Arm, generation: Generation, ledger: StageLedger) -> list[Sample]:
    def progress(stage: str, done: int, total: int) -> None:
        if done == total or done % (2 * generation.rows) == 0:
            report(f"{arm.name}: {done} of {total} texts")

    return list(finished_samples(generation, ledger, progress))


def generation_of(arm: Arm, models: SeedModels) -> Generation:
    """Return what writes the samples of an arm."""
    own = models.settings
    tuned = arm.method is Method.PREFIX
    prefix = models.prefix(arm.contrast, arm.rate, known=arm.known) if tuned else None
    sampling = SamplingSettings(most_tokens=own.most_tokens)
    sampler = causal_sampler(models.base(), prefix, sampling, rows=own.batch)
    documents = models.texts.known if arm.known else models.texts.recognised
    settings = GenerationSettings(
        arm.method, arm.block, Identifiers.BOTH, own.samples, own.attempts
    )
    choice = fiction_key(models.keyset, arm.name)
    return Generation(documents, settings, sampler, choice)


def _measured(
    arm: Arm,
    models: SeedModels,
    generation: Generation,
    samples: list[Sample],
    embedder: Embedder | None,
) -> ArmResult:
    kept = [sample for sample in samples if sample.text]
    texts = [sample.text for sample in kept]
    gold = {document.id: document for document in models.texts.known}
    examples = [[gold[d.id] for d in generation.examples(sample)] for sample in kept]
    reference = Reference(
        models.texts.held_out,
        embedder,
        models.fresh(),
        models.folder / "perplexity" / arm.name,
        models.tuning,
    )
    measured = measure_texts(texts, models.texts.known, reference)
    of_examples: dict[Identifiers, Leakage] | None = None
    overlaps: list[Overlap] = []
    if arm.of_examples:
        of_examples = {
            kind: context_leakage(texts, [values_of(shown, kind) for shown in examples])
            for kind in Identifiers
        }
        overlaps = [
            Sources([d.text for d in shown]).nearest(text)
            for text, shown in zip(texts, examples, strict=True)
        ]
    return ArmResult(
        name=arm.name,
        title=arm.title,
        known=arm.known,
        seed=models.seed,
        samples=len(samples),
        again=sum(sample.attempts - 1 for sample in samples),
        report=measured,
        of_examples=of_examples,
        rouge_2=fmean(o.rouge_2 for o in overlaps) if overlaps else measured.rouge_2,
        rouge_l=fmean(o.rouge_l for o in overlaps) if overlaps else measured.rouge_l,
        excerpts=_excerpts(texts, models.texts) if _may_be_shown(arm) else (),
    )


def _may_be_shown(arm: Arm) -> bool:
    """Only texts in which the annotators' values are blocked go on a page."""
    return arm.known and arm.block is Block.CORPUS


def _excerpts(texts: Sequence[str], of: StudyTexts) -> tuple[Excerpt, ...]:
    """Return the first texts without a value or a name of a whole case, unlike all cases.

    Each is cut at a word.
    """
    cases = [case.text for case in of.training_cases]
    prepared, values = Sources(cases), values_of(of.training_cases, Identifiers.BOTH)
    known = {word for case in cases for word in tokenize(case)}
    found: list[Excerpt] = []
    for text in texts:
        shown = " ".join(text[:_EXCERPT_CHARACTERS].split(" ")[:-1])
        if values.found_in(text) or of.names_in(shown) & known:
            continue
        if (rouge_l := prepared.nearest(text).rouge_l) < _UNLIKE:
            found.append(Excerpt(text=shown, rouge_l=rouge_l))
        if len(found) == _EXCERPTS:
            break
    return tuple(found)
