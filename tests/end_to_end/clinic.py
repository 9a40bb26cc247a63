"""Five records of a clinic, indexed through the roles of a model at an address.

    python -m tests.end_to_end.clinic URL FOLDER

indexes `FOLDER/corpus.jsonl` into `FOLDER/home`, two documents at a time: a run to be killed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sage_rag.agents.chat.backends.openai_chat import OpenAIChatModel
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.rate_limits import RateLimits
from sage_rag.agents.chat.retries import RetryPolicy
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.protocols import Roles
from sage_rag.agents.refinement import RefinementOptions
from sage_rag.agents.team.conversation import team
from sage_rag.agents.testing.faults import INVENTED_NAME
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.pipeline import Summary, index_corpus
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import KEY_BYTES, Keyset, key_id_of
from sage_rag.privacy.testing import TableRecognizer

_KEY = bytes(range(KEY_BYTES))
KEYSET = Keyset({key_id_of(_KEY): _KEY}, key_id_of(_KEY))
"""The same in every process, so that one can go on with what another began."""
RECORDS = [
    {
        "id": "case-oak",
        "question": "Good morning, I am Leocadia Frostwick and since the spring my left knee swells "
        "after every hike. Cold packs help for an hour only. Write to leocadia@frostwick.example.org.",
        "answer": "Dear Leocadia Frostwick, a swollen knee after hiking is mostly an irritated "
        "cartilage. Rest it for two weeks, then cycle on flat roads before you hike again.",
    },
    {
        "id": "case-elm",
        "question": "My name is Balthasar Quillfeather. Night after night heartburn wakes me, worse "
        "when I had coffee or a late supper, and antacids have stopped helping.",
        "answer": "Mr Quillfeather, raise the head of the bed and eat nothing after seven. Take "
        "omeprazole before breakfast for four weeks; if you cannot swallow well, come at once.",
    },
    {
        "id": "case-fir",
        "question": "Doctor, this is Zdeněk Háčekovský. A migraine keeps me off work about twice "
        "a month, with flashing lights first and then vomiting for half a day.",
        "answer": "Dear Zdeněk Háčekovský, keep a diary of the migraine attacks and what went "
        "before. Start propranolol at night, forty milligrams, and leave out red wine.",
    },
    {
        "id": "case-ash",
        "question": "I write for my son Theophil Grimbald, aged six. His eczema itches so much that "
        "he scratches until it bleeds, above all in the crook of both arms.",
        "answer": "For Theophil Grimbald a greasy cream three times a day matters most. Use "
        "hydrocortisone for one week on the worst places, cut his nails, and wash with water alone.",
    },
    {
        "id": "case-yew",
        "question": "Hello, Ermentrude Vasselbrook here. Climbing stairs leaves me wheezing, and on "
        "cold days the asthma spray that I was given does not last until noon.",
        "answer": "Dear Ermentrude Vasselbrook, with asthma on stairs and in the cold you need the "
        "steroid inhaler daily, not the spray alone. Have your lungs measured this month.",
    },
]  # fmt: skip
IDS = [record["id"] for record in RECORDS]
PRIVATE = {
    "Leocadia Frostwick": EntityType.PERSON,
    "leocadia@frostwick.example.org": EntityType.EMAIL_ADDRESS,
    "Balthasar Quillfeather": EntityType.PERSON,
    "Quillfeather": EntityType.PERSON,
    "Zdeněk Háčekovský": EntityType.PERSON,
    "Theophil Grimbald": EntityType.PERSON,
    "Ermentrude Vasselbrook": EntityType.PERSON,
}
SECRETS = [*(part for name in PRIVATE for part in name.split()), *IDS]
RUN_S = 120.0


class Hurried:
    """A clock whose pauses are over at once, though it counts them as if they had passed."""

    def __init__(self) -> None:
        self._slept_s = 0.0

    def now(self) -> float:
        return time.monotonic() + self._slept_s

    async def sleep(self, seconds: float) -> None:
        self._slept_s += max(seconds, 0.0)
        await asyncio.sleep(0)


@asynccontextmanager
async def roles_at(url: str, *, timeout_s: float, patience_s: float) -> AsyncIterator[Roles]:
    """Yield the roles; close the model's connections afterwards."""
    hurried = Hurried()
    rates = RateLimits(clock=hurried.now, sleep=hurried.sleep)
    retries = RetryPolicy(patience_s, rates=rates, clock=hurried.now, sleep=hurried.sleep)
    backend = OpenAIChatModel(url, "tiny", timeout_s=timeout_s)
    model = ModelCalls(backend, rates=rates, retries=retries, on_close=backend.close)
    try:
        yield model_roles(model)
    finally:
        await model.close()


class Clinic:
    """One corpus and its home, indexed as often as a test asks for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.corpus = root / "corpus.jsonl"

    def write(self, records: Sequence[dict[str, str]]) -> None:
        lines = (json.dumps(record, ensure_ascii=False) for record in records)
        self.corpus.write_text("\n".join(lines), "utf-8")

    def index(self, url: str, **options: Any) -> Summary:
        """Index through the roles of a model; options are those of `run`.

        The scripted model writes other words than the records', so their meaning is not judged.
        """
        return asyncio.run(self.run(url, **options))

    async def run(
        self,
        url: str,
        *,
        concurrency: int = 1,
        timeout_s: float = 20.0,
        patience_s: float = 20.0,
    ) -> Summary:
        async with roles_at(url, timeout_s=timeout_s, patience_s=patience_s) as roles:
            job = index_job(
                CorpusFile(source=self.corpus, recipe="sage", concurrency=concurrency),
                "clinic",
                self.home,
                KEYSET,
                recipe=replace(recipe_called("sage"), own_limits={"meaning": False}),
                recognizer=TableRecognizer({**PRIVATE, INVENTED_NAME: EntityType.PERSON}),
                embedder=HashEmbedder(),
                roles=roles,
            )
            job = replace(job, refinement=RefinementOptions(conversation=team))
            progress = index_corpus(job, lambda stage, done, total: None)
            return await asyncio.wait_for(progress, RUN_S)


if __name__ == "__main__":
    address, folder = sys.argv[1:]
    Clinic(Path(folder)).index(address, concurrency=2)
