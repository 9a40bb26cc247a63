"""The arms of the comparison: what each model is trained on, and how it is asked.

Source: Liu et al. (2025), SoE, §4.3, §4.4, Table 3 and Figure 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from sage_rag.privacy.entities import EntityType

PL = (EntityType.PERSON, EntityType.LOCATION)
"""The paper's policy PL: names and places are encrypted, other values are not."""
ALL = tuple(EntityType)
"""The paper's policy ALL."""


class Texts(StrEnum):
    """The texts that an arm is trained on."""

    ORIGINAL = "original"
    """One text for each person, repeated."""
    SYNTHETIC = "synthetic"
    """Many differently worded texts for each person."""


class QuestionSpelling(StrEnum):
    """How names and values appear in the questions."""

    PLAIN = "plain"
    ENCRYPTED = "encrypted"


@dataclass(frozen=True, slots=True)
class Arm:
    """One model: its texts, and the entity types that are encrypted in them.

    `texts`: `None` for a model without continual pretraining.
    """

    name: str
    texts: Texts | None
    encrypted: tuple[EntityType, ...] = ()

    @property
    def spelling(self) -> QuestionSpelling:
        """The spelling of the questions that the arm is meant for."""
        return QuestionSpelling.ENCRYPTED if self.encrypted else QuestionSpelling.PLAIN


BASE = Arm("base", None)
ORIG = Arm("orig", Texts.ORIGINAL)
ENC_O = Arm("encO", Texts.ORIGINAL, ALL)
SYNT = Arm("synt", Texts.SYNTHETIC)
ENC_S = Arm("encS", Texts.SYNTHETIC, ALL)
ENC_S_PL = Arm("encS-PL", Texts.SYNTHETIC, PL)
MAIN_ARMS = (BASE, ORIG, ENC_O, SYNT, ENC_S, ENC_S_PL)


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """The paper's accuracies: English articles (Llama-3-8B), Chinese judgments (Qwen2.5-7B)."""

    quality: float | None
    judge: float | None


PAPER = MappingProxyType(
    {
        ("base", QuestionSpelling.PLAIN): PaperFigures(0.424, 0.388),
        ("orig", QuestionSpelling.PLAIN): PaperFigures(0.488, 0.33),
        ("encO", QuestionSpelling.ENCRYPTED): PaperFigures(0.424, 0.402),
        ("synt", QuestionSpelling.PLAIN): PaperFigures(0.63, 0.68),
        ("encS", QuestionSpelling.ENCRYPTED): PaperFigures(None, 0.569),
        ("encS-PL", QuestionSpelling.ENCRYPTED): PaperFigures(0.592, 0.611),
    }
)
"""Table 3 by arm and spelling of the questions. 125 questions on English articles, 72 on judgments;
Figure 4 shows the arms with plain questions without numbers: "no improvement compared to the base
model"."""
