"""Whether a draft keeps the form of its original: fields, turns, length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sage_rag.privacy.words import tokenize

SHORT_TOKENS = 40
"""A draft of up to so many tokens is never too long: whole sentences about a record of a few words
need that room."""
_MARGINAL_TOKENS = 8
"""A field shorter than this ("Thanks a lot, doctor") may be left blank: it can hold nothing but
what a draft rightly leaves out."""
_SPEAKERS = (
    "doctor|dr|physician|nurse|therapist|patient|user|assistant|agent|customer|client|caller|"
    "lawyer|attorney|advisor|adviser|question|answer|q|a|"
    "arzt|ärztin|patientin|frage|antwort|médecin|réponse|paciente|médico|pregunta|respuesta"
)
_TURN = re.compile(
    rf"(?:^|[\n.!?…])[ \t*_#>-]{{0,8}}(?:{_SPEAKERS})[ \t*_]{{0,4}}:|(?:医生|患者|病人|问|答)[:：]",
    re.IGNORECASE,
)
"""A speaker announced as in a script, at the beginning of a field, line or sentence."""


def form_faults(original: Mapping[str, str], draft: Mapping[str, str]) -> Iterator[str]:
    """Yield what differs in form, in words that name fields and hold no text of theirs.

    Fields are compared by whether they are blank; one of under eight tokens may be left so. An
    announced speaker ("Doctor:") is a fault in a field where the original announces none: a
    dialogue has one field for each turn. Runs in linear time.
    """
    if set(draft) - set(original):
        yield "has fields that the record has not"
    for name, text in original.items():
        written = draft.get(name, "")
        if text.strip() and not written.strip():
            if len(tokenize(text)) >= _MARGINAL_TOKENS:
                yield f"leaves `{name}` blank, which the record fills"
        elif written.strip() and not text.strip():
            yield f"fills `{name}`, which the record leaves blank"
        elif _TURN.search(written) and not _TURN.search(text):
            yield f"announces a speaker in `{name}`, where the record does not"


def too_long(original_tokens: int, draft_tokens: int, ratio: float) -> bool:
    """Return whether a draft has more than `ratio` times the tokens of its original."""
    return draft_tokens > max(SHORT_TOKENS, ratio * original_tokens)
