"""Let a larger reader judge questions on texts, so that a smaller one learns from more of them.

Source: Hinton et al. (2015), Distilling the knowledge in a neural network (arXiv 1503.02531), §2.
Differs: the teacher's calibrated probability and stretch are learnt, not its logits, so that any
reader can teach, whatever its word pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sage_rag.agents.reading.backends.question_answering import QuestionAnsweringReader
from sage_rag.training.reading.examples import AskedText

_AT_ONCE = 256


def judged(
    asked: Sequence[AskedText],
    teacher: QuestionAnsweringReader,
    progress: Callable[[int, int], None],
) -> list[AskedText]:
    """Return the texts with the teacher's answer and its likelihood in place of theirs."""
    found: list[AskedText] = []
    for first in range(0, len(asked), _AT_ONCE):
        some = asked[first : first + _AT_ONCE]
        readings = teacher.read_pairs([(text.question, text.text) for text in some])
        for text, reading in zip(some, readings, strict=True):
            stretch = (reading.start, reading.end) if reading.start < reading.end else None
            found.append(replace(text, answer=stretch, likelihood=reading.probability))
        progress(len(found), len(asked))
    return found
