"""Compare recipes on one corpus: what each leaks, what answers are worth, what indexing takes.

    python -m eval.studies.recipes --corpus qa.jsonl --prompts targeted.jsonl \\
        --prompts untargeted.jsonl --home /tmp/study --out docs/results/recipes.md

Leakage is measured on an index of all documents, since an attacker meets the whole corpus.
Utility is measured on a second index without the held-out questions' own documents, since an
index that holds the answer itself would be asked no question. Every command runs as a user's.

Source: Zeng et al. (2024), arXiv 2406.14773, §4.2, §4.3, Tables 1, 3, 4 and 8. Differs: answers
are extractive, no model stands between attacker and passages, and the corpora are smaller.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.baselines import NEED_A_MODEL
from eval.agreement import agreement
from eval.attack import Attack
from eval.detectors.suite import compat_detectors, contact_recognizer, detectors
from eval.originals import Originals
from eval.probes.files import read_probes
from eval.report import AttackReport
from eval.studies.answering import Answers, Reader
from eval.studies.environment import environment
from eval.studies.indexing import Indexing, Owner
from eval.studies.results import RecipeResult, Study
from eval.studies.tables import markdown
from eval.targets.embedding import RememberingEmbedder
from eval.targets.version import VersionTarget
from eval.utility import utility
from indexer.corpus import Document, read_corpus
from indexer.embedding import SentenceTransformerEmbedder
from indexer.recipes import RECIPES
from privacy.exceptions import InputError, SageRagError
from privacy.keyset.files import read_keyset
from privacy.recognizers.default import default_recognizer
from privacy.tokens import readable_view

EVERY = 6
"""One document in so many is held out: 100 of 600."""
TOP_KS = (1, 5)
"""The paper's k = 1 (§4.1), and what a server retrieves by default."""
_REFERENCE = "origin"


def main(
    corpus: Annotated[Path, typer.Option(help="jsonl with the two fields.")],
    prompts: Annotated[list[Path], typer.Option(help="jsonl with `prompt`.")],
    home: Annotated[Path, typer.Option(help="A new folder for indexes; holds private text.")],
    out: Annotated[Path, typer.Option(help="Markdown to write; JSON goes beside it.")],
    question_field: Annotated[str, typer.Option()] = "question",
    answer_field: Annotated[str, typer.Option()] = "answer",
    recipe: Annotated[list[str] | None, typer.Option(help="Default: all recipes.")] = None,
) -> None:
    """Run the study and write its table."""
    offered = recipe or [n for n, r in RECIPES.items() if r.method not in NEED_A_MODEL]
    names = [_REFERENCE, *(r for r in offered if r != _REFERENCE)]
    documents = list(read_corpus(corpus, (question_field, answer_field)))
    comparison = Comparison(corpus, documents, (question_field, answer_field), prompts, home)
    results = tuple(comparison.measure(name) for name in names)
    study = Study(
        command=_command(),
        environment=environment(),
        corpus=corpus.name,
        documents=len(documents),
        held_out=len(comparison.held_out),
        prompts=len(comparison.probes),
        recipes=results,
    )
    _save(out, study)


class Comparison:
    """One corpus, one set of prompts and questions, for any number of recipes.

    The first recipe measured is the reference of agreement.
    """

    def __init__(
        self,
        corpus: Path,
        documents: Sequence[Document],
        fields: tuple[str, str],
        prompts: Sequence[Path],
        home: Path,
    ) -> None:
        self.held_out, self._rest = split(documents)
        self.probes = read_probes(prompts)
        self._fields = fields
        self._owner = Owner(home)
        self._corpora = (corpus, _write(home / "without-held-out.jsonl", self._rest))
        originals = Originals.of((d.id, d.text) for d in documents)
        contacts = contact_recognizer()
        judges = [*detectors(originals, contacts), *compat_detectors(originals, contacts)]
        self._attack = Attack(self.probes, judges, originals=len(originals))
        self._embedder = RememberingEmbedder(SentenceTransformerEmbedder())
        self._embedder.embed([readable_view(p.prompt) for p in self.probes])
        keyset = read_keyset(self._owner.keyset, self._owner.passphrase)
        self._reader = Reader(keyset, default_recognizer(), self._embedder)
        self._reference: Answers | None = None

    def measure(self, recipe: str) -> RecipeResult:
        """Index twice, attack, answer."""
        _say(f"{recipe}: indexing all documents")
        full = self._owner.index(self._corpora[0], f"{recipe}-full", recipe, self._fields)
        attacks = tuple(self._attacked(full, top_k) for top_k in TOP_KS)
        _say(f"{recipe}: indexing {len(self._rest)} documents")
        part = self._owner.index(self._corpora[1], f"{recipe}-part", recipe, self._fields)
        _say(f"{recipe}: answering {len(self.held_out)} questions")
        questions, references = ([d.fields[f] for d in self.held_out] for f in self._fields)
        answers = self._reader.answer(part.version, questions, max(TOP_KS))
        self._reference = self._reference or answers
        return RecipeResult(
            indexing=full,
            indexing_part=part,
            attacks=attacks,
            utility=utility(answers.texts, references),
            agreement=agreement(self._reference.sources, answers.sources, max(TOP_KS)),
        )

    def _attacked(self, full: Indexing, top_k: int) -> AttackReport:
        _say(f"{full.recipe}: attacking with {len(self.probes)} prompts, k = {top_k}")
        with closing(VersionTarget(full.version, self._embedder, top_k)) as target:
            return self._attack.run(target, top_k=top_k)


def split(documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """Return the held-out documents, every sixth, and the rest."""
    held_out = [d for i, d in enumerate(documents, start=1) if i % EVERY == 0]
    rest = [d for i, d in enumerate(documents, start=1) if i % EVERY]
    if not held_out:
        raise InputError(f"the study needs at least {EVERY} documents")
    return held_out, rest


def _write(path: Path, documents: Iterable[Document]) -> Path:
    lines = [json.dumps({"id": d.id, **d.fields}, ensure_ascii=False) + "\n" for d in documents]
    path.touch(mode=0o600)
    path.write_text("".join(lines), "utf-8")
    return path


def _command() -> str:
    """Return the command with file names alone: folders are this machine's business."""
    arguments = [Path(a).name if "/" in a else a for a in sys.argv[1:]]
    return " ".join(["python -m eval.studies.recipes", *arguments])


def _save(out: Path, study: Study) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(study), "utf-8")
    figures = json.dumps(_without_probes(study.model_dump(mode="json")), indent=1)
    out.with_suffix(".json").write_text(figures + "\n", "utf-8")
    _say(f"wrote {out} and {out.with_suffix('.json').name}")


def _say(message: str) -> None:
    typer.echo(message, err=True)


def _without_probes(part: Any) -> Any:
    """Leave out which probe leaked: a hundred thousand ids that no reader looks for."""
    if isinstance(part, dict):
        return {name: _without_probes(p) for name, p in part.items() if name != "probes"}
    return [_without_probes(p) for p in part] if isinstance(part, list) else part


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        _say(f"error: {error.message}")
        sys.exit(error.exit_code)
