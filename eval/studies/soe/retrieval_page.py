"""The tables of part `retrieval`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.eval.knowledge.arms import QuestionSpelling
from sage_rag.eval.studies.soe.retrieval_part import RERANKERS, TOP, RetrievalFigures
from sage_rag.eval.studies.tables import NO_FIGURE, share, table

_PAPER = (
    ("no", "no", NO_FIGURE, 0.424, 0.388),
    ("no", "yes", 4, 0.584, 0.86),
    ("no", "yes", 16, 0.672, 0.819),
    ("synt", "no", NO_FIGURE, 0.63, 0.652),
    ("synt", "yes", 4, 0.664, 0.68),
    ("synt", "yes", 16, 0.64, 0.527),
    ("encS", "no", NO_FIGURE, 0.63, 0.611),
    ("encS", "yes", 4, 0.664, 0.847),
    ("encS", "yes", 16, 0.456, 0.736),
)
"""Table 4: training, retrieval, top-k, English articles, Chinese judgments."""
_ABOUT = """\
## Retrieval

The corpus and the persons whom the base was schooled on, one sentence for each fact, as one running
text, cut into chunks of whole sentences. Lengths are those of the plain text; an encrypted chunk
has the same sentences and is longer. Embedder all-MiniLM-L6-v2, dense and lexical search, reranker
`late-interaction` over the first 50 (it has no weights of its own; the paper takes
mxbai-rerank-large-v1). `found`: a chunk that states the asked fact is among the first k.
`answered`: the extractive answerer of the project reads four chunks, and its answer names the
correct option and no other. `base`, `synt`, `encS`: a model of the study reads the first chunk
before the question, and is asked by likelihood, where this fits into a row of its training."""
_COMPARABLE = """\
Where `base` is near guessing although the chunk states the fact, it does not read: its schooling
never had a question behind a text that answers it. The paper's rise of the base model by retrieval
then cannot be repeated; what is found, and the extractive answerer, can be compared.

Comparable with the paper: the order of the chunk lengths, plain against encrypted, and with against
without reranker. Not comparable: levels, since our questions are about single facts that a sentence
states, while its questions are about whole articles; and the reading of long contexts, for which a
model of this size is too small and was not trained. So it is not tested here whether a language
model reads encrypted chunks less well the longer they are, as the paper finds."""


def blocks(found: Sequence[RetrievalFigures]) -> Iterator[str]:
    """Yield the tables of the part, where it has been run."""
    if not found:
        return
    models = list(dict.fromkeys(name for figures in found for name in figures.models))
    titles = (
        "tokens of a chunk", "chunks", "text and questions", "reranker", "seed",
        *(f"found, k = {k}" for k in TOP), "answered (95 %)", *models,
    )  # fmt: skip
    spellings = list(QuestionSpelling)
    order = sorted(
        found,
        key=lambda f: (
            f.chunk_tokens,
            spellings.index(f.spelling),
            RERANKERS.index(f.reranker),
            f.seed,
        ),
    )
    rows = [
        (
            figures.chunk_tokens,
            f"{figures.chunks:,}",
            figures.spelling,
            figures.reranker,
            figures.seed,
            *(f"{figures.found[k].successes} of {figures.found[k].trials}" for k in TOP),
            share(figures.extractive),
            *(_of_model(figures, name) for name in models),
        )
        for figures in order
    ]
    paper = table(("training", "retrieval", "top-k", "Quality", "Judge"), _PAPER)
    yield (
        f"{_ABOUT}\n\n{table(titles, rows)}\n\n{_COMPARABLE}\n\nThe paper's Table 4, chunks of "
        f"1024 tokens, names and places encrypted:\n\n{paper}"
    )


def _of_model(figures: RetrievalFigures, name: str) -> str:
    return share(figures.models[name]) if name in figures.models else NO_FIGURE
