"""All roles of SAGE done by one language model."""

from __future__ import annotations

from agents.chat import ChatModel
from agents.domains import Domain
from agents.model_attributes import ATTRIBUTES_PER_FIELD
from agents.model_review import ModelReview
from agents.model_synthesis import ModelSynthesis
from agents.prompts import prompts_fingerprint
from agents.protocols import Roles
from privacy.fingerprints import source_digest


def model_roles(
    model: ChatModel,
    *,
    joined: bool = True,
    attributes_per_field: int | None = ATTRIBUTES_PER_FIELD,
    domain: Domain | None = None,
) -> Roles:
    """Return all roles done by one model.

    `joined`: whether one call extracts and writes, or two do, of which the second never sees the
    record. `attributes_per_field`: how many, or `None` for as many as most samples speak of.
    """
    synthesis = ModelSynthesis(
        model, joined=joined, attributes_per_field=attributes_per_field, domain=domain
    )
    review = ModelReview(model, domain.reviewing if domain else "")
    code = source_digest("agents", "model_review.py", "structured.py")
    reviewing = f"{prompts_fingerprint('review', 'rewrite')}/{code}"
    advice = domain.fingerprint if domain else "no-domain"
    return Roles(
        synthesis,
        synthesis,
        synthesis,
        review,
        review,
        fingerprint=f"{synthesis.fingerprint}/{reviewing}/{advice}",
        drafting=synthesis.fingerprint,
    )
