"""Our prompts, one file per role, each naming the section of the paper that it answers."""

from __future__ import annotations

import hashlib
from importlib import resources
from string import Template

ROLES = ("identify", "extract", "generate", "review", "rewrite")


def prompt(role: str) -> Template:
    """Return a role's system prompt, without its leading comment."""
    source = resources.files("agents").joinpath("prompts", f"{role}.md").read_text("utf-8")
    return Template(source.split("-->", 1)[1].strip())


def prompts_fingerprint() -> str:
    """Return twelve hex digits that change with any prompt."""
    return hashlib.sha256("\n".join(prompt(r).template for r in ROLES).encode()).hexdigest()[:12]
