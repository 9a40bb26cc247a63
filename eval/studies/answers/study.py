"""Measure refusals, follow-up questions and answers; write the page of answers."""

from __future__ import annotations

import statistics
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from sage_rag.agents.reading.reader import Reader
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.answers.asker import Reply, ask_all
from sage_rag.eval.studies.answers.blind_sets import LETTERS_AND_NOTES, STRUCTURED_RECORDS
from sage_rag.eval.studies.answers.people import people_questions, people_table
from sage_rag.eval.studies.answers.sets import (
    DEVELOPMENT_CORPORA,
    EXAMPLES,
    GoldQuestion,
    example_questions,
    gold_conversations,
    gold_corpus,
    gold_questions,
    questions_by_corpus,
    topic_sets,
    verdicts,
)
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.eval.studies.tables import NO_FIGURE, cell, share, table
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.recipes import RECIPES
from sage_rag.privacy.policy import load_policy
from sage_rag.rag_server.edge.keyring import CorpusKeys

_ABOUT = """\
Answers without a model (`rag_server/answering/extractive.py`) on the invented examples, recipe
`encrypted`, asked through the keys of an edge; and refusals on plain indexes of real corpora.
The development halves and corpora chose the thresholds of `answering/evidence.py` and
`answering/outcome.py`, the others did not. The questions are written by a language model, half of
them for each half before anything was measured. A refused question gets no passage: "I found
nothing about this" or "I found no record of ...". *Unclear*: the answer begins with "I found no
clear answer to this", and quotes what comes nearest: evidence and reader together are short of the
threshold.

Both halves of these questions were read while the rules were made, and so were the near and the
fresh ones: only the first reading of the blind questions is of unseen questions."""
_REFUSAL_COLUMNS = ("questions", "half", "refused", "unclear", "right record cited")
_FRESH = """\
Questions on the examples and on two other invented corpora, recipe `encrypted`:
`eval/gold/advice.jsonl`, 20 letters to an advice office, and `handbook.jsonl`, 10 pages of a
company. The questions were written before their answers were seen. The development half helped to
choose the rules; the reported half was asked once the rules were fixed. The verdicts below are of
this first reading."""
_NEAR = """\
`eval/gold/near_questions.jsonl`: an unanswerable question asks a record for a detail that it lacks,
or for a neighbouring matter. The reported corpora are eight notes of a vet, seven decisions of a
property court and seven entries of a maintenance log, of kinds that no other set has. They and
their questions were written before the rules, and chose none; they have been read since. The
development half chose rules and threshold."""
_PARTICULARS = """\
A holder of a key asks for what a record holds as tokens: phone number, e-mail address, tenancy
number, registration, the sum that was paid. The words around such a value seldom repeat the
question, so the type of its token decides (`answering/particulars.py`). Invented letters of
tenants and tickets of a garage, 25 each, by a writer who knew no code; five forms of questions,
written with the patterns; right: the value, and the right record cited.

| asked | without | with |
| --- | --- | --- |
| phone number | 0 of 25 | 22 of 25 (68.8–97.5 %) |
| e-mail address | 0 of 25 | 25 of 25 (88.7–100.0 %) |
| tenancy number | 0 of 25 | 23 of 25 (74.0–99.0 %) |
| registration of the car | 0 of 25 | 20 of 25 (59.3–93.2 %) |
| sum paid | 23 of 25 | 24 of 25 (79.6–99.9 %) |

On the near, blind and fresh questions no refusal, citation or fact changes."""
_ADDED = """\
`eval/gold/added_topics.jsonl`: a follow-up of one word, such as "And the wine?", after a question
about a person of the examples. Of each two, one word is in the person's record, and one is in none
of it. Written with the rule that an answer has the word (`going_on.added_topic`), before it ran.
Without the rule, 10 of the 23 words that the record lacks are answered as if they were in it, and 4
of the 23 others are unclear."""
_UNMARKED = """\
`eval/gold/unmarked_follow_ups.jsonl`: after a question about a person of the examples, a question
on the same record that names no one and refers to nothing, such as "Which target pressure was
set?". Where the reader finds its answer in the record of the last answer, that record answers.
They were written with the rule, before it ran. Without it, 14 of the 24 get the right record. It
costs nothing where the question is about another record than the last answer: of 131 such pairs
of questions on the invented corpora, 112 get the right record with the rule and without."""
_PEOPLE = """\
Questions that people typed into a search engine (Natural Questions), on 21 long documents. Each is
read with two passages of its document: the nearest one that has the words of the data set's answer,
and the nearest one that has not. Words are no verdict: whether a passage answers was judged by a
language model that read all of them and saw no answers (`eval/gold/typed_passages.jsonl`, by
digest); arguable ones are left out. *Area*: how often a passage that answers has the higher score.
*Refused*: of those that do not, where 5 % and 10 % of those that do are lost."""
_NEAR_COLUMNS = (
    "corpus, half",
    "questions",
    "refused",
    "unclear",
    "answered",
    "right record cited",
    "answer holds the facts",
)
_HALVES = ("development", "reported")
_KINDS = (
    "off-topic",
    "invented person",
    "unanswerable",
    "unanswerable follow-up",
    "answerable",
    "answerable follow-up",
)
_READ = 50
_FIELDS = ("question", "answer")
_VERDICTS = """\
A language model read each answer next to its record and gave the verdict: *good* (answers the
question, nothing wrong or missing that matters), *partial* (a part of the answer, or its sentence
is not the first one to quote), *poor* (does not answer), *refused*. The first 20 questions come
with the examples, and those below them are of the reported halves. An answer that has changed since
it was read has no verdict."""


