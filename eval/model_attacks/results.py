"""The figures of the attacks on one model."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from sage_rag.eval.model_attacks.extraction import Extraction
from sage_rag.eval.model_attacks.key_recovery import KeyRecovery
from sage_rag.eval.model_attacks.membership_inference import MembershipInference
from sage_rag.eval.model_attacks.name_reconstruction import NameReconstruction
from sage_rag.eval.model_attacks.true_prefix import TruePrefix

_Figures = TypeVar("_Figures", bound=BaseModel)


class GroupResult(BaseModel, Generic[_Figures]):
    """The figures of one attack on one group of sentences, prompts or texts."""

    model_config = ConfigDict(frozen=True)
    group: str
    result: _Figures


class ModelAttackReport(BaseModel):
    """All figures; it holds no text. An attack that was not chosen has no results."""

    model_config = ConfigDict(frozen=True)
    model: str
    seed: int
    names: tuple[GroupResult[NameReconstruction], ...] = ()
    prefixes: tuple[GroupResult[TruePrefix], ...] = ()
    extraction: tuple[GroupResult[Extraction], ...] = ()
    membership: tuple[GroupResult[MembershipInference], ...] = ()
    keys: KeyRecovery | None = None
