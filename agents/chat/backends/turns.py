"""Messages in the format of chat APIs and chat templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.common.unicode_text import well_formed


def turns_of(
    messages: Sequence[ChatMessage], clean: Callable[[str], str] = well_formed
) -> list[dict[str, str]]:
    """Return each message's role and content; `clean` removes characters that cannot be sent."""
    return [{"role": m.role, "content": clean(m.content)} for m in messages]
