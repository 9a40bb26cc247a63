"""Short queries find the right record of the example corpus, through the edge's reading of them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pytest

from sage_rag.common.jsonl import rows
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.recipes import RECIPES
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import IndexVersion, open_version
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import load_policy
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.wordlists import TITLES
from sage_rag.privacy.tokens import TOKEN
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


@dataclass(frozen=True)
class Asked:
    """The published examples, and the keys of a user's edge."""

    version: IndexVersion
    keys: CorpusKeys

    def sent(self, question: str) -> str:
        """What leaves the machine of a question, without tokens."""
        return TOKEN.sub(" ", self.keys.pseudonymize(question))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    keyset, recognizer = Keyset.generate(), default_recognizer()
    job = index_job(
        CorpusFile(source=EXAMPLES, fields=("question", "answer"), recipe="encrypted"),
        "clinic",
        tmp_path_factory.mktemp("examples"),
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
        yield Asked(version, keys)


@pytest.mark.slow
def test_the_right_record_is_first(asked: Asked) -> None:
    retriever = Retriever(asked.version, HashEmbedder())

    def first() -> Iterator[bool]:
        for query in QUERIES:
            question = asked.keys.pseudonymize(query["query"])
            words = asked.keys.search_words(question)
            found = retriever.retrieve(question, 1, words, asked.keys.search_groups(question))
            yield bool(found) and asked.keys.restore(found[0].source) in query["expects"]

    assert sum(first()) >= WANTED


@pytest.mark.slow
def test_no_name_that_the_index_holds_as_a_name_alone_is_sent_in_clear(asked: Asked) -> None:
    texts = [asked.version.passage(row).text for row in range(len(asked.version))]
    in_clear = set(re.findall(r"[^\W\d_]+", " ".join(TOKEN.sub(" ", t) for t in texts).casefold()))
    people = {m.group() for t in texts for m in TOKEN.finditer(t) if m.group(1) == "PERSON"}
    parts = {part for token in people for part in asked.keys.restore(token).casefold().split()}
    names = {part for part in parts if part.isalpha() and len(part) > 2} - in_clear - TITLES
    assert len(names) > 50
    forms = ("{} cough", "the {}s?", "{} COUGH", "THE {}S?")
    for number, name in enumerate(sorted(names)):
        question = forms[number % 4].format(name.upper() if number % 4 > 1 else name)
        sent = set(re.findall(r"[^\W\d_]+", asked.sent(question).casefold()))
        assert not sent & names, question


@pytest.mark.slow
@pytest.mark.parametrize("noun", ["bill", "inhaler"])
def test_nobody_of_the_index_is_denied_for_a_word_next_to_the_name(asked: Asked, noun: str) -> None:
    texts = [asked.version.passage(row).text for row in range(len(asked.version))]
    people = {m.group() for t in texts for m in TOKEN.finditer(t) if m.group(1) == "PERSON"}
    full = sorted({name for name in map(asked.keys.restore, people) if len(name.split()) == 2})
    assert len(full) > 20
    for name in full:
        for written in (f"{name} {noun}".lower(), f"{name} {noun}".upper()):
            named = asked.keys.named_people(asked.keys.pseudonymize(written))
            assert named is not None
            assert named.unknown == (), written
