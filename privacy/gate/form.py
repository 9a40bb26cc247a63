"""Compare the form of a draft with its original: fields, turns, length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sage_rag.privacy.words import tokenize

SHORT_TOKENS = 40
"""A draft of up to this many tokens is never too long: whole sentences about a record of a few
words need them."""
MARGINAL_TOKENS = 8
"""A shorter field ("Thanks a lot, doctor") may be left blank: it may contain only what a draft has
to leave out."""
_SPEAKERS = (
    "doctor|dr|physician|nurse|therapist|patient|user|assistant|agent|customer|client|caller|"
    "lawyer|attorney|advisor|adviser|question|answer|q|a|"
    "arzt|ärztin|patientin|frage|antwort|médecin|réponse|paciente|médico|pregunta|respuesta"
)
_TURN = re.compile(
    rf"(?:^|[\n.!?…])[ \t*_#>-]{{0,8}}(?:{_SPEAKERS})[ \t*_]{{0,4}}:|(?:医生|患者|病人|问|答)[:：]",
    re.IGNORECASE,
)
"""The label of a speaker ("Doctor:") at the beginning of a field, line or sentence."""


def form_faults(original: Mapping[str, str], draft: Mapping[str, str]) -> Iterator[str]:
    """Yield a message for each difference in form; it names fields and contains none of their text.

    A field must be blank in both texts or in neither; one of less than eight tokens may become
    blank. The label of a speaker is a fault in a field whose original has none: a dialogue has one
    field per turn. Runs in linear time.
    """
    if set(draft) - set(original):
        yield "has fields that the record has not"
    for name, text in original.items():
        written = draft.get(name, "")
        if text.strip() and not written.strip():
            if len(tokenize(text)) >= MARGINAL_TOKENS:
                yield f"leaves `{name}` blank, which the record fills"
        elif written.strip() and not text.strip():
            yield f"fills `{name}`, which the record leaves blank"
        elif _TURN.search(written) and not _TURN.search(text):
            yield f"announces a speaker in `{name}`, where the record does not"


def too_long(original_tokens: int, draft_tokens: int, ratio: float) -> bool:
    """Return whether a draft has more than `ratio` times the tokens of its original."""
    return draft_tokens > max(SHORT_TOKENS, ratio * original_tokens)
