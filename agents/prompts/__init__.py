"""Our prompts, one file per role; each names the section of the paper that it implements.

A system prompt is the same for every record of a corpus and the record comes last, so that a server
can cache the beginning of the conversation.
"""

from __future__ import annotations

import hashlib
from importlib import resources
from string import Template

STAGE_1 = ("identify", "extract", "generate", "synthesize")


def prompt(role: str) -> Template:
    """Return a role's system prompt, without its leading comment."""
    source = resources.files("sage_rag.agents").joinpath("prompts", f"{role}.md").read_text("utf-8")
    return Template(source.split("-->", 1)[1].strip())


def prompts_fingerprint(*roles: str) -> str:
    """Return twelve hex digits that change with any of these prompts."""
    texts = (prompt(role).template for role in roles)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
