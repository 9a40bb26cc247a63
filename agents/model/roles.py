"""All roles of SAGE done by one language model."""

from __future__ import annotations

from sage_rag.agents.chat.protocols import ChatModel
from sage_rag.agents.model.attributes import ATTRIBUTES_PER_FIELD
from sage_rag.agents.model.domains import Domain
from sage_rag.agents.model.review import VERSION as REVIEW_VERSION
from sage_rag.agents.model.review import ModelReview
from sage_rag.agents.model.synthesis import ModelSynthesis
from sage_rag.agents.prompts import prompts_fingerprint
from sage_rag.agents.protocols import Roles


def model_roles(
    model: ChatModel,
    *,
    joined: bool = True,
    attributes_per_field: int | None = ATTRIBUTES_PER_FIELD,
    domain: Domain | None = None,
) -> Roles:
    """Return all roles done by one model.

    `joined`: whether one call extracts and writes; of two calls the second never sees the record.
    `attributes_per_field`: `None` for those that most samples contain.
    """
    synthesis = ModelSynthesis(
        model, joined=joined, attributes_per_field=attributes_per_field, domain=domain
    )
    review = ModelReview(model, domain.reviewing if domain else "")
    reviewing = f"{prompts_fingerprint('review', 'rewrite')}/{REVIEW_VERSION}"
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
