"""The sentences of a passage whose vectors a version stores: an answer embeds none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.agents.lexicon import is_boilerplate
from sage_rag.common.sentences import unwrapped_spans, without_bullet
from sage_rag.indexer.passages import CONSENSUS, Passage
from sage_rag.privacy.gate.labels import labelled_statements
from sage_rag.privacy.tokens import readable_view


def sentence_views(passage: Passage, answer_fields: Sequence[str]) -> list[str]:
    """Return the readable views of a passage's sentences in its answer fields, each once.

    `answer_fields`: the fields that answer questions; empty: the last one. Thanks and greetings
    are left out, since no answer quotes them. The sentences of a consensus are its statements.
    """
    fields = passage.fields
    names = [name for name in answer_fields if name in fields] or list(fields)[-1:]
    views = _statements if passage.layer == CONSENSUS else _views
    return list(dict.fromkeys(view for name in names for view in views(fields[name])))


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of a consensus without their labels."""
    for statement in labelled_statements(text):
        yield readable_view(statement.text)


def _views(text: str) -> Iterator[str]:
    for start, end in unwrapped_spans(text):
        view = readable_view(without_bullet(text[start:end]))
        if not is_boilerplate(view):
            yield view[0].upper() + view[1:]
