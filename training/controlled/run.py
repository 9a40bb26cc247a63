"""Generate a corpus into a folder; a killed run continues where it ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.common.ledger import StageLedger, StageTable
from sage_rag.common.progress import Progress
from sage_rag.training.controlled.generation import Generation, GenerationSummary, Sample
from sage_rag.training.controlled.names import Block
from sage_rag.training.owner_folder import LEDGER, owner_folder_for

CORPUS = "corpus.jsonl"
REPORT = "report.json"
_TABLE = StageTable("samples")
_LEDGER_VERSION = 1


def run_generation(
    generation: Generation,
    folder: Path,
    blocking: str,
    progress: Progress,
    summary: GenerationSummary | None = None,
    *,
    corpus: str = "corpus",
) -> GenerationSummary:
    """Write `corpus.jsonl` and `report.json`; the report appears last.

    `blocking`: how the sampler blocks values, for the report. A text that was dropped is counted
    and absent from the corpus. `corpus`: the name of the private one.

    Raises:
        InputError: when another run uses the folder, or made what it holds; when it cannot be
            written, or no text is left.
    """
    summary = summary if summary is not None else GenerationSummary()
    with owner_folder_for(folder, f"generate {corpus}", (CORPUS, REPORT)) as owner:
        (folder / REPORT).unlink(missing_ok=True)
        ledger = samples_ledger(owner / LEDGER)
        try:
            samples = list(finished_samples(generation, ledger, progress, summary))
        finally:
            ledger.close()
        if not summary.written:
            raise InputError(
                f"none of {summary.samples} texts can be used: {summary.line()}",
                hint="try another model, raise --attempts, or block fewer values: --block examples",
            )
        _write(generation, folder, samples, blocking, summary)
    return summary


def samples_ledger(path: Path) -> StageLedger:
    """Return the ledger of samples at a path."""
    return StageLedger(path, [_TABLE], version=_LEDGER_VERSION)


def finished_samples(
    generation: Generation,
    ledger: StageLedger,
    progress: Progress,
    summary: GenerationSummary | None = None,
) -> Iterator[Sample]:
    """Yield all samples in order, first making those that the ledger lacks."""
    summary = summary if summary is not None else GenerationSummary()
    fingerprint = generation.fingerprint
    numbers = range(generation.settings.count)
    known = {n: ledger.stored(_TABLE, str(n), fingerprint) for n in numbers}
    missing = [number for number in numbers if known[number] is None]
    done = summary.resumed = len(numbers) - len(missing)
    progress("generate", done, len(numbers))
    for sample in generation.samples(missing):
        known[sample.number] = asdict(sample)
        ledger.store(_TABLE, fingerprint, {str(sample.number): known[sample.number]})
        done += 1
        progress("generate", done, len(numbers))
    for number in numbers:
        sample = Sample(**known[number])  # type: ignore[arg-type]
        summary.add(sample)
        yield sample


def _write(
    generation: Generation,
    folder: Path,
    samples: list[Sample],
    blocking: str,
    summary: GenerationSummary,
) -> None:
    rows = [{"id": f"synthetic-{s.number}", "text": s.text} for s in samples if s.text]
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    settings = generation.settings
    scope = settings.block
    report: dict[str, Any] = {
        "method": settings.method,
        "identifiers": settings.identifiers,
        "blocked": scope,
        "blocking": blocking if scope is not Block.NONE else "nothing is blocked",
        "values": generation.value_count if scope is not Block.NONE else 0,
        "samples": summary.samples,
        "written": summary.written,
        "again": summary.again,
        "dropped": dict(summary.dropped),
        "sha256": hashlib.sha256(content.encode()).hexdigest(),
    }
    write_file(folder / CORPUS, content)
    write_file(folder / REPORT, json.dumps(report, indent=1) + "\n")
