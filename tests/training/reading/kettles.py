"""Sixteen files of questions: a record says what a thing costs, and not what it weighs."""

from __future__ import annotations

from pathlib import Path

THINGS = ("kettle", "ladder", "parrot", "violin", "garden", "tunnel", "engine", "basket")


def write_questions(folder: Path) -> Path:
    """Write the files into a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(16):
        lines = []
        for thing in THINGS:
            lines += [
                "@",
                f"The {thing} of Ada stands in room {number}. Its price is {number + 30} euros.",
                f"+ What is the price of the {thing}? | {number + 30} euros",
                f"- What is the weight of the {thing}?",
            ]
        (folder / f"file{number}.txt").write_text("\n".join(lines), "utf-8")
    return folder


def heard(step: int, steps: int, loss: float) -> None:
    """Check what a training reports."""
    assert 0 < step <= steps
    assert loss > 0
