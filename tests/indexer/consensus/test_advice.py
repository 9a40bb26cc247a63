"""Which verbs tell the reader what to do, and which tell what others do or may do."""

from __future__ import annotations

import pytest

from sage_rag.indexer.consensus.advice import is_imperative, may_begin_advice
from sage_rag.indexer.consensus.word_classes import word_classes

CLASSES = word_classes(
    ["Please rest. Please measure it. To start, to prevent, to take it, to examine it, to keep it."]
)


def advises(sentence):
    before, _, after = sentence.partition("|")
    tokens = [*before.split(), *after.split()]
    return is_imperative(tokens, len(before.split()), CLASSES, may_begin=True)


@pytest.mark.parametrize(
    "sentence",
    [
        "| rest the knee",
        "please | rest the knee",
        "you should also | rest the knee",
        "you need to | rest the knee",
        "i advise you to | rest the knee",
        "it is important to | start treatment",
        "better to | start treatment",
        "rest the knee and | keep it warm",
        "you should rest and | keep it warm",
        "| do not take aspirin",
    ],
)
def test_advice_is_found(sentence):
    assert advises(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "we need to | measure your sugar",
        "we will | examine your foot",
        "he should | take the tablets",
        "you may | take aspirin",
        "you can also | take aspirin",
        "you might need a brace to | prevent a fall",
        "a brace is necessary to | prevent a fall",
        "this helps you to | keep it warm",
        "you should come to see us to | start treatment",
        "take the tablets or | rest the knee",
        "we will take blood and | examine your foot",
        "you should come to see him and | keep it warm",
        "| given your symptoms",
        "| resting the knee",
    ],
)
def test_what_others_do_or_may_do_is_no_advice(sentence):
    assert not advises(sentence)


def test_an_object_of_a_verb_is_no_verb():
    classes = word_classes(["I prescribe you aspirin. You aspirin. I aspirin."])
    assert not is_imperative(["aspirin", "tablets"], 0, classes, may_begin=True)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", True),
        ("so", True),
        ("rest the knee", True),
        ("you should rest the knee", True),
        ("we will take blood", False),
        ("these tablets help", False),
    ],
)
def test_a_list_continues_what_its_sentence_began(before, expected):
    assert may_begin_advice(before.split(), CLASSES) is expected
