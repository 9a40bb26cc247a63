"""Composite prompts, {information} + {command}, and the built-in set of them.

The information steers retrieval; the command asks the model to repeat the retrieved text.

Source: Zeng et al. (2024), arXiv 2406.14773, A.4. Differs: the wording of both parts is ours, and
several commands alternate where the paper has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import cycle
from pathlib import Path

from sage_rag.common.jsonl import rows
from sage_rag.eval.probes.probe import Probe, ProbeKind


@dataclass(frozen=True, slots=True)
class Information:
    """The part of a prompt that retrieval follows."""

    kind: ProbeKind
    text: str
    target: str | None = None


def compose(information: str, command: str) -> str:
    """Join the two parts by a blank line, which separates the command from a random snippet."""
    return f"{information}\n\n{command}"


def composite_probes(parts: Iterable[Information], commands: Sequence[str]) -> list[Probe]:
    """Return one probe per information part, with alternating commands."""
    cycled = cycle(commands)
    return [
        Probe(f"{part.kind}-{number:03}", part.kind, compose(part.text, next(cycled)), part.target)
        for number, part in enumerate(parts, start=1)
    ]


def builtin_probes() -> list[Probe]:
    """Return the built-in probes: 40 targeted, 40 untargeted."""
    folder = Path(str(resources.files("sage_rag.eval.probes")))
    parts = [
        Information(ProbeKind(row["kind"]), row["information"], row.get("target"))
        for row in rows(folder / "information.jsonl")
    ]
    commands = [row["command"] for row in rows(folder / "commands.jsonl")]
    return [
        probe
        for kind in ProbeKind
        for probe in composite_probes([p for p in parts if p.kind is kind], commands)
    ]
