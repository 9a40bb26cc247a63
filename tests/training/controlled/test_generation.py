from collections.abc import Sequence

import pytest

from sage_rag.agents.chat.protocols import UnusableReplyError
from sage_rag.agents.testing.fakes import ScriptedChatModel
from sage_rag.common.exceptions import InputError
from sage_rag.training.controlled.documents import pieces_of
from sage_rag.training.controlled.generation import Generation, GenerationSettings
from sage_rag.training.controlled.names import Block, Method
from sage_rag.training.controlled.prompts import END_OF_TEXT
from sage_rag.training.controlled.samplers import (
    DECODING,
    CausalSampler,
    ChatSampler,
    TextRequest,
)
from sage_rag.training.controlled.sampling import CausalWriter, SamplingSettings
from tests.training.controlled.corpus import PEOPLE, cases, choice, tiny_model, tokenizer


class Copying:
    """A sampler that copies the first example, or answers as it is asked to."""

    fingerprint, blocking, rows = "copying", DECODING, 3

    def __init__(self, answers: Sequence[str] = ()) -> None:
        self.requests: list[TextRequest] = []
        self._answers = list(answers)

    def write(self, requests: Sequence[TextRequest]) -> list[str]:
        self.requests += requests
        if self._answers:
            return [self._answers.pop(0) for _ in requests]
        return [request.prompt.split("\n\n", 1)[1] for request in requests]


def generation(sampler, **settings) -> Generation:
    return Generation(cases(8), GenerationSettings(**settings), sampler, choice())


def test_a_generator_that_copies_writes_nothing_that_is_kept() -> None:
    made = generation(Copying(), attempts=3)
    samples = list(made.samples(range(5)))
    assert [s.text for s in samples] == [""] * 5
    assert {(s.reason, s.attempts) for s in samples} == {("blocked value", 3)}


def test_a_refused_text_is_written_again_with_other_examples() -> None:
    sampler = Copying(["of Ines VARDAL", "", "An invented case."])
    (sample,) = generation(sampler).samples([0])
    assert (sample.text, sample.attempts) == ("An invented case.", 3)
    assert len({request.prompt for request in sampler.requests}) == 3
    assert len({request.seed for request in sampler.requests}) == 3


def test_the_prompt_has_three_examples_with_real_codes_and_a_fictional_one() -> None:
    sampler = Copying(["Fine."])
    made = generation(sampler, block=Block.EXAMPLES)
    (sample,) = made.samples([2])
    parts = sampler.requests[0].prompt.split(END_OF_TEXT)
    shown = made.examples(sample)
    assert [part.split("\n\n", 1)[1] for part in parts[:3]] == [d.text for d in shown]
    assert not any(person in parts[3] for person in PEOPLE)
    assert "PERSON: " in parts[3]
    assert not any(person in repr(sampler.requests[0]) for person in PEOPLE)
    values = sampler.requests[0].values
    assert values is not None
    assert all(values.found_in(value.text) for d in shown for value in d.values)
    assert not all(values.found_in(value.text) for d in cases(8) for value in d.values)


def test_the_baseline_shows_no_code_and_a_prefix_no_example() -> None:
    sampler = Copying(["Fine.", "Fine."])
    list(generation(sampler, method=Method.BASELINE, block=Block.NONE).samples([0]))
    list(generation(sampler, method=Method.PREFIX).samples([0]))
    baseline, prefix = sampler.requests
    assert "PERSON: " not in baseline.prompt
    assert baseline.values is None
    assert END_OF_TEXT not in prefix.prompt
    assert prefix.values is not None


def test_values_outside_the_pieces_are_blocked_too() -> None:
    whole = cases(8)
    pieces = [piece for d in whole for piece in pieces_of(d, paragraphs=1, most=1)]
    settings = GenerationSettings(attempts=1)
    outside = whole[3].values[-1].text  # a date of the second paragraph
    (kept,) = Generation(pieces, settings, Copying([outside]), choice()).samples([0])
    (refused,) = Generation(pieces, settings, Copying([outside]), choice(), whole).samples([0])
    assert kept.text == outside
    assert refused.reason == "blocked value"


def test_an_endpoint_is_checked_after_it_wrote() -> None:
    answers = iter(["Mr. A. Quist paid.", "An invented case."])

    def answer(messages) -> str:
        text = next(answers, None)
        if text is None:
            raise UnusableReplyError("no answer")
        return text

    sampler = ChatSampler(ScriptedChatModel(answer))
    samples = list(generation(sampler, attempts=2).samples([0, 1]))
    sampler.close()
    assert sorted(s.reason or s.text for s in samples) == ["An invented case.", "empty"]


def test_a_model_in_process_writes_nothing_blocked() -> None:
    writer = CausalWriter(tiny_model(), tokenizer(), "digest")
    sampler = CausalSampler(writer, SamplingSettings(most_tokens=20), rows=4)
    made = generation(sampler, count=4)
    samples = list(made.samples(range(4)))
    assert [s.attempts for s in samples if s.text] == [1] * 4
    assert not any(made.corpus_values.found_in(s.text) for s in samples)


def test_the_same_parts_give_the_same_samples_in_any_order() -> None:
    writer = CausalWriter(tiny_model(), tokenizer(), "digest")
    made = [
        generation(CausalSampler(writer, SamplingSettings(most_tokens=12), rows=rows), count=4)
        for rows in (4, 1)
    ]
    first = {s.number: s.text for s in made[0].samples([0, 1, 2, 3])}
    assert {s.number: s.text for s in made[1].samples([3, 1])} == {n: first[n] for n in (1, 3)}


def test_the_fingerprint_changes_with_what_decides_the_texts_and_names_none_of_it() -> None:
    found = {
        generation(Copying()).fingerprint,
        generation(Copying(), attempts=2).fingerprint,
        generation(Copying(), block=Block.NONE).fingerprint,
        Generation(cases(7), GenerationSettings(), Copying(), choice()).fingerprint,
    }
    assert len(found) == 4
    assert generation(Copying(), count=7).fingerprint in found  # more texts continue a run
    assert not any(person in name for name in found for person in PEOPLE)


def test_a_corpus_needs_more_documents_than_examples() -> None:
    with pytest.raises(InputError, match="the corpus has 3"):
        Generation(cases(3), GenerationSettings(), Copying(), choice())
