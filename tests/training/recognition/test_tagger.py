"""What trains and what measures, of an owner's annotations."""

from __future__ import annotations

from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.tagger import training_and_held_out


def note(number: int, text: str) -> Example:
    return Example(text, (), frozenset(), "ours", f"note-{number}")


def test_a_text_that_several_documents_have_does_not_train_and_measure() -> None:
    notes = [note(n, f"Room {n % 5} is free." if n % 2 else f"Key {n} is lost.") for n in range(40)]
    training, held_out = training_and_held_out(notes, seed=0)
    assert len(held_out) == 8
    assert {e.text for e in training}.isdisjoint(e.text for e in held_out)
    assert {e.text for e in (*training, *held_out)} == {e.text for e in notes}
