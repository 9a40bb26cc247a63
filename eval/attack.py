"""An attack from end to end: probes, target, detectors, report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sage_rag.eval.attempts import Attempt
from sage_rag.eval.harness import Progress, run_probes, score
from sage_rag.eval.probes.probe import Probe, ProbeKind
from sage_rag.eval.protocols import Detector, Target
from sage_rag.eval.report import AttackReport, Group, measure
from sage_rag.eval.targets.version import VersionTarget

WHOLE_INDEX = "whole index"


class Attack:
    """Attack targets with one set of probes and detectors.

    Detectors remember what they found in a text, so that attacking several targets with the same
    attack is cheaper than with several. `show_leaks` puts private text into the report.
    """

    def __init__(
        self,
        probes: Sequence[Probe],
        detectors: Sequence[Detector],
        *,
        originals: int,
        show_leaks: bool = False,
    ) -> None:
        self._probes = probes
        self._detectors = detectors
        self.originals = originals
        self._show_leaks = show_leaks

    def run(
        self, target: Target, *, top_k: int | None = None, progress: Progress | None = None
    ) -> AttackReport:
        """Attack one target. A version is also measured as a whole, whatever was asked.

        Raises:
            InputError: without probes.
            UpstreamError: when the target answers nothing.
        """
        attempts = run_probes(self._probes, target, progress)
        groups = [
            self._group(kind, [a for a in attempts if a.probe.kind is kind])
            for kind in ProbeKind
            if any(probe.kind is kind for probe in self._probes)
        ]
        worst_case = isinstance(target, VersionTarget)
        if isinstance(target, VersionTarget):
            groups.append(self._group(WHOLE_INDEX, _whole_index(target.passages())))
        return AttackReport(
            target=target.name,
            worst_case=worst_case,
            top_k=top_k if worst_case else None,
            originals=self.originals,
            groups=tuple(groups),
        )

    def _group(self, name: str, attempts: Sequence[Attempt]) -> Group:
        failed = sum(attempt.failed for attempt in attempts)
        answered = len(attempts) - failed
        asks = any(attempt.probe.target for attempt in attempts)
        return Group(
            name=name,
            attempts=len(attempts),
            failed=failed,
            census=name == WHOLE_INDEX,
            measures=tuple(
                measure(found, answered, show_leaks=self._show_leaks)
                for found in score(attempts, self._detectors)
                # Without a target there is nothing that a disease detector could have found.
                if asks or not found.detector.startswith("disease")
            ),
        )


def _whole_index(passages: Iterable[tuple[str, str]]) -> list[Attempt]:
    return [
        Attempt(Probe(passage_id, ProbeKind.UNTARGETED, ""), (text,))
        for passage_id, text in passages
        if text.strip()
    ]
