"""SAGE measured: what leaks, what answers are worth, what it costs, by recipe, stage and choice.

    python -m sage_rag.eval.studies.sage --data FOLDER --home /tmp/study --out docs/results/sage.md

FOLDER holds the data sets under the names that `eval/studies/corpora.py` gives. Parts can be run
by themselves (`--part rounds`); results of the others are taken from the JSON file beside the page.
`--home` keeps what recognizer, embedder and agents found, so that a second run goes on from there.

Source: Zeng et al. (2024), arXiv 2406.14773, §4, A.5, A.6. Differs: answers are extractive, no
model stands between attacker and passages, and the corpora are smaller.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sage_rag.agents.baselines import NEED_A_MODEL
from sage_rag.agents.chat.options import ModelOptions, chat_model, with_model_options
from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.eval.studies.bench import STAGE_1, StudyHome, Variant
from sage_rag.eval.studies.corpora import CORPORA, Corpus, load_corpus
from sage_rag.eval.studies.drafts import measure_drafts
from sage_rag.eval.studies.environment import environment
from sage_rag.eval.studies.indexing import OwnerZone
from sage_rag.eval.studies.measuring import ANSWERING_K, Measurer
from sage_rag.eval.studies.results import IndexMeasurement, Part, Study
from sage_rag.eval.studies.sage_page import markdown
from sage_rag.eval.studies.thrift import measure_calls
from sage_rag.indexer.recipes import RECIPES

MAIN = "healthcaremagic"
"""The paper's chat corpus: the one on which recipes and choices are compared."""
ROUNDS = range(6)
PER_FIELD = (1, 3, 5)
"""Attributes per field: m = 2, 6 and 10 of a dialogue. Five are the default, and all rules know."""
CALLS_SHARE = 0.2
"""How much of the corpus is for the scripted model: 100 records."""
_ORIGIN, _ENCRYPTED, _SAGE = (Variant(RECIPES[name]) for name in ("origin", "encrypted", "sage"))
_STAGE_1 = Variant(STAGE_1)


@dataclass(frozen=True)
class Workplace:
    """What every part is given."""

    data: Path
    home: Path
    bench: StudyHome
    share: float

    def corpus(self, name: str, share: float = 1.0) -> Corpus:
        """Read a corpus, or a share of it."""
        return load_corpus(name, self.data, self.home, share * self.share)

    def measure(
        self, measurer: Measurer, variants: Iterable[Variant], **choice: Any
    ) -> list[IndexMeasurement]:
        """Index and measure each variant, `origin` before the others."""
        rows = []
        for variant in (_ORIGIN, *variants):
            indexed = self.bench.index(measurer.corpus, variant)
            _say(f"{measurer.corpus.name} {variant.name}: measuring")
            rows.append(measurer.measure(indexed, **choice))
        return rows


_Found = dict[str, Any]
"""Fields of a `Part`."""


def _recipes(place: Workplace) -> _Found:
    measurer = Measurer(place.bench, place.corpus(MAIN))
    offered = RECIPES if place.bench.model else _by_rules()
    others = [Variant(RECIPES[name]) for name in offered if name not in ("origin", "sage")]
    rows = place.measure(measurer, [*others, _STAGE_1, _SAGE])
    return {"compared": (measurer.compared(rows),)}


def _by_rules() -> list[str]:
    return [name for name, recipe in RECIPES.items() if recipe.method not in NEED_A_MODEL]


def _corpora(place: Workplace) -> _Found:
    compared = []
    for name in CORPORA:
        if name != MAIN:
            measurer = Measurer(place.bench, place.corpus(name))
            variants = [_ENCRYPTED, _STAGE_1, _SAGE]  # what encryption alone costs, and the rest
            compared.append(measurer.compared(place.measure(measurer, variants)))
    return {"compared": tuple(compared)}


