"""Short queries find the right record of the example corpus, through the edge's reading of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from importlib import resources
from pathlib import Path

import pytest

from sage_rag.common.jsonl import rows
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import open_version
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.retrieval import Retriever

EXAMPLES = Path(__file__).parents[2] / "examples" / "clinic.jsonl"
QUERIES = [
    json.loads(line)
    for line in (resources.files("sage_rag.eval.gold") / "telegraphic.jsonl")
    .read_text("utf-8")
    .splitlines()
]
WANTED = 36


def test_each_query_expects_records_of_the_corpus() -> None:
    known = {record["id"] for record in rows(EXAMPLES)}
    assert len(QUERIES) == len({query["query"] for query in QUERIES}) == 40
    assert all(query["expects"] and set(query["expects"]) <= known for query in QUERIES)


@pytest.mark.slow
def test_the_right_record_is_first(tmp_path: Path) -> None:
    keyset, recognizer = Keyset.generate(), default_recognizer()
    job = index_job(
        CorpusFile(source=EXAMPLES, fields=("question", "answer"), recipe="encrypted"),
        "clinic",
        tmp_path,
        keyset,
        recipe=RECIPES["encrypted"],
        recognizer=recognizer,
        embedder=HashEmbedder(),
        agents=False,
    )
    path = asyncio.run(index_corpus(job, lambda *_: None)).path
    assert path is not None
    with closing(open_version(path)) as version:
        keys = CorpusKeys("clinic", keyset, recognizer, load_policy("soe-all"))
        keys.use_lookup(version.lookup)
        retriever = Retriever(version, HashEmbedder())

        def first() -> Iterator[bool]:
            for query in QUERIES:
                asked = keys.pseudonymize(query["query"])
                words, groups = keys.search_words(asked), keys.search_groups(asked)
                found = retriever.retrieve(asked, 1, words, groups)
                yield bool(found) and keys.restore(found[0].source) in query["expects"]

        assert sum(first()) >= WANTED
