"""The page of the study of retrieval."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.eval.studies.retrieval.results import MeanScore, SearchScores
from sage_rag.eval.studies.runner import StudyRun, page
from sage_rag.eval.studies.tables import NO_FIGURE, ratio, share, table

_ABOUT = """\
How well passages are found: with a key at the edge, as users ask. Every second question of each set
chose the settings; this page has the others. *Of `origin`'s*: the ratio to the plain index without
a reranker over the same questions, counted on the passages that both publish. A refused record is
missing from both, since refusals are a matter of the [gate](refusals.md). *Agreement*: the plain
index's first passage is in the top 5. *Known items*: a record is first for half of its own text.
Brackets hold 95 % intervals: exact for proportions, a bootstrap over questions for ratios.

| set | question | relevant |
| --- | --- | --- |
| nq_open | asked of a search engine | passages of Wikipedia with the answer |
| quality, squality | asked by readers of stories | passages of the story |
| healthcaremagic, chatdoctor | six content words of a record, in order | the record |
| tab | the applicant of a long judgment, and six content words of a later piece | the piece |

The dialogues have no judged questions; agreement there also counts held-out questions. *Time* is of
the search on one core with the question's vector in a cache."""

_TITLES = (
    "set", "recipe", "reranker", "published", "questions", "nDCG@10", "of `origin`'s", "MRR",
    "of `origin`'s", "hit@5", "of `origin`'s", "agreement", "known items", "time, median",
)  # fmt: skip


def markdown(scores: Sequence[SearchScores], run: StudyRun) -> str:
    """Return the page."""
    return page("Retrieval", _ABOUT, run, table(_TITLES, map(_row, scores)))


def _row(score: SearchScores) -> list[object]:
    return [
        score.corpus,
        f"`{score.recipe}`",
        score.reranker,
        f"{score.published} of {score.documents}",
        score.judged,
        *_cells(score.ndcg, score.judged),
        *_cells(score.mrr, score.judged),
        share(score.hits) if score.judged else NO_FIGURE,
        ratio(score.hit_ratio),
        share(score.agreement),
        share(score.known) if score.known.trials else NO_FIGURE,
        f"{score.median_ms} ms",
    ]


def _cells(mean: MeanScore, questions: int) -> tuple[str, str]:
    return f"{mean.value:.3f}" if questions else NO_FIGURE, ratio(mean.ratio)
