"""Domain add-ons: text files that bring a policy and words for the prompts."""

from __future__ import annotations

import pytest

from sage_rag.agents.model.domains import domain_names, load_domain, parse_domain
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.policy import load_policy

GOOD = "policy: sage\n\n# Writing\nKeep the species.\n\n# Reviewing\nLook for kennels.\n"


@pytest.mark.parametrize("name", domain_names())
def test_every_shipped_add_on_loads_with_its_policy(name: str) -> None:
    domain = load_domain(name)
    load_policy(domain.policy)
    assert domain.writing
    assert domain.reviewing
    assert "<!--" not in domain.writing + domain.reviewing


def test_the_three_domains_are_there() -> None:
    assert domain_names() == ["finance", "health", "law"]


def test_ones_own_is_loaded_by_its_path(tmp_path) -> None:
    path = tmp_path / "vets.md"
    path.write_text(f"<!-- Ours. -->\n{GOOD}", "utf-8")
    domain = load_domain(str(path))
    assert (domain.name, domain.policy) == ("vets", "sage")
    assert (domain.writing, domain.reviewing) == ("Keep the species.", "Look for kennels.")
    assert domain.fingerprint != parse_domain("vets", GOOD.replace("species", "breed")).fingerprint


WRONG = {
    "": "begin with its policy",
    GOOD.replace("policy: sage", ""): "begin with its policy",
    GOOD.replace("policy: sage", "policy: sage\nand more"): "begin with its policy",
    GOOD.replace("sage", "nonsense"): "no policy is called `nonsense`",
    GOOD.replace("# Writing", "# Writting"): "unknown, repeated or empty",
    GOOD.replace("# Reviewing", "# Writing"): "unknown, repeated or empty",
    GOOD.replace("Look for kennels.", " "): "unknown, repeated or empty",
    GOOD.partition("# Reviewing")[0]: "no part `# Reviewing`",
}


@pytest.mark.parametrize("source", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_told_in_one_line(source: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_domain("vets", source)
    assert WRONG[source] in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("name", ["poetry", "./absent.md"])
def test_what_is_not_there_is_said(name: str) -> None:
    with pytest.raises(InputError):
        load_domain(name)
