"""Domain add-ons: what a field of work adds to the prompts, and the policy that suits it.

An add-on is one text file and no code. To add one, write `mine.md` and index with
`--set domain=./mine.md` (or put it into `agents/prompts/domains/` and give its name):

    policy: sage

    # Writing
    What extractor and generator must keep exact, and what they must coarsen.

    # Reviewing
    What the reviewer must look for besides the six aspects.

Source: Zeng et al. (2024), arXiv 2406.14773, A.10.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.policy import load_policy

_HEADS = ("Writing", "Reviewing")
_COMMENT = re.compile(r"\A\s*<!--.*?-->", re.DOTALL)
_POLICY = re.compile(r"\Apolicy: *(\S+) *\Z")


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain add-on. `policy` names the policy that suits it, as `load_policy` takes it."""

    name: str
    policy: str
    writing: str
    reviewing: str

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that change with the parts that the prompts use."""
        return hashlib.sha256(f"{self.writing}\0{self.reviewing}".encode()).hexdigest()[:12]


def domain_names() -> list[str]:
    """Return the names of the shipped add-ons."""
    folder = resources.files("sage_rag.agents").joinpath("prompts", "domains")
    return sorted(f.name.removesuffix(".md") for f in folder.iterdir() if f.name.endswith(".md"))


def load_domain(name_or_path: str) -> Domain:
    """Load a shipped add-on by name, or another one from a file (`./mine.md`).

    Raises:
        InputError: for an unknown name, or a file that cannot be read or lacks a part.
    """
    if name_or_path.endswith(".md"):
        path = Path(name_or_path)
        try:
            return parse_domain(path.stem, path.read_text("utf-8-sig"))
        except (OSError, ValueError):
            raise InputError(f"cannot read the domain add-on `{path.name}`") from None
    if name_or_path not in domain_names():
        raise InputError(
            f"no domain add-on is called `{name_or_path}`",
            hint=f"one of: {', '.join(domain_names())}; or a file: ./mine.md",
        )
    shipped = resources.files("sage_rag.agents").joinpath(
        "prompts", "domains", f"{name_or_path}.md"
    )
    return parse_domain(name_or_path, shipped.read_text("utf-8"))


def parse_domain(name: str, source: str) -> Domain:
    """Read an add-on; strict, so that a misspelt heading is an error.

    Raises:
        InputError: when the policy's line or a part is missing, repeated, empty or unknown.
    """
    where = f"domain add-on `{name}`"
    first, *parts = re.split(r"^# +", _COMMENT.sub("", source), flags=re.MULTILINE)
    policy = _POLICY.match(first.strip())
    if policy is None:
        raise InputError(f"{where} does not begin with its policy", hint="write: policy: sage")
    load_policy(policy.group(1))
    found: dict[str, str] = {}
    for part in parts:
        head, _, text = part.partition("\n")
        if head.strip() not in _HEADS or head.strip() in found or not text.strip():
            raise InputError(
                f"{where} has an unknown, repeated or empty part",
                hint="two parts, each with text: # Writing, # Reviewing",
            )
        found[head.strip()] = text.strip()
    missing = [head for head in _HEADS if head not in found]
    if missing:
        raise InputError(f"{where} has no part `# {missing[0]}`", hint=f"write: # {missing[0]}")
    return Domain(name, policy.group(1), found["Writing"], found["Reviewing"])
