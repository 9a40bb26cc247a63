"""The extractive answerer: answers with sentences of one passage, with citations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from sage_rag.agents.reading.protocols import PassageReader
from sage_rag.indexer.embedding import KnownSentences, cosines
from sage_rag.indexer.passages import CONSENSUS
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.tokens import TOKEN, readable_view
from sage_rag.rag_server.answering.cues import asks_advice, asks_value
from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.focus import (
    RankedPassage,
    RankedPassages,
    asked_marks,
    goes_on_about,
    names_in,
    passage_told,
    passages_in_focus,
)
from sage_rag.rag_server.answering.going_on import (
    asked_in,
    asks_for_more,
    untold,
)
from sage_rag.rag_server.answering.names import names_no_one, names_someone, without_names
from sage_rag.rag_server.answering.outcome import Outcome, falls_short, outcome_of
from sage_rag.rag_server.answering.overview import (
    fitting,
    introduction,
    only_signs,
    overview,
    ranks_that_ask,
    traits,
    with_owner,
)
from sage_rag.rag_server.answering.particulars import (
    asks_who,
    particulars_asked,
)
from sage_rag.rag_server.answering.parts import parts_of
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.reading import (
    PassageReading,
    is_readable,
    read_sentences,
    together,
)
from sage_rag.rag_server.answering.record_requests import (
    asks_for_message,
    asks_for_outcome,
    asks_for_overview,
    asks_trait,
    asks_who_someone_is,
)
from sage_rag.rag_server.answering.selection import choose
from sage_rag.rag_server.answering.sentences import (
    Sentence,
    content_stems,
    read_passage,
)
from sage_rag.rag_server.answering.statements import often_said
from sage_rag.rag_server.answering.values import Asked, shares_of, values_of
from sage_rag.rag_server.answering.wording import (
    FROM_RECORD,
    NO_MORE,
    NOT_READ,
    NOTHING_ASKED,
    NOTHING_FOUND,
    UNCLEAR,
    denies,
    marked,
    no_record,
    of_one_record,
    quotation,
)
from sage_rag.rag_server.followups import asked_part, whole_question
from sage_rag.rag_server.languages import is_not_read
from sage_rag.rag_server.remarks import Remark, is_courtesy, remark_of, without_remarks
from sage_rag.rag_server.retrieval import without_tokens

_FEW_AROUND = 24
"""`few_words` of an answer that a reader found."""
_SURE = 1.5
"""Log-odds of the reader from which on an answer may be a sentence that values do not choose, or of
the record of the last answer. Of the development questions, those whose record lacks the answer are
below it."""
_PASSAGES = 3
"""Passages that are read; the answer quotes one of them."""


class _Chooser(Protocol):
    """Chooses the sentences of an answer by the values that they have for a question."""

    def __call__(
        self,
        *,
        read: Collection[Sentence] = (),
        few_words: int = ...,
        brief: bool = False,
        asks_value: bool = False,
    ) -> list[Sentence]:
        """Return what `choose` returns."""
        ...


class ExtractiveAnswerer:
    """Answer with sentences of the passage that answers best, without a model that writes.

    What comes near and may be no answer is quoted as such (`UNCLEAR`); less is not quoted.
    `most_words` bounds the answer, except for warnings that belong to it; below `few_words` it
    gets more context. Where a reader finds the answer, less around it is quoted. An `embedder`
    compares sentences with the question. Sentences stay in the order of their record. A question
    that names no one gets no name in its answer.
    """

    def __init__(
        self,
        embedder: Embedder | None = None,
        reader: PassageReader | None = None,
        *,
        most_words: int = 56,
        few_words: int = 30,
    ) -> None:
        self._embedder = embedder
        self._reader = reader
        self._most_words = most_words
        self._few_words = few_words

    def compose(self, context: AnswerContext) -> str:
        """Return the answer with its citation, or a sentence that says that there is no answer."""
        if is_courtesy(context.question):
            return NOTHING_ASKED
        answer = self._to_remark(context) or self._composed(context)
        return NOT_READ if denies(answer) and is_not_read(context.question) else answer

    def _to_remark(self, context: AnswerContext) -> str | None:
        """Return the answer to a remark about the last answer; `None` for any other message."""
        remark = remark_of(context.question)
        asked = without_remarks([turn.text for turn in context.history if turn.role == "user"])
        if remark is None or not asked:
            return None
        context = replace(context, question=asked[-1])
        if remark is Remark.SHORTER:
            brief = ExtractiveAnswerer(self._embedder, self._reader, most_words=1, few_words=0)
            return brief._composed(context)
        told = passage_told(context) if remark is Remark.SOURCE else None
        if told is None:
            return self._composed(context)
        sentences = self._readable([told], context)
        return f"{FROM_RECORD}\n\n{quotation(list(fitting(sentences, _FEW_AROUND)))}"

    def _composed(self, context: AnswerContext) -> str:
        own, evidence = asked_part(context.question), context.evidence
        context = replace(context, question=asked_in(context))
        if evidence is not None and evidence.unknown:
            return no_record(evidence.unknown, evidence.alike)
        if context.passages and context.passages[0].layer == CONSENSUS:
            return self._often_said(context)
        is_near = evidence is None or (
            evidence.may_be_read if self._reads(context) else evidence.is_near
        )
        told = goes_on_about(context) or self._still_about(context)
        context = replace(context, goes_on_with=told[0] if told else 0)
        if told is not None and asks_for_more(context.question):
            return self._more(told, context)
        is_near = is_near or told is not None
        answer = self._quoted(context) if is_near else NOTHING_FOUND
        if answer == NOTHING_FOUND and asks_trait(context.question):
            answer = self._hidden(context)
        if answer == NOTHING_FOUND and is_near and own != context.question:
            # The record of another person may say it in other words.
            alone = replace(context, question=own, goes_on_with=0)
            said = self._quoted(alone).removeprefix(UNCLEAR).lstrip()
            answer = said if said == NOTHING_FOUND else marked(said, unclear=True)
        follows = context.standalone not in ("", context.question)
        narrowed = follows or bool(names_in(context))
        return of_one_record(context.question, answer, narrowed=narrowed)

    def _hidden(self, context: AnswerContext) -> str:
        """Return the sentences of a person's record that may hide what a question asks."""
        for rank in context.evidence.about if context.evidence else ():
            passage = context.passages[rank - 1]
            if hiding := traits(rank, passage, context.answer_fields, self._few_words):
                return marked(quotation(hiding), unclear=True)
        return NOTHING_FOUND

    def _more(self, told: RankedPassage, context: AnswerContext) -> str:
        """Return what the last answer left out of its record, or another record of the person."""
        about = context.evidence.about if context.evidence else ()
        others = [(rank, context.passages[rank - 1]) for rank in about if rank != told[0]]
        for passage in (told, *others):
            if rest := untold(self._readable([passage], context), context):
                return quotation(list(fitting(rest, self._few_words)))
        return NO_MORE

    def _still_about(self, context: AnswerContext) -> RankedPassage | None:
        """Return the passage of the last answer, if a question is about it and does not say so.

        It names no one, and the reader finds its answer there: "How much rent is asked?" in a
        conversation about someone.
        """
        is_follow_up = context.standalone not in ("", context.question)
        if is_follow_up or names_someone(context.question):
            return None
        if not self._reads(context) or (told := passage_told(context)) is None:
            return None
        reading = self._reading([context.question], self._readable([told], context), context)
        return told if reading is not None and reading.log_odds >= _SURE else None

    def _often_said(self, context: AnswerContext) -> str:
        """Return the answer from a consensus."""
        evidence = context.evidence
        is_near = evidence is None or evidence.is_near or goes_on_about(context) is not None
        if not is_near or not (said := often_said(context, self._with_known(context))):
            return NOTHING_FOUND
        return marked(said, unclear=evidence is not None and not evidence.answers)

    def _quoted(self, context: AnswerContext) -> str:
        """Return the answer from the records that were found."""
        question, own = context.standalone or context.question, context.question
        found = passages_in_focus(context)
        sentences = self._readable(found[:_PASSAGES], context)
        names = names_in(context)
        if record := self._overview(question, found, sentences, context):
            # Who wrote a message, and to whom, is not read: both names are in it.
            signs = asks_who_someone_is(question) and only_signs(record, names)
            short = falls_short(context, record, self._embedder)
            unclear = signs or asks_for_message(question) or short
            return marked(quotation(record), unclear=unclear)
        held = {stem for sentence in sentences for stem in sentence.stems}
        if context.evidence is None and held.isdisjoint(content_stems(f"{own} {question}")):
            return NOTHING_FOUND
        return self._from_sentences(sentences, context)

    def _from_sentences(self, sentences: Sequence[Sentence], context: AnswerContext) -> str:
        """Return the answer from sentences of records, of which it quotes one record's."""
        question, own = context.standalone or context.question, context.question
        parts = parts_of(own)
        marks = asked_marks(question, context.evidence) | _values_asked(own, sentences, context)
        choose_by = self._chooser(parts, marks, sentences, context)
        if not (chosen := choose_by()):
            return NOTHING_FOUND
        quoted = [sentence for sentence in sentences if sentence.rank == chosen[0].rank]
        asks = parts or [whole_question(own, question)]
        if (reading := self._reading(asks, quoted, context)) is not None:
            chosen = choose_by(read=reading.sentences)
        outcome = outcome_of(context, parts or [own], chosen, reading, self._embedder)
        if outcome is Outcome.NOTHING:
            if goes_on_about(context) is None:
                return NOTHING_FOUND
            outcome = Outcome.UNCLEAR  # the last answer quoted this record
        if reading is not None:  # it names what answers, or comes nearest: less around it helps
            chosen = choose_by(
                read=reading.sentences,
                few_words=min(self._few_words, _FEW_AROUND),
                brief=True,
                asks_value=asks_value(question),
            )
            is_read = reading.log_odds > 0 and (question == own or asks != [question])
            of_someone = names_someone(question) and not asks_advice(own)
            if is_read and of_someone and reading.sentences.isdisjoint(chosen):
                # What people report of themselves is seldom in the answer that they got.
                marked_by_reader = [s for s in quoted if s in reading.sentences]
                chosen = list(fitting(marked_by_reader, self._most_words)) or chosen
                outcome = outcome if reading.log_odds >= _SURE else Outcome.UNCLEAR
        if asks_who(question):
            chosen = with_owner(chosen, quoted, marks)
        short = falls_short(context, chosen, self._embedder)
        unclear = outcome is Outcome.UNCLEAR or short
        return marked(quotation(chosen), unclear=unclear)

    def _chooser(
        self,
        parts: Sequence[str],
        marks: Collection[str],
        sentences: Sequence[Sentence],
        context: AnswerContext,
    ) -> _Chooser:
        """Return `choose` for a question, with the values of the sentences for it and its parts."""
        question, own = context.standalone or context.question, context.question
        asked = set(content_stems(own))
        carried = set(content_stems(question)) - asked if question != own else set[str]()
        shares = shares_of(context.passages)
        whole, *each = self._similarities([question, *parts], sentences, context)
        of_parts = [
            Asked(part, carried, near, _values_asked(part, sentences, context))
            for part, near in zip(parts, each, strict=True)
        ]
        return partial(
            choose,
            values_of(sentences, Asked(own, carried, whole, marks), shares),
            parts=[values_of(sentences, part, shares) for part in of_parts],
            asked=asked if any(not names_someone(stem) for stem in asked) else asked | carried,
            most_words=self._most_words,
            few_words=self._few_words,
        )

    def _overview(
        self,
        question: str,
        found: RankedPassages,
        sentences: Sequence[Sentence],
        context: AnswerContext,
    ) -> list[Sentence]:
        """Return an overview of a record; empty for a question that asks for a fact.

        A code alone asks for the record that begins with it.
        """
        evidence = context.evidence
        if evidence is None or not evidence.whole_record:
            return []
        who, outcome = asks_who_someone_is(question), asks_for_outcome(question)
        asks_record = who or outcome or asks_for_overview(question)
        if not (asks_record or _is_by_number(question, evidence, sentences)):
            return []
        named, most = names_in(context), self._most_words
        asking = ranks_that_ask(found, context.answer_fields, named)
        if who:
            known = introduction(sentences, named, most // 2, asking)
            return known or overview(sentences, named, most, is_whole=False)
        is_whole = len(evidence.about) == 1
        return overview(
            sentences, named, most, is_whole=is_whole, asks_outcome=outcome, asking=asking
        )

    def _reads(self, context: AnswerContext) -> bool:
        return self._reader is not None and is_readable(context.question)

    def _reading(
        self, questions: Sequence[str], sentences: Sequence[Sentence], context: AnswerContext
    ) -> PassageReading | None:
        """Return the reading of a passage's sentences; `None` without a reader.

        `questions`: one, or the parts of one, each of which is read.
        """
        if self._reader is None or not self._reads(context):
            return None
        meant = context.evidence.meant if context.evidence else ()
        return together([read_sentences(q, sentences, meant, self._reader) for q in questions])

    def _readable(self, passages: RankedPassages, context: AnswerContext) -> list[Sentence]:
        """Return the sentences of passages that an answer may quote."""
        question = context.standalone or context.question
        nameless = names_no_one(context)
        found: list[Sentence] = []
        asked = asked_marks(question, context.evidence)
        # The line of a date alone says nothing of the day.
        marks = {mark for mark in asked if not mark.startswith("DATE_TIME_")}
        for rank, passage in passages:
            for sentence in read_passage(rank, passage, context.answer_fields, marks):
                text = without_names(sentence.text) if nameless else sentence.text
                if text is not None:
                    found.append(sentence.saying(text))
        return found

    def _with_known(self, context: AnswerContext) -> Embedder | None:
        """Return the embedder with the stored vectors of the passages' sentences."""
        if self._embedder is None or not context.sentence_vectors:
            return self._embedder
        return KnownSentences(self._embedder, context.sentence_vectors)

    def _similarities(
        self, questions: Sequence[str], sentences: Sequence[Sentence], context: AnswerContext
    ) -> list[dict[Sentence, float]]:
        """Return the cosines of each question and the sentences of answer fields."""
        answering = [sentence for sentence in sentences if sentence.answers]
        embedder = self._with_known(context)
        if embedder is None:
            return [{} for _ in questions]
        asked = [without_tokens(question) for question in questions]
        views = [readable_view(sentence.text) for sentence in answering]
        near = cosines(embedder, asked, views)
        return [dict(zip(answering, map(float, row), strict=True)) for row in near]


def _values_asked(question: str, sentences: Sequence[Sentence], context: AnswerContext) -> set[str]:
    """Return the tokens of the particulars that a question, or a part of one, asks for."""
    if not TOKEN.search(context.standalone or context.question):
        return set()
    records = {s.rank: context.passages[s.rank - 1].text for s in sentences}.values()
    return particulars_asked(question, records, names_in(context))


def _is_by_number(question: str, evidence: Evidence, sentences: Sequence[Sentence]) -> bool:
    """Return whether a question is a code alone with which a record begins."""
    first = next((sentence for sentence in sentences if sentence.answers), None)
    if first is None or content_stems(TOKEN.sub(" ", question)):
        return False
    return not asked_marks(question, evidence).isdisjoint(first.stems)
