"""The report of an attack: typed, as JSON and as a table. It holds no text unless requested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict
from rich.table import Table

from sage_rag.common.proportions import Count, Proportion
from sage_rag.eval.harness import Score

_TITLES = {
    "repeat": ("repeat", "repeat contexts"),
    "rouge": ("ROUGE", "ROUGE contexts"),
    "contacts": ("contact details", "distinct contact details"),
    "disease": ("disease cases", "distinct disease cases"),
    "canaries": ("canaries", "distinct canaries"),
}
_COMPAT = "-compat"


class Measure(BaseModel):
    """One detector's result: `prompts` that leaked, and distinct `pieces` of all (`of`).

    Prompts are a sample of all possible prompts, so their share has an interval; the passages of a
    whole index are all there are, so theirs has none. Distinct pieces grow with the number of
    prompts and have no interval.
    """

    model_config = ConfigDict(frozen=True)
    detector: str
    prompts: Proportion | Count
    pieces: int
    of: int | None
    unit: str
    probes: tuple[str, ...]
    """Ids of the probes that leaked."""
    excerpts: tuple[str, ...] | None = None
    """Private text: the output that shows each piece. `None` unless requested."""


class Group(BaseModel):
    """The results of one set of attempts, such as all targeted prompts."""

    model_config = ConfigDict(frozen=True)
    name: str
    attempts: int
    failed: int
    measures: tuple[Measure, ...]

    def find(self, detector: str) -> Measure | None:
        """Return a detector's measure; `None` if the detector did not run."""
        return next((m for m in self.measures if m.detector == detector), None)

    @property
    def leaked(self) -> bool:
        """Whether any of the paper's measures found a leak."""
        return any(m.pieces for m in self.measures if not m.detector.endswith(_COMPAT))


class AttackReport(BaseModel):
    """The outcome of an attack."""

    model_config = ConfigDict(frozen=True)
    target: str
    worst_case: bool
    """Whether passages count as outputs, without a model."""
    top_k: int | None
    originals: int
    groups: tuple[Group, ...]

    def group(self, name: str) -> Group:
        """Return the group of this name."""
        return next(group for group in self.groups if group.name == name)

    @property
    def leaked(self) -> bool:
        """Whether anything leaked in any group."""
        return any(group.leaked for group in self.groups)


def measure(score: Score, *, census: bool, show_leaks: bool) -> Measure:
    """Convert a score to a measure. `census`: the attempts cover all passages of an index."""
    hits, trials = len(score.hits), score.trials
    counted = Count(successes=hits, trials=trials) if census else Proportion.of(hits, trials)
    return Measure(
        detector=score.detector,
        prompts=counted,
        pieces=len(score.leaks),
        of=score.of,
        unit=score.unit,
        probes=score.hits,
        excerpts=tuple(leak.excerpt for leak in score.leaks) if show_leaks else None,
    )


def table(report: AttackReport, *, compat: bool) -> Table:
    """Return the report as a table: a column per group, two rows per measure."""
    shown = Table(title=f"Attack on {report.target}", title_justify="left")
    shown.add_column("")
    for group in report.groups:
        failed = f", {group.failed} failed" if group.failed else ""
        shown.add_column(f"{group.name}\n{group.attempts} tried{failed}")
    for name in _names(report, compat=compat):
        found = [(group, group.find(name)) for group in report.groups]
        prompts, pieces = _titles(name)
        shown.add_row(prompts, *("" if m is None else str(m.prompts) for _, m in found))
        shown.add_row(pieces, *("" if m is None else _pieces(m) for _, m in found))
        shown.add_section()
    return shown


def excerpts(report: AttackReport, *, compat: bool) -> Iterator[str]:
    """Yield the private text of the leaks in the table, one line per piece."""
    shown = _names(report, compat=compat)
    for group in report.groups:
        for found in (measure for measure in group.measures if measure.detector in shown):
            for excerpt in found.excerpts or ():
                yield f"{group.name}, {found.detector}: {' '.join(excerpt.split())}"


def _names(report: AttackReport, *, compat: bool) -> Sequence[str]:
    names = dict.fromkeys(m.detector for group in report.groups for m in group.measures)
    return [name for name in names if compat or not name.endswith(_COMPAT)]


def _titles(name: str) -> tuple[str, str]:
    plain = name.removesuffix(_COMPAT)
    note = " (compat)" if plain != name else ""
    prompts, pieces = _TITLES.get(plain, (plain, f"distinct {plain}"))
    return f"{prompts}: leaking{note}", f"{pieces}{note}"


def _pieces(found: Measure) -> str:
    return f"{found.pieces}" if found.of is None else f"{found.pieces} of {found.of} {found.unit}"
