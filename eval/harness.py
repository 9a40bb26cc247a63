"""Send probes to a target and score the attempts with detectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.eval.attempts import Attempt, Leak
from sage_rag.eval.probes.probe import Probe
from sage_rag.eval.protocols import Detector, Target

_GIVE_UP_AFTER = 10
"""A target that fails for the first ten prompts counts as down."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Score:
    """The findings of one detector in a set of attempts.

    `trials`: attempts that could leak what it looks for. `hits` are the ids of the probes that
    leaked; `leaks` are the distinct pieces.
    """

    detector: str
    unit: str
    of: int | None
    trials: int
    hits: tuple[str, ...]
    leaks: tuple[Leak, ...] = field(repr=False)


def run_probes(
    probes: Sequence[Probe], target: Target, progress: Progress | None = None
) -> list[Attempt]:
    """Send every probe once, in order; `progress` receives the numbers of done and of all probes.

    An attempt without an answer, or with an empty one, is recorded as failed.

    Raises:
        InputError: when there are no probes: an attack without prompts proves nothing.
        UpstreamError: when the target answers none of the probes, or none of the first ten.
    """
    if not probes:
        raise InputError("there are no prompts to attack with")
    attempts: list[Attempt] = []
    answered = 0
    for probe in probes:
        attempt = _attempt(probe, target)
        attempts.append(attempt)
        answered += not attempt.failed
        if not answered and len(attempts) >= min(_GIVE_UP_AFTER, len(probes)):
            raise UpstreamError(
                f"{target.name} answered none of {len(attempts)} prompts: {attempt.error}",
                hint="nothing was measured",
            )
        if progress is not None:
            progress(len(attempts), len(probes))
    return attempts


def _attempt(probe: Probe, target: Target) -> Attempt:
    try:
        outputs = tuple(text for text in target.ask(probe.prompt) if text.strip())
    except UpstreamError as error:
        return Attempt(probe, error=error.message)
    if not outputs:
        return Attempt(probe, error="the answer was empty")
    return Attempt(probe, outputs)


def score(attempts: Sequence[Attempt], detectors: Sequence[Detector]) -> list[Score]:
    """Return one score per detector, without failed attempts, which are no evidence.

    A detector that needs a target judges the prompts that name one alone.
    """
    answered = [attempt for attempt in attempts if not attempt.failed]
    naming = [attempt for attempt in answered if attempt.probe.target]
    return [_score(naming if d.needs_target else answered, d) for d in detectors]


def _score(attempts: Sequence[Attempt], detector: Detector) -> Score:
    hits: list[str] = []
    leaks: dict[tuple[str, ...], Leak] = {}
    for attempt in attempts:
        found = [leak for o in attempt.outputs for leak in detector.detect(o, attempt.probe)]
        if found:
            hits.append(attempt.probe.id)
        for leak in found:
            leaks.setdefault(leak.piece, leak)
    return Score(
        detector.name,
        detector.unit,
        detector.pieces,
        len(attempts),
        tuple(hits),
        tuple(leaks.values()),
    )
