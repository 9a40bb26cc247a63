"""Keep a value unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span


def drop_kept(spans: Iterable[Span], is_kept: Callable[[EntityType], bool]) -> list[Span]:
    """Return the spans without those whose type is kept.

    Call it before overlaps are resolved: a kept span that wins over a shorter private one would
    uncover it. A name inside a kept date range is still protected.
    """
    return [span for span in spans if not is_kept(span.entity_type)]
