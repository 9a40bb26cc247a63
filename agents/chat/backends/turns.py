"""Messages as chat APIs and chat templates take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.common.surrogates import well_formed


def turns_of(
    messages: Sequence[ChatMessage], clean: Callable[[str], str] = well_formed
) -> list[dict[str, str]]:
    """Return each message's role and content; `clean` removes what no request can carry."""
    return [{"role": m.role, "content": clean(m.content)} for m in messages]
