"""The text that a model continues: three examples and a fictional code, or the code alone.

Source: Zhao and Field (2025), §2.2 and Table 10: `<c1, d1>, <c2, d2>, <c3, d3>, cf`.
"""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.training.controlled.codes import AnnotatedDocument, ControlCode, Identifiers

SHOTS = 3
END_OF_TEXT = "\n###\n"
"""Stands between examples, so that a model without an end token can end its text."""
SYSTEM = (
    "You write invented records. You are shown examples, each a list of values by type and the "
    "record with these values. Then you are given a new list. Write one new record of the same "
    "kind that contains only the values of the new list. Copy no value and no sentence of the "
    "examples. Answer with the record alone."
)
SYSTEM_WITHOUT_CODES = (
    "You write invented records. You are shown examples. Write one new record of the same kind. "
    "Answer with the record alone."
)
"""For the baseline, whose examples have no codes."""


def example(document: AnnotatedDocument, identifiers: Identifiers, *, coded: bool = True) -> str:
    """Return a document as an example, after its real code if `coded`."""
    code = str(ControlCode.of_document(document, identifiers))
    return f"{code}\n\n{document.text}" if coded and code else document.text


def in_context_prompt(
    examples: Sequence[AnnotatedDocument], code: ControlCode | None, identifiers: Identifiers
) -> str:
    """Return examples and a fictional code; without a code, the paper's baseline (§4)."""
    shown = [example(document, identifiers, coded=code is not None) for document in examples]
    return END_OF_TEXT.join([*shown, f"{code}\n\n" if code is not None else ""])


def code_prompt(code: ControlCode) -> str:
    """Return the input of prefix tuning and of a tuned model: the code alone."""
    return f"{code}\n\n"


def own_text(written: str) -> str:
    """Return what a model wrote up to the mark that ends a text."""
    return written.partition(END_OF_TEXT.strip())[0].strip()
