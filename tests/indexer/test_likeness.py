"""Likeness by embeddings, with the packaged MiniLM."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from sage_rag.indexer.embedding import embedder_called, vector_key
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.likeness import _KEPT, EmbeddingLikeness
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector, seal
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.privacy.tokens import readable_view

RECORD = {
    "question": (
        "Hello, I am Ada Novak. For three weeks my left knee has been swelling every evening after "
        "the walk home from work and it clicks on the stairs. Should I rest it or keep walking?"
    ),
    "answer": (
        "A swelling that comes with load and a click on stairs point to the meniscus. Rest it for "
        "ten days, cool it in the evenings and have it seen if it locks."
    ),
}
TRUE = {
    "question": (
        "[PERSON_1] has a knee on the left that swells at night when a walk from work is over, "
        "with clicking on stairs, since three weeks, and asks whether walking may go on."
    ),
    "answer": (
        "Clicking and swelling under load suggest a torn meniscus. Ten days of rest and cooling "
        "should help; a locked knee needs an examination."
    ),
}
GENERIC = {
    "question": "Somebody has a health problem for some time and wants to know what can be done.",
    "answer": "Thank you for your question. Please see a doctor, who will examine you and help.",
}
OTHER = {
    "question": "A man coughs at night since a cold and asks whether antibiotics are needed.",
    "answer": "A dry cough after a cold can last six weeks; honey and steam soothe it.",
}


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return embedder_called()


PROTECTION = Protector(
    TableRecognizer({"Ada Novak": EntityType.PERSON}),
    preset("sage"),
    SivCipher(Keyset.generate(), "clinic"),
).protect(RECORD)


@pytest.mark.parametrize(("draft", "passes"), [(TRUE, True), (GENERIC, False), (OTHER, False)])
def test_only_a_draft_that_answers_for_its_record_passes(
    minilm: Embedder, draft: dict[str, str], passes: bool
) -> None:
    gate = Gate(GateLimits(meaning=False), TableRecognizer({}), EmbeddingLikeness(minilm))
    verdict = gate.judge(Original("\n".join(RECORD.values())), PROTECTION, draft)
    assert verdict.likeness is not None
    assert {f.kind for f in verdict.findings} == (set() if passes else {FindingKind.UNLIKE})


def test_the_same_text_is_alike_and_order_of_asking_is_no_matter(
    minilm: Embedder,
) -> None:
    likeness = EmbeddingLikeness(minilm)
    first, second = RECORD["question"], OTHER["question"]
    assert likeness.compare(first, first) == pytest.approx(1, abs=1e-5)
    assert likeness.compare(first, second) == pytest.approx(
        EmbeddingLikeness(minilm).compare(second, first), abs=1e-4
    )


def test_an_original_is_embedded_once_and_a_draft_once() -> None:
    embedder = HashEmbedder()
    likeness = EmbeddingLikeness(embedder)
    for draft in ("one knee", "two knees", "one knee"):
        likeness.compare("a swollen knee", draft)
    assert embedder.embedded == 3


def test_no_more_originals_are_kept_than_said() -> None:
    embedder = HashEmbedder()
    likeness = EmbeddingLikeness(embedder)
    for number in range(_KEPT + 1):
        likeness.compare(f"record {number}", "the draft")
    before = embedder.embedded
    likeness.compare(f"record {_KEPT}", "the draft")
    assert embedder.embedded == before
    likeness.compare("record 0", "the draft")
    assert embedder.embedded == before + 1


def test_the_index_finds_the_drafts_vector_and_no_originals_in_the_ledger(tmp_path: Path) -> None:
    embedder, ledger = HashEmbedder(), Ledger(tmp_path / "ledger.sqlite")
    gate = Gate(GateLimits(meaning=False), TableRecognizer({}), EmbeddingLikeness(embedder, ledger))
    assert gate.judge(Original("\n".join(RECORD.values())), PROTECTION, TRUE).likeness is not None
    sealed = "\n".join(seal(text, PROTECTION.tokens) for text in TRUE.values())
    view = readable_view(sealed)
    assert "person 1" in view
    stored = ledger.vector(hashlib.sha256(view.encode()).hexdigest(), vector_key(embedder))
    assert np.allclose(stored, embedder.embed([view])[0])
    original = readable_view(seal(PROTECTION.protected.text, PROTECTION.tokens))
    assert (
        ledger.vector(hashlib.sha256(original.encode()).hexdigest(), vector_key(embedder)) is None
    )
    ledger.close()


def test_the_fingerprint_names_the_embedder(minilm: Embedder) -> None:
    assert EmbeddingLikeness(minilm).fingerprint != EmbeddingLikeness(HashEmbedder()).fingerprint