def _attributes(place: Workplace) -> _Found:
    measurer = Measurer(place.bench, place.corpus(MAIN))
    variants = [Variant(v.recipe, m) for m in PER_FIELD for v in (_STAGE_1, _SAGE)]
    rows = place.measure(measurer, variants, top_ks=(ANSWERING_K,))
    return {"compared": (measurer.compared(rows),)}


def _rounds(place: Workplace) -> _Found:
    measurer = Measurer(place.bench, place.corpus(MAIN))
    variants = [Variant(_SAGE.recipe, max_rounds=most) for most in ROUNDS]
    rows = place.measure(measurer, variants, top_ks=(ANSWERING_K,))
    drafts = measure_drafts(place.bench, measurer, ROUNDS)
    return {"compared": (measurer.compared(rows),), "drafts": tuple(drafts)}


def _calls(place: Workplace) -> _Found:
    corpus = place.corpus(MAIN, CALLS_SHARE)
    return {"calls": tuple(measure_calls(place.bench, corpus))}


def _cost(place: Workplace) -> _Found:
    """Index with the command, as a user does: nothing is remembered from other parts."""
    corpus = place.corpus(MAIN)
    owner = OwnerZone(place.home / f"cost-{time.time_ns()}")
    runs = []
    for recipe in _by_rules():
        _say(f"{corpus.name} {recipe}: `sage-rag index`")
        runs.append(owner.index(corpus.path, recipe, recipe, corpus.fields))
    return {"indexing": tuple(runs)}


PARTS: Mapping[str, Callable[[Workplace], _Found]] = {
    "cost": _cost,  # first: a child's peak memory is never under what its parent had
    "recipes": _recipes,
    "corpora": _corpora,
    "attributes": _attributes,
    "rounds": _rounds,
    "calls": _calls,
}


@with_model_options
def main(
    data: Annotated[Path, typer.Option(help="The folder of the data sets.")],
    home: Annotated[Path, typer.Option(help="A folder for indexes; holds private text.")],
    out: Annotated[Path, typer.Option(help="Markdown to write; JSON goes beside it.")],
    part: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(PARTS)}.")] = None,
    share: Annotated[float, typer.Option(min=0.01, max=1, help="Take less of each.")] = 1.0,
    *,
    llm: ModelOptions,
) -> None:
    """Run the study, or parts of it, and write its page."""
    chosen = part or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        raise InputError(f"no part is called `{min(unknown)}`", hint=f"one of: {', '.join(PARTS)}")
    figures = out.with_suffix(".json")
    parts = Study.model_validate_json(figures.read_text("utf-8")).parts if figures.exists() else {}
    model = chat_model(llm) if llm.given else None
    place = Workplace(data, home, StudyHome(home, model=model), share)
    for name in (name for name in PARTS if name in chosen):
        parts = {**parts, name: run_part(name, place)}
        write(out, Study(parts={n: parts[n] for n in PARTS if n in parts}))
        _say(f"{name}: done in {parts[name].seconds:.0f} s")


def run_part(name: str, place: Workplace) -> Part:
    """Run one part."""
    started = time.monotonic()
    found = PARTS[name](place)
    seconds = round(time.monotonic() - started, 1)
    model = place.bench.model
    return Part(
        command=_command(),
        environment=environment(),
        agents=f"model `{model.name}`" if model else "rule agents",
        seconds=seconds,
        **found,
    )


def write(out: Path, study: Study) -> None:
    """Write figures and page; both are whole after each part, so that nothing run is lost."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".json").write_text(study.model_dump_json() + "\n", "utf-8")
    out.write_text(markdown(study), "utf-8")


def _command() -> str:
    """Return the command with file names alone: folders are this machine's business."""
    arguments: Sequence[str] = [Path(a).name if "/" in a else a for a in sys.argv[1:]]
    return " ".join(["python -m sage_rag.eval.studies.sage", *arguments])


def _say(message: str) -> None:
    typer.echo(message, err=True)


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        _say(f"error: {error.message}")
        sys.exit(error.exit_code)
