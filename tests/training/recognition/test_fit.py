"""Training changes what it should, masks what nobody annotated, and its file gives it back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from sage_rag.common.minilm.base import base_tokenizer
from sage_rag.common.minilm.model import padded
from sage_rag.privacy.entities import TAGGED, EntityType
from sage_rag.privacy.recognizers.tagging.pieces import pieces_of
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration
from sage_rag.privacy.spans import Span
from sage_rag.training.adapters import load_changes
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.fit import UNKNOWN, Schedule, fit, labelled_windows, labels_of
from sage_rag.training.recognition.network import untrained_network, write_weights

PERSON, LOCATION = EntityType.PERSON, EntityType.LOCATION
EVEN = [Calibration(1.0, 0.0, 0.5)] * len(TAGGED)


def example(text: str, *names: str, annotated: frozenset[EntityType] = frozenset({PERSON})):
    spans = tuple(Span(text.index(n), text.index(n) + len(n), PERSON) for n in names)
    return Example(text, spans, annotated, "invented", text)


def heard(step: int, steps: int, loss: float) -> None:
    assert 0 < step <= steps
    assert loss >= 0


def test_labels_begin_go_on_and_are_unknown_where_nobody_looked() -> None:
    text = "Oluwaseun Keller lives in Leeds"
    one = example(text, "Oluwaseun Keller")
    labels = labels_of(one, pieces_of(text, base_tokenizer()))
    person = labels[:, TAGGED.index(PERSON)].tolist()
    name = person.index(0)
    assert person[0] == 1
    assert set(person[1:name]) == {2}
    assert set(person[name:]) == {0}
    assert set(labels[:, TAGGED.index(LOCATION)].tolist()) == {UNKNOWN}


def test_doubtful_ranges_teach_nothing_but_their_own_spans() -> None:
    text = "Maria met Tom"
    doubtful = Example(text, (Span(0, 5, PERSON),), frozenset({PERSON}), "x", "x", ((10, 13),))
    labels = labels_of(doubtful, pieces_of(text, base_tokenizer()))
    assert labels[:, 0].tolist() == [1, 0, UNKNOWN]


def test_long_texts_become_windows_that_overlap() -> None:
    windows = list(labelled_windows(example("word " * 300)))
    assert [len(w.labels) for w in windows] == [126, 126, 108]


@pytest.mark.slow
def test_a_network_learns_and_its_file_answers_as_it_does(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = untrained_network()
    frozen = network.words.weight.clone()
    taught = [
        example("the ferret Zubliwick sleeps", "Zubliwick"),
        example("the ferret sleeps all day"),
        example("we fed Zubliwick some cheese", "Zubliwick"),
        example("we fed the hens some cheese"),
    ]
    fit(network, taught * 20, Schedule(epochs=4, batch_pieces=128), seed=1, progress=heard)
    assert torch.equal(network.words.weight, frozen), "the base stays as it is"

    path = tmp_path / "small.safetensors"
    write_weights(network, EVEN, path, {"seed": 1})
    assert path.stat().st_size < 5_000_000
    tagger = TaggerRecognizer(path)
    text = "Then Zubliwick ate the cheese of the hens."
    people = [s for s in tagger.recognize(text) if s.entity_type is PERSON]
    assert [text[s.start : s.end] for s in people] == ["Zubliwick"], (
        "the other heads learnt nothing"
    )

    pieces = pieces_of(text, base_tokenizer())
    with torch.inference_mode():
        trained = network(*padded([(pieces.ids, pieces.features)]))[0, 1:-1].numpy()
    ((_, answers),) = tagger.answers([text])
    np.testing.assert_allclose(answers.reshape(trained.shape), trained, atol=0.5)

    again = untrained_network()
    load_changes(again, path)
    with torch.inference_mode():
        reloaded = again.eval()(*padded([(pieces.ids, pieces.features)]))[0, 1:-1].numpy()
    np.testing.assert_allclose(reloaded, trained, atol=0.05)


@pytest.mark.slow
def test_one_seed_gives_one_network() -> None:
    def trained() -> torch.Tensor:
        torch.manual_seed(3)
        network = untrained_network()
        schedule = Schedule(epochs=1, batch_pieces=64)
        fit(
            network,
            [example("we fed Zubliwick", "Zubliwick")] * 8,
            schedule,
            seed=3,
            progress=heard,
        )
        return network.head.weight.detach()

    assert torch.equal(trained(), trained())