def add_options(parser: ArgumentParser) -> None:
    """Add the folder of data sets."""
    parser.add_argument("--data", type=Path, help="folder of the real corpora; without: left out")
    parser.add_argument("--without-reader", action="store_true", help="answer by evidence alone")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Index the examples, ask, and count."""
    home = StudyHome(run.home)
    reader = None if options.without_reader else Reader()
    asking = partial(_asking, home, reader)
    ask = asking("clinic", EXAMPLES / "clinic.jsonl", _FIELDS)
    questions, conversations = gold_questions(), gold_conversations()
    replies = ask([(question.text,) for question in questions])
    last_turns = ask([conversation.turns for conversation in conversations])
    alone = ask([conversation.turns[-1:] for conversation in conversations])
    report("asked the examples")
    examples = example_questions()
    read = _read(examples, ask([(q.text,) for q in examples]), questions, replies)
    body = [
        "## Refusals on the examples",
        _refusal_table(questions, replies),
        "## Refusals on real corpora",
        _topics(home, reader, options.data),
        "## Near questions",
        _NEAR,
        _near_table(_of_corpora(asking, "near_questions")),
        "## Blind questions",
        *_sets(asking, LETTERS_AND_NOTES),
        "## Structured records",
        *_sets(asking, STRUCTURED_RECORDS),
        "## Questions that people typed",
        _people(home, reader, options.data),
        "## Particulars of a person",
        _PARTICULARS,
        "## Fresh questions",
        *_fresh(_of_corpora(asking, "fresh_questions")),
        "## Follow-up questions",
        _conversation_table(conversations, last_turns, alone),
        _ADDED,
        _near_table(_of_corpora(asking, "added_topics")),
        _UNMARKED,
        _near_table(_of_corpora(asking, "unmarked_follow_ups")),
        "## Names and length",
        _name_lines([*replies, *(reply for _, reply in read)]),
        f"## {_READ} answers",
        _VERDICTS,
        *_answers(read, conversations, last_turns),
    ]
    return StudyResult(page("Answers", _ABOUT, run, *body))


_Ask = Callable[[Sequence[Sequence[str]]], list[Reply]]


def _asking(
    home: StudyHome, reader: Reader | None, name: str, path: Path, fields: tuple[str, ...]
) -> _Ask:
    """Index a corpus; return what asks it."""
    corpus = Corpus(name, path, fields, tuple(read_corpus(path, fields)), probes=())
    indexed = home.index(corpus, Variant(RECIPES["encrypted"]))
    policy = load_policy(str(RECIPES["encrypted"].policy))
    keys = CorpusKeys(f"{name}-encrypted", home.keyset, home.recognizer, policy)
    return lambda asked: ask_all(indexed.path, home.embedder, keys, asked, reader)


_Asked = Mapping[str, Sequence[tuple[GoldQuestion, Reply]]]


def _sets(asking: Callable[..., _Ask], about: Mapping[str, str]) -> Iterator[str]:
    """Yield what each set of blind questions is, and its figures."""
    for name, text in about.items():
        yield text
        yield _near_table(_of_corpora(asking, name))


def _of_corpora(asking: Callable[..., _Ask], name: str) -> _Asked:
    """Ask the questions of a file of `gold`; return the replies by corpus."""
    found = {}
    for corpus, questions in questions_by_corpus(name).items():
        replies = asking(corpus, *gold_corpus(corpus))([q.turns for q in questions])
        found[corpus] = list(zip(questions, replies, strict=True))
        report(f"asked {corpus}")
    return found


def _fresh(asked: _Asked) -> Iterator[str]:
    """Yield refusals on the fresh questions by corpus, and the answers of the reported half."""
    lines = [[name, *line] for name, pairs in asked.items() for line in _refusal_lines(pairs)]
    yield _FRESH
    yield table(("corpus", *_REFUSAL_COLUMNS), lines)
    every = [pair for pairs in asked.values() for pair in pairs]
    yield from _judged([(q.text, r) for q, r in every if q.half == "reported" and q.expects])


def _near_table(asked: _Asked) -> str:
    """Return what became of each kind of question, and which answers hold the expected facts."""
    every = [pair for pairs in asked.values() for pair in pairs]
    groups = [
        (f"{name}, {half}", [p for p in pairs if p[0].half == half])
        for name, pairs in {"all": every, **asked}.items()
        for half in _HALVES
    ]
    lines = [
        [label, kind, *_near_cells(chosen)]
        for label, pairs in groups
        for kind in _KINDS
        if (chosen := [pair for pair in pairs if pair[0].kind == kind])
    ]
    return table(_NEAR_COLUMNS, lines)


def _near_cells(pairs: Sequence[tuple[GoldQuestion, Reply]]) -> list[str]:
    """Return the outcomes, and how many answers are of the right record and hold the facts."""
    refused, unclear = sum(r.refused for _, r in pairs), sum(r.unclear for _, r in pairs)
    counts = [refused, unclear, len(pairs) - refused - unclear]
    cells = [share(Proportion.of(count, len(pairs))) for count in counts]
    if not pairs[0][0].expects:
        return [*cells, NO_FIGURE, NO_FIGURE]
    right = sum(r.cited in q.expects for q, r in pairs)
    holds = sum(not r.refused and q.answered_by(r.text) for q, r in pairs)
    return [*cells, *(share(Proportion.of(count, len(pairs))) for count in (right, holds))]


def _refusal_table(questions: Sequence[GoldQuestion], replies: Sequence[Reply]) -> str:
    pairs = list(zip(questions, replies, strict=True))
    return table(_REFUSAL_COLUMNS, _refusal_lines(pairs))


def _refusal_lines(pairs: Sequence[tuple[GoldQuestion, Reply]]) -> list[list[str]]:
    """Return refusals by kind of question and half."""

    def line(label: str, half: str, chosen: Sequence[tuple[GoldQuestion, Reply]]) -> list[str]:
        refused = Proportion.of(sum(r.refused for _, r in chosen), len(chosen))
        unclear = Proportion.of(sum(r.unclear for _, r in chosen), len(chosen))
        first = Proportion.of(sum(r.cited in q.expects for q, r in chosen), len(chosen))
        right = share(first) if chosen[0][0].expects else NO_FIGURE
        return [label, half, share(refused), share(unclear), right]

    kinds = list(dict.fromkeys(question.kind for question, _ in pairs))
    groups = [
        (kind, half, [(q, r) for q, r in pairs if q.kind == kind and q.half == half])
        for kind in kinds
        for half in _HALVES
    ]
    none = [(q, r) for q, r in pairs if not q.expects]
    groups += [
        ("all without an answer", half, [(q, r) for q, r in none if q.half == half])
        for half in _HALVES
    ]
    return [line(*group) for group in groups if group[2]]


def _topics(home: StudyHome, reader: Reader | None, data: Path | None) -> str:
    if data is None:
        return "*Not measured: no `--data`.*"
    lines = []
    for found in topic_sets(data, home.home):
        path = home.index(found.corpus, Variant(RECIPES["origin"])).path
        counts = []
        for asked in (found.own, found.off_topic):
            replies = ask_all(path, home.embedder, None, [(text,) for text in asked], reader)
            for count in (sum(r.refused for r in replies), sum(r.unclear for r in replies)):
                counts.append(share(Proportion.of(count, len(replies))))
        half = "development" if found.corpus.name in DEVELOPMENT_CORPORA else "reported"
        lines.append([f"`{found.corpus.name}`", half, *counts])
        report(f"asked {found.corpus.name}")
    columns = ("own questions refused", "unclear", "off-topic ones refused", "unclear")
    return table(("corpus", "", *columns), lines)


def _people(home: StudyHome, reader: Reader | None, data: Path | None) -> str:
    if data is None or reader is None:
        return "*Not measured: no `--data`, or no reader.*"
    questions = people_questions(data, home.embedder)
    verdicts = [answers for question in questions for _, answers in question.passages]
    counted = f"{len(questions)} questions; {sum(verdicts)} of {len(verdicts)} passages answer."
    return f"{_PEOPLE} {counted}\n\n{people_table(questions, reader, home.embedder)}"


def _conversation_table(
    conversations: Sequence[GoldQuestion], replies: Sequence[Reply], alone: Sequence[Reply]
) -> str:
    lines = []
    for half in _HALVES:
        rows = [
            (r.first in c.expects, a.first in c.expects)
            for c, r, a in zip(conversations, replies, alone, strict=True)
            if c.half == half
        ]
        counts = (Proportion.of(sum(column), len(rows)) for column in zip(*rows, strict=True))
        lines.append([half, *map(share, counts)])
    both = [r.first in c.expects for c, r in zip(conversations, replies, strict=True)]
    lines.append(["both", share(Proportion.of(sum(both), len(both))), ""])
    return table(("half", "right record first, with the history", "last turn alone"), lines)


def _name_lines(replies: Sequence[Reply]) -> str:
    answered = [reply for reply in replies if not reply.refused]
    nameless = [reply for reply in answered if not reply.named]
    named = Proportion.of(sum("PERSON_[" in reply.sealed for reply in nameless), len(nameless))
    words = [len(reply.text.split()) - 1 for reply in answered]
    return (
        f"Answers with a person's name to questions that name no one: {named}. An answer has "
        f"{statistics.median(words):.0f} words in the median, {max(words)} at most."
    )


def _read(
    examples: Sequence[GoldQuestion],
    example_replies: Sequence[Reply],
    questions: Sequence[GoldQuestion],
    replies: Sequence[Reply],
) -> list[tuple[GoldQuestion, Reply]]:
    own = list(zip(examples, example_replies, strict=True))
    reported = [
        (question, reply)
        for question, reply in zip(questions, replies, strict=True)
        if question.half == "reported" and question.expects
    ]
    return [*own, *reported]


def _answers(
    read: Sequence[tuple[GoldQuestion, Reply]],
    conversations: Sequence[GoldQuestion],
    replies: Sequence[Reply],
) -> Iterator[str]:
    """Yield the counts of verdicts, and the table of answers."""
    shown = [(question.text, reply) for question, reply in read]
    shown += [
        (" / ".join(conversation.turns), reply)
        for conversation, reply in zip(conversations, replies, strict=True)
        if conversation.half == "reported"
    ]
    yield from _judged(shown[:_READ])


def _judged(shown: Sequence[tuple[str, Reply]]) -> Iterator[str]:
    """Yield the counts of verdicts on answers, and their table."""
    known = verdicts()
    lines, given = [], []
    for asked, reply in shown:
        found = known.get((asked, reply.text))
        given.append(found["verdict"] if found else "not judged")
        lines.append([cell(asked), cell(reply.text), given[-1], found["note"] if found else ""])
    counts = {v: Proportion.of(given.count(v), len(given)) for v in dict.fromkeys(sorted(given))}
    yield table(("verdict", "answers"), [[verdict, share(n)] for verdict, n in counts.items()])
    yield table(("question", "answer", "verdict", "note"), lines)
