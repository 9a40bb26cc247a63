"""Invented dialogues, protected with a table of the names in them."""

import asyncio
from collections.abc import Callable

import pytest

from sage_rag.agents.protocols import CorpusAttributes
from sage_rag.agents.refinement import RefinementOutcome
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protection, Protector
from sage_rag.privacy.testing import TableRecognizer
from tests.agents.refining import treated

NAMES = {
    "Ines Varga": EntityType.PERSON,
    "Tobias": EntityType.PERSON,
    "Hallberg": EntityType.PERSON,
    "Norrvik": EntityType.LOCATION,
}
SAMPLE = {
    "question": "My ear hurts and the drops do not help. Should I see a doctor about the fever?",
    "answer": "Take ibuprofen and let a physician look at the ear, it may be an infection.",
}


@pytest.fixture
def protect() -> Callable[[dict[str, str]], Protection]:
    cipher = SivCipher(Keyset.generate(), "test")
    return Protector(TableRecognizer(NAMES), preset("sage"), cipher).protect


@pytest.fixture
def attributes(protect) -> CorpusAttributes:
    sample = protect(SAMPLE).protected
    return asyncio.run(rules_roles().identifier.identify([sample]))


@pytest.fixture
def run(protect) -> Callable[[dict[str, str]], RefinementOutcome]:
    gate = Gate(GateLimits(), TableRecognizer({}))
    return lambda fields: treated(fields, protect(fields), rules_roles(), gate)
