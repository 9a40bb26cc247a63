"""What an indexing worker answers, and that its failures hold no text."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.workers import local_pool
from sage_rag.indexer.engines.models import (
    EMBED,
    RECOGNIZE,
    FirstAlone,
    ModelHandler,
    ModelSetup,
)
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer

CANARY = "Zebulon Quist"


def table() -> TableRecognizer:
    return TableRecognizer({CANARY: EntityType.PERSON})


def test_a_worker_recognises_and_embeds() -> None:
    pool = local_pool(ModelSetup(table, HashEmbedder)())
    (span,) = pool.ask(RECOGNIZE, f"I am {CANARY}.")
    assert (span.start, span.end) == (5, 18)
    assert np.array_equal(pool.ask(EMBED, ["a", "b"]), HashEmbedder().embed(["a", "b"]))


def test_another_recognizer_or_embedder_has_another_fingerprint() -> None:
    class Renamed(HashEmbedder):
        name = "hash-65"

    setups = [(table, HashEmbedder), (FailingRecognizer, HashEmbedder), (table, Renamed)]
    assert len({ModelSetup(*setup)().fingerprint for setup in setups}) == 3


def test_a_recognizer_that_fails_is_a_failure_of_protection_without_the_text() -> None:
    pool = local_pool(ModelSetup(FailingRecognizer, HashEmbedder)())
    with pytest.raises(ProtectionError, match=r"^recognising failed: RuntimeError$"):
        pool.ask(RECOGNIZE, CANARY)


def test_a_failure_with_a_reason_of_its_own_keeps_it() -> None:
    class Missing(TableRecognizer):
        def recognize(self, text: str) -> list:
            raise InputError("the model is gone")

    pool = local_pool(ModelSetup(lambda: Missing({}), HashEmbedder)())
    with pytest.raises(InputError, match="the model is gone"):
        pool.ask(RECOGNIZE, CANARY)


def test_the_first_question_of_each_task_is_answered_alone() -> None:
    class Loading(TableRecognizer):
        """Notes how many threads load it together."""

        loading = most = 0
        loaded = False

        def recognize(self, text: str) -> list[Span]:
            if not self.loaded:
                self.loading += 1
                self.most = max(self.most, self.loading)
                time.sleep(0.05)  # room for others to come in
                self.loading, self.loaded = self.loading - 1, True
            return list(super().recognize(text))

    recognizer = Loading({CANARY: EntityType.PERSON})
    pool = local_pool(FirstAlone(ModelHandler(recognizer, HashEmbedder())), 4)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: pool.ask(RECOGNIZE, text), [CANARY] * 8))
    assert [len(spans) for spans in found] == [1] * 8
    assert recognizer.most == 1
