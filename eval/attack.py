"""Run an attack: send probes to a target, let detectors judge, and report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sage_rag.eval.attempts import Attempt
from sage_rag.eval.harness import Progress, run_probes, score
from sage_rag.eval.probes.probe import Probe, ProbeKind
from sage_rag.eval.protocols import Detector, Target
from sage_rag.eval.report import AttackReport, Group, measure

WHOLE_INDEX = "whole index"


class Attack:
    """Attack targets with one set of probes and detectors.

    Detectors cache what they find in a text, so one attack on several targets costs less than one
    attack for each. `show_leaks` puts private text into the report.
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
        """Attack one target. An index is also measured as a whole, independent of the prompts.

        Raises:
            InputError: without probes.
            UpstreamError: when the target answers no prompt.
        """
        attempts = run_probes(self._probes, target, progress)
        groups = [
            self._group(kind, [a for a in attempts if a.probe.kind is kind])
            for kind in ProbeKind
            if any(probe.kind is kind for probe in self._probes)
        ]
        passages = target.passages()
        worst_case = passages is not None
        if passages is not None:
            groups.append(self._group(WHOLE_INDEX, _whole_index(passages)))
        return AttackReport(
            target=target.name,
            worst_case=worst_case,
            top_k=top_k if worst_case else None,
            originals=self.originals,
            groups=tuple(groups),
        )

    def _group(self, name: str, attempts: Sequence[Attempt]) -> Group:
        failed = sum(attempt.failed for attempt in attempts)
        targeted = any(attempt.probe.target for attempt in attempts)
        detectors = [d for d in self._detectors if targeted or not d.needs_target]
        return Group(
            name=name,
            attempts=len(attempts),
            failed=failed,
            measures=tuple(
                measure(found, census=name == WHOLE_INDEX, show_leaks=self._show_leaks)
                for found in score(attempts, detectors)
            ),
        )


def _whole_index(passages: Iterable[tuple[str, str]]) -> list[Attempt]:
    return [
        Attempt(Probe(passage_id, ProbeKind.UNTARGETED, ""), (text,))
        for passage_id, text in passages
        if text.strip()
    ]
