"""Evidence: whether an index version knows what a question asks, and whom it names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sage_rag.common.stems import stem
from sage_rag.indexer.passages import Layer, Passage
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.stores.lexical import lexical_words
from sage_rag.privacy.blind_index import SIGN
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.lookup import codes_of
from sage_rag.privacy.tokens import TOKEN, tokens_in
from sage_rag.rag_server.answering.particulars import asks_who, states_particular
from sage_rag.rag_server.answering.record_requests import (
    REQUESTS,
    WHO,
    asks_for_day,
    asks_for_outcome,
    asks_for_record,
    content_words,
    plain_words,
    without_numbers,
)
from sage_rag.rag_server.named_people import NamedPeople
from sage_rag.rag_server.retrieval import SearchableLayer, without_tokens

# Weights and thresholds: those that refuse most questions without an answer, and at most 5 % of the
# others, of the development questions, of Wikipedia documents and of dialogues of a forum;
# docs/results/answers.md has other corpora.
ENOUGH = 0.48
_CLEAR = 0.65
_SENTENCE_WEIGHT = 0.6
_COVERAGE_WEIGHT = 0.18
_NAMED = 0.78
"""Share of the threshold for a question about someone whom the index knows: the record itself is
certain."""
_NEAR = 0.875
"""Share of the threshold from which on the nearest passage is shown as what it is. At most 5 % of
the development questions with an answer are below it, and few questions off the topic above."""
_READABLE = 0.6
"""The same, from which on the nearest passages are read: reading takes longer than searching."""
_DIRECT = frozenset(t.value for t in EntityType if identifiability(t) is Identifiability.DIRECT)
_CODE_TYPES = _DIRECT - {EntityType.PERSON.value}
_FEW = 2
"""Words next to a name in a question that is no sentence."""
_READ = 3
"""Passages that may answer a question; an answer reads no more."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a version holds on a question.

    `similarity`: cosine of the question and the nearest retrieved passage; `sentence`: of the
    nearest stored sentence of the first passages. `coverage`: the share of the question's words,
    weighted by rarity, in the retrieved passage that has the most of them. `unknown`: the tokens of
    names in the question that no passage was made from; `known`: how many others it has.
    `whole_record`: the question names someone whom the index knows, and asks for nothing more
    ("tell me about Maria Keller"), or for what happened on a day of the index. `particular`: it
    asks for a phone number or another particular of someone, and one of the first passages has this
    person's.
    `about`: the ranks of the passages that hold most of the persons, or else of the places,
    organisations and titles, that the question may mean. `meant`: the tokens of all these in the
    index. `alike`: those of persons whose names are spelt nearly as an unknown one. `by_few_words`:
    the question is a code that one of the first passages has, and at most one other word ("LS-5588
    result"), or names a person whose record holds its at most two other words: so few words are not
    evidence against this passage. `partial`: what was read as a name has a word more than those
    that it may mean ("keller watch"): the server cannot see what it asks for.
    """

    similarity: float
    coverage: float
    unknown: tuple[str, ...] = ()
    known: int = 0
    sentence: float = 0.0
    whole_record: bool = False
    particular: bool = False
    about: tuple[int, ...] = ()
    meant: tuple[str, ...] = field(default=(), repr=False)
    alike: tuple[str, ...] = field(default=(), repr=False)
    by_few_words: bool = False
    partial: bool = False

    @property
    def score(self) -> float:
        """How well the passages answer: about 0 to 1.2."""
        nearest = _SENTENCE_WEIGHT * self.sentence + (1 - _SENTENCE_WEIGHT) * self.similarity
        return nearest + _COVERAGE_WEIGHT * self.coverage

    @property
    def answers(self) -> bool:
        """Whether the passages can answer the question."""
        if self.partial:
            return False
        return self.whole_record or self.particular or self.score >= self._least_score

    @property
    def is_near(self) -> bool:
        """Whether the nearest passage is worth showing, though it may not answer the question."""
        return self.answers or self.by_few_words or self.score >= _NEAR * self._least_score

    @property
    def may_be_read(self) -> bool:
        """Whether the passages are near enough for a reader to find an answer in them."""
        return self.answers or self.by_few_words or self.score >= _READABLE * self._least_score

    @property
    def share(self) -> float:
        """The score, as a share of the one from which on the passages answer."""
        return self.score / self._least_score

    @property
    def _least_score(self) -> float:
        return ENOUGH * (_NAMED if self.known else 1.0)

    @property
    def is_clear(self) -> bool:
        """Whether the passages answer so well that few kinds of details can be missing."""
        return self.score >= _CLEAR


def find_evidence(
    question: str,
    passages: Sequence[Passage],
    words: Sequence[str],
    layers: Mapping[Layer, SearchableLayer],
    embedder: Embedder,
    people: NamedPeople | None = None,
    groups: Sequence[Sequence[str]] = (),
) -> Evidence:
    """Return the evidence for a question in the layer that its passages come from.

    `words`: the blind words of the values in the question. `people`: whom its persons may mean;
    without, the blind words decide. `groups`: for each word of a name, the tokens that have it.
    """
    unknown = _unknown(question, words, layers, people)
    if people and (asks_who(question) or asks_for_day(question)):
        unknown = (*unknown, *(token for token in people.unknown if token not in unknown))
    alike = people.alike if people else ()
    if not passages:
        return Evidence(0.0, 0.0, unknown, alike=alike)
    layer = layers[passages[0].layer]
    similarity, sentence = _similarities(question, passages, layer, embedder)
    coverage = _coverage(question, passages, layer, unknown)
    named = {token for token in tokens_in(question) if _is_direct(token)}
    about = _about(passages, layer, people, len(named - {*unknown}), groups) if people else ()
    judged = {m for m in named if people is None or _type(m) != EntityType.PERSON}
    known = len(judged - {*unknown}) + bool(about and people and people.known)
    named_codes = people.others if people else ()
    by_code = not unknown and _is_by_code(question, named_codes, passages[:_READ])
    is_found = not unknown and (known > 0 or bool(about) or by_code)
    texts = [
        p.text
        for rank, p in enumerate(passages[:_READ], 1)
        if rank in about or any(name in p.text for name in named)
    ]
    meant = people.meant if people else ()
    partial = bool(people and people.partial)
    particular = not unknown and any(states_particular(question, text, meant) for text in texts)
    return Evidence(
        similarity,
        coverage,
        unknown=unknown,
        known=known,
        sentence=sentence,
        whole_record=is_found
        and not partial
        and (
            asks_for_record(question, by_code=by_code)
            or (len(about) == 1 and asks_for_outcome(question))
        ),
        particular=particular,
        about=about,
        meant=meant,
        alike=alike,
        by_few_words=by_code
        or (bool(people and people.known) and _is_in_record(question, about, passages)),
        partial=partial,
    )


def _is_in_record(question: str, about: Sequence[int], passages: Sequence[Passage]) -> bool:
    """Return whether one of the passages `about` a person holds a question's one or two words."""
    asked = {stem(word) for word in plain_words(question) if word not in REQUESTS}
    held = (set(map(stem, plain_words(passages[rank - 1].text))) for rank in about)
    return 0 < len(asked) <= _FEW and any(asked <= words for words in held)


def _is_by_code(question: str, others: Collection[str], passages: Sequence[Passage]) -> bool:
    """Return whether a question is a code that a passage has, and at most one other word.

    `others`: the tokens of the code under other types.
    """
    asked = [*tokens_in(question), *others]
    tokens = {token for token in asked if _type(token) in _CODE_TYPES}
    texts = [passage.text for passage in passages]
    plain = TOKEN.sub(" ", question)
    words = plain_words(without_numbers(plain))
    if sum(word not in REQUESTS | WHO for word in words) > 1:
        return False
    codes = codes_of(plain)
    return any(
        any(token in text for token in tokens)
        or not codes.isdisjoint(codes_of(TOKEN.sub(" ", text)))
        for text in texts
    )


def _about(
    passages: Sequence[Passage],
    layer: SearchableLayer,
    people: NamedPeople,
    names: int,
    groups: Sequence[Sequence[str]] = (),
) -> tuple[int, ...]:
    """Return the ranks of the passages that hold what is named, or most of it; `names`: persons.

    Of these, the ones with a date that is named, if there are any.
    """
    # One person may be meant by any of the tokens; several are each meant by their own, of which a
    # record may have more than one: "Ann", "Ann Lee". The words of the names count them once.
    several = names > 1 or not people.known
    by_word = [[t for t in group if t in people.meant] for group in groups]
    each = by_word if any(by_word) else [[token] for token in people.meant]
    on_day = frozenset(layer.rows_with(people.dates).tolist())
    held = Counter[int]()
    for tokens in each if several else [people.meant]:
        rows = frozenset(layer.rows_with(tokens).tolist())
        held.update(rank for rank, passage in enumerate(passages, 1) if passage.row in rows)
    most = max(held.values(), default=0)
    about = [rank for rank in sorted(held) if held[rank] == most]
    return tuple([rank for rank in about if passages[rank - 1].row in on_day] or about)


def _similarities(
    question: str, passages: Sequence[Passage], layer: SearchableLayer, embedder: Embedder
) -> tuple[float, float]:
    """Return the cosines of a question and the nearest passage, and the nearest sentence.

    A version without sentences has the first cosine for both.
    """
    vector = embedder.embed([without_tokens(question)])[0]
    rows = [passage.row for passage in passages if passage.row is not None]
    searched = np.unique(np.asarray(rows, dtype=np.int64)) if rows else None
    nearest = layer.search_dense(vector, 1, searched)
    similarity = nearest[0][1] if nearest else 0.0
    sentences = layer.sentence_vectors(rows[:_READ])
    return similarity, max((float(s @ vector) for s in sentences.values()), default=similarity)


def _coverage(
    question: str, passages: Sequence[Passage], layer: SearchableLayer, unknown: Collection[str]
) -> float:
    """Return the weighted share of the question's words in the best of the passages.

    A known name counts as a word of every passage: a passage is also found by names that its text
    leaves out.
    """
    asked = [w for w in dict.fromkeys(lexical_words(content_words(question))) if len(w) > 1]
    known = layer.holders(asked)
    rarity = {word: math.log(1 + len(layer) / (known[word] + 0.5)) for word in asked}
    whole = sum(rarity.values())
    if not whole:
        return 0.0
    named = {word for word in asked if _is_direct(word) and word not in unknown}
    held = (named.union(lexical_words(passage.text)) for passage in passages[:_READ])
    return max(sum(rarity[word] for word in asked if word in found) for found in held) / whole


def _unknown(
    question: str,
    words: Sequence[str],
    layers: Mapping[Layer, SearchableLayer],
    people: NamedPeople | None,
) -> tuple[str, ...]:
    """Return the tokens of direct identifiers that no layer has, in any spelling or part.

    The server cannot see which blind words belong to which token. So two tokens of one type count
    as known together if one of them may be; and all, if a word of a type without a token is known:
    an edge sends the words of a code under several types.
    """
    marks = dict.fromkeys([*tokens_in(question), *words])
    direct = [mark for mark in marks if _is_direct(mark)]
    strangers: tuple[str, ...] = ()
    if people is not None:
        strangers = tuple(mark for mark in direct if mark in people.unknown)
        direct = [mark for mark in direct if _type(mark) != EntityType.PERSON]
    absent = [m for m in direct if not any(len(layer.rows_with([m])) for layer in layers.values())]
    given, missing = (Counter(_type(m) for m in found if SIGN in m) for found in (direct, absent))
    tokens = [mark for mark in absent if SIGN not in mark]
    typed = {_type(mark) for mark in direct if SIGN not in mark}
    if any(_type(m) not in typed for m in direct if SIGN in m and m not in absent):
        return strangers
    counts = Counter(map(_type, tokens))
    return strangers + tuple(
        token
        for token in tokens
        if missing[_type(token)] == given[_type(token)]
        or missing[_type(token)] > counts[_type(token)]
    )


def _is_direct(word: str) -> bool:
    """Return whether a word is a token or blind word that identifies a person alone."""
    return _type(word) in _DIRECT and _type(word) != word


def _type(mark: str) -> str:
    return mark.partition("_[")[0].partition(SIGN)[0]
