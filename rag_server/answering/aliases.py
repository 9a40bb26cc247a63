"""Aliases: short placeholders that replace ciphertext tokens for a chat model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import PLACEHOLDER, TOKEN
from sage_rag.rag_server.answering.names import names_someone
from sage_rag.rag_server.answering.streams import PatternStream

_HIDDEN = re.compile(rf"{TOKEN.pattern}|{PLACEHOLDER.pattern}")

_GAP = r"[\s\\_-]{0,3}"
_TYPES = "|".join(
    re.escape(t).replace("_", _GAP) for t in sorted(EntityType, key=len, reverse=True)
)
_CORE = rf"(?ai:{_TYPES}){_GAP}\d{{1,6}}"
_ALIAS = re.compile(
    rf"\\?[\[【［]\s{{0,2}}(?P<square>{_CORE})\s{{0,2}}\\?[\]】］]"
    rf"|[<{{]\s{{0,2}}(?P<other>{_CORE})\s{{0,2}}[>}}]"
    rf"|(?<![A-Za-z0-9_])(?P<bare>(?ai:{_TYPES})\\?_\d{{1,6}})(?![A-Za-z0-9_])"
    r"|\[(?P<foreign>[^\W\d_]{2,20}(?:_[^\W\d_]{2,20})?_\d{1,6})\]"
)
"""An alias as models spell it: in other brackets or none, in lower case, with gaps, escaped for
Markdown, or with another word for its type. A pattern of a few characters more than an alias."""
_TAIL = re.compile(r"(?:\\?[\[【［<{][^\[\]【】［］<>{}\n]{0,60}|[A-Za-z0-9_\\]{1,60})\Z")
_PARTS = re.compile(r"(.*?)[\s\\_-]*(\d+)", re.DOTALL)
UNREADABLE = re.compile(r"\[[A-Z_]+: unreadable\]")
"""What is shown for an alias that stands for no token."""
_ALIKE = 0.8
"""Likeness of a misspelt type, "PERSONNE" or "PERSN", and the type that it stands for."""


class Aliases:
    """Replace each token of one conversation by an alias, and aliases by their tokens.

    Equal tokens share an alias in question, history and passages. A model copies `[PERSON_1]`
    almost without errors, but often misspells a ciphertext.
    """

    def __init__(self) -> None:
        self._originals: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def hide(self, text: str) -> str:
        """Return the text with aliases for its tokens.

        Text that looks like a placeholder gets an alias, too. Otherwise it could become the token
        of another person.
        """
        return _HIDDEN.sub(self._alias, text)

    def originals(self, text: str) -> str:
        """Return a whole text with the tokens of its aliases, as they are spelt."""
        return PLACEHOLDER.sub(lambda m: self._originals.get(m.group(), m.group()), text)

    def expander(self, *, withhold: bool = False) -> PatternStream:
        """Return a replacer of aliases in a stream; `withhold`: those of persons show no name.

        A misspelt alias is restored where it can stand for one token only. An alias that stands for
        no token is damage: `[PERSON: unreadable]` in its place shows that a name is missing.
        """

        def shown(match: re.Match[str]) -> str:
            original = self._original(match)
            return _unnamed(original) if withhold and original != match.group() else original

        return PatternStream(_ALIAS, _TAIL, shown)

    def _alias(self, match: re.Match[str]) -> str:
        original = match.group()
        if original not in self._aliases:
            kind = match.group(1) or match.group(3)
            self._counts[kind] = self._counts.get(kind, 0) + 1
            alias = f"[{kind}_{self._counts[kind]}]"
            self._aliases[original], self._originals[alias] = alias, original
        return self._aliases[original]

    def _original(self, match: re.Match[str]) -> str:
        core = match["square"] or match["other"] or match["bare"] or match["foreign"]
        parts = _PARTS.fullmatch(core)
        if parts is None:
            return match.group()
        kind, number = re.sub(r"[\s\\_-]+", "_", parts[1]).upper(), int(parts[2])
        is_exact = re.search(r"\\?_\d+\Z", core) is not None
        if match["foreign"]:
            if parts[1] != parts[1].upper():
                return match.group()  # a name of the text's own, such as `[table_1]`
            kind = _most_alike(kind, self._counts) or kind
        known = self._originals.get(f"[{kind}_{number}]")
        if known is not None:
            return known
        return f"[{kind}: unreadable]" if is_exact else match.group()


def _unnamed(token: str) -> str:
    """Return what is shown of a direct identifier where no name may be shown."""
    match = TOKEN.fullmatch(token)
    if match is None or not names_someone(token):
        return token
    return "the person" if match.group(1) == EntityType.PERSON else f"[{match.group(1)}: withheld]"


def _most_alike(word: str, kinds: Iterable[str]) -> str | None:
    """Return the one type that a word is like, or `None`."""
    alike = [k for k in kinds if SequenceMatcher(None, word, k, autojunk=False).ratio() >= _ALIKE]
    return alike[0] if len(alike) == 1 else None
