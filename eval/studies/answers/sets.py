"""The sets of the study of answers: invented questions on the examples, and real corpora."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Literal

from sage_rag.common.jsonl import Row, rows
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.retrieval.sets import QuerySet, load_set

Half = Literal["development", "reported"]
EXAMPLES = Path(str(files("sage_rag"))) / "examples"
DEVELOPMENT_CORPORA = ("nq_open", "healthcaremagic")
"""Corpora that chose the thresholds of `rag_server.answering.evidence`; the others are reported."""
_DIALOGUES = ("healthcaremagic", "chatdoctor")
_STORIES = ("quality", "squality")
_OWN, _WEB, _OTHER = 40, 40, 15
_FIELDS = {
    "advice": ("question", "answer"),
    "handbook": ("title", "text"),
    "vet": ("history", "plan"),
    "court": ("case", "ruling"),
    "maintenance": ("fault", "work"),
    "machines": ("question", "answer"),
}
"""The fields of the corpora in `eval/gold` that have several."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question on invented records. `expects`: those that answer it; empty: there is none.

    `facts`: what an answer must hold; `|` separates alternatives. `before`: the user's turns before
    it.
    """

    name: str
    half: str
    kind: str
    text: str
    expects: frozenset[str]
    facts: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def turns(self) -> tuple[str, ...]:
        """The user's turns, the question last."""
        return (*self.before, self.text)

    def answered_by(self, text: str) -> bool:
        """Return whether a text holds every expected fact."""
        folded = text.casefold()
        return all(any(f.casefold() in folded for f in fact.split("|")) for fact in self.facts)


@dataclass(frozen=True)
class TopicSet:
    """A corpus with questions that it answers, and questions that belong to others."""

    corpus: Corpus
    own: tuple[str, ...] = field(repr=False)
    off_topic: tuple[str, ...] = field(repr=False)


def gold_questions() -> list[GoldQuestion]:
    """Return the questions of `gold/answerable.jsonl`."""
    return [
        GoldQuestion(r["id"], r["half"], r["kind"], r["question"], frozenset(r["expects"]))
        for r in _gold("answerable")
    ]


def gold_conversations() -> list[GoldQuestion]:
    """Return the last questions of `gold/conversations.jsonl`, with the turns before them."""
    return [_last_question(r) for r in _gold("conversations")]


def questions_by_corpus(name: str) -> dict[str, list[GoldQuestion]]:
    """Return the questions of a file of `gold` by the corpus that they are asked of.

    `name`: `fresh_questions`; `near_questions`, half of which ask a record for a detail that it
    lacks; `blind_questions` and `blind_questions_2` to `_9`, whose writers knew neither the code
    nor its results; those from `_7` on are on structured records, and some follow other turns.
    """
    found: dict[str, list[GoldQuestion]] = {}
    for r in _gold(name):
        expects, facts = frozenset(r["expects"]), tuple(r["facts"])
        before = tuple(r.get("before", ()))
        question = GoldQuestion(
            r["id"], r["half"], r["kind"], r["question"], expects, facts, before
        )
        found.setdefault(r["corpus"], []).append(question)
    return found


def gold_corpus(name: str) -> tuple[Path, tuple[str, ...]]:
    """Return the file and the fields of a corpus that these questions are asked of."""
    if name == "clinic":
        return EXAMPLES / "clinic.jsonl", ("question", "answer")
    file = Path(str(files("sage_rag.eval.gold"))) / f"{name}.jsonl"
    return file, _FIELDS.get(name, ("text",))


def example_questions() -> list[GoldQuestion]:
    """Return the questions that come with the examples."""
    return [
        GoldQuestion(r["id"], "examples", "answerable", r["question"], frozenset(r["expects"]))
        for r in rows(EXAMPLES / "questions.jsonl")
    ]


def verdicts() -> dict[tuple[str, str], Row]:
    """Return the verdicts of a reader by question and answer."""
    return {(r["question"], r["answer"]): r for r in _gold("verdicts")}


def topic_sets(data: Path, home: Path) -> Iterator[TopicSet]:
    """Yield the real corpora. A question on another corpus of its kind is not off-topic.

    The questions of a dialogue are halves of indexed ones: held-out dialogues may have no answer.
    """
    names = (*DEVELOPMENT_CORPORA, *_STORIES, "chatdoctor")
    sets = {name: load_set(name, data, home) for name in names}
    chance = random.Random(1)  # noqa: S311 - a sample, no secret
    own = {name: tuple(_sampled(_own(s), _OWN, chance)) for name, s in sets.items()}
    web = _sampled([r["question"] for r in rows(data / "nq_open/nq_open_dev.jsonl")], _WEB, chance)
    for name, found in sets.items():
        kin = next((kind for kind in (_DIALOGUES, _STORIES) if name in kind), (name,))
        others = [q for other in names if other not in kin for q in own[other][:_OTHER]]
        yield TopicSet(found.corpus, own[name], (*web, *others))


def _last_question(r: Row) -> GoldQuestion:
    *before, text = r["turns"]
    expects = frozenset(r["expects"])
    return GoldQuestion(r["id"], r["half"], "answerable", text, expects, before=tuple(before))


def _own(found: QuerySet) -> list[str]:
    asked = found.known if found.name in _DIALOGUES else found.queries
    return [query.text for query in asked]


def _sampled(texts: list[str], most: int, chance: random.Random) -> list[str]:
    return chance.sample(texts, min(most, len(texts)))


def _gold(name: str) -> Iterator[Row]:
    yield from rows(Path(str(files("sage_rag.eval.gold") / f"{name}.jsonl")))
