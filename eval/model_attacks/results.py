"""The figures of the attacks on one model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from sage_rag.eval.model_attacks.extraction import Extraction
from sage_rag.eval.model_attacks.key_recovery import KeyRecovery
from sage_rag.eval.model_attacks.membership_inference import MembershipInference
from sage_rag.eval.model_attacks.name_reconstruction import NameReconstruction
from sage_rag.eval.model_attacks.true_prefix import TruePrefix


class NameResult(BaseModel):
    """Name reconstruction in one group of sentences."""

    model_config = ConfigDict(frozen=True)
    group: str
    result: NameReconstruction


class PrefixResult(BaseModel):
    """True prefix for one group of sentences."""

    model_config = ConfigDict(frozen=True)
    group: str
    result: TruePrefix


class ExtractionResult(BaseModel):
    """Data extraction with one group of prompts."""

    model_config = ConfigDict(frozen=True)
    group: str
    result: Extraction


class MembershipResult(BaseModel):
    """Membership inference of one group of texts against texts that the model has not read."""

    model_config = ConfigDict(frozen=True)
    group: str
    result: MembershipInference


class ModelAttackReport(BaseModel):
    """All figures; it holds no text. An attack that was not chosen has no results."""

    model_config = ConfigDict(frozen=True)
    model: str
    seed: int
    names: tuple[NameResult, ...]
    prefixes: tuple[PrefixResult, ...]
    extraction: tuple[ExtractionResult, ...]
    membership: tuple[MembershipResult, ...]
    keys: KeyRecovery | None
