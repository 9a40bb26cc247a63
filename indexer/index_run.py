"""One run of the indexer: job, ledger, engine and counts, and the steps that every layer uses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from sage_rag.common.files import write_file
from sage_rag.common.progress import Progress
from sage_rag.indexer.concurrency import each
from sage_rag.indexer.embedding import CachedEmbedder
from sage_rag.indexer.engines.local import Engine
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.ledger import Ledger, Refusal
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.indexer.reading import CorpusReading
from sage_rag.indexer.sentences import sentence_views
from sage_rag.privacy.tokens import readable_view

_EMBED_BATCH = 64


@dataclass
class IndexRun:
    """The state that the layers of one run share.

    `job` has the recognizer and the embedder of the engine. Only this process opens the ledger; its
    threads store vectors there.
    """

    job: IndexJob
    ledger: Ledger
    engine: Engine
    progress: Progress
    reading: CorpusReading
    summary: Summary = field(default_factory=Summary)

    def time(self, stage: str) -> AbstractContextManager[None]:
        """Time a piece of work under a stage's name, if the job has a timer."""
        return self.job.timer(stage) if self.job.timer else nullcontext()

    def refuse(self, reasons: Mapping[str, tuple[str, ...]], fingerprint: str) -> None:
        """Record for the owner which documents are not published, and why.

        `reasons`: by document id. `fingerprint`: of the results.
        """
        lines = [
            json.dumps({"id": name, "reasons": found}, ensure_ascii=False) + "\n"
            for name, found in reasons.items()
        ]
        write_file(self.job.owner_folder / "quarantine.jsonl", "".join(lines))
        self.ledger.store_refusals(
            [
                Refusal(key.document_hash, key.content_hash, fingerprint, reasons[key.id])
                for key in self.reading.keys
                if key.id in reasons
            ]
        )
        self.summary.quarantined = len(reasons)
        self.summary.reasons = dict(sorted(Counter(chain.from_iterable(reasons.values())).items()))

    async def embed(self, texts: Sequence[str], stage: str = "embed") -> Vectors:
        """Return `(n, dim)` vectors of texts, made in batches; stored vectors are used again."""
        embedder = CachedEmbedder(self.job.embedder, self.ledger)
        rows: list[Any] = [None] * len(texts)
        done = 0

        async def work(start: int) -> None:
            nonlocal done
            batch = texts[start : start + _EMBED_BATCH]
            vectors = await self.engine.run_in_executor(partial(embedder.embed, batch))
            rows[start : start + len(batch)] = vectors
            done += len(batch)
            self.progress(stage, done, len(texts))

        await each(range(0, len(texts), _EMBED_BATCH), work, self.engine.documents_in_flight)
        return np.stack(rows) if rows else np.zeros((0, embedder.dim), dtype=np.float32)

    async def embed_sentences(self, passages: Sequence[Passage]) -> list[dict[str, Vector]]:
        """Return the vectors of each passage's sentences, by their readable views."""
        views = [sentence_views(passage, self.job.answer_fields) for passage in passages]
        texts = list(dict.fromkeys(chain.from_iterable(views)))
        vectors = dict(zip(texts, await self.embed(texts, "sentences"), strict=True))
        return [{view: vectors[view] for view in own} for own in views]


def embedded_text(passage: Passage) -> str:
    """Return the text of a passage that its vector stands for."""
    return readable_view(passage.text)
