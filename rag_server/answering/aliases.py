"""Aliases: short placeholders that replace ciphertext tokens for a chat model."""

from __future__ import annotations

import re

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.tokens import PLACEHOLDER, TOKEN
from sage_rag.rag_server.answering.alias_spellings import (
    ALIAS,
    NAMED,
    TAIL,
    TITLED_ALIAS,
    TITLED_TAIL,
    UNFINISHED,
    as_type,
    is_quoted,
    is_role,
    meant,
    spelt,
)
from sage_rag.rag_server.answering.names import names_someone
from sage_rag.rag_server.answering.streams import PatternStream

_HIDDEN = re.compile(rf"{TOKEN.pattern}|{PLACEHOLDER.pattern}")

UNREADABLE = re.compile(r"\[[A-Z_]+: unreadable\]")
"""What is shown for an alias that stands for no token."""
_BEGINNING = 3
"""Letters of a type that show that the end of a text cut off an alias."""


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
        no token is damage: `[PERSON: unreadable]` in its place shows that a name is missing. So is
        one at the end of the text that may have been cut off.
        """

        def shown(match: re.Match[str]) -> str:
            around = match.groupdict("")
            begun = around.get("begun") or around.get("bare_begun")
            original = self._begun(begun) if begun else self._original(match)
            if original is None:
                return match.group()
            ending = around["suffix"] or around.get("plural", "")
            title = around.get("title", "")
            if withhold:
                original, title = _unnamed(original, title)
            return title + around["emphasis"] + original + ending

        if withhold:
            return PatternStream(TITLED_ALIAS, TITLED_TAIL, shown, UNFINISHED)
        return PatternStream(ALIAS, TAIL, shown, UNFINISHED)

    def _alias(self, match: re.Match[str]) -> str:
        original = match.group()
        if original not in self._aliases:
            kind = match.group(1) or match.group(3)
            self._counts[kind] = self._counts.get(kind, 0) + 1
            alias = f"[{kind}_{self._counts[kind]}]"
            self._aliases[original], self._originals[alias] = alias, original
        return self._aliases[original]

    def _original(self, match: re.Match[str]) -> str | None:
        """Return what an alias stands for; `None` for a text that is no alias."""
        bare, foreign = match["bare"], match["foreign"]
        in_brackets = bare is None and match["opener"] not in "<{"
        word, signs, number = spelt(match["core"] or bare or foreign)
        is_upper, is_exact = word == word.upper(), "_" in signs or "\uff3f" in signs
        kind = as_type(word)
        if foreign is not None:
            if not in_brackets:
                return None
            if is_role(word) and EntityType.PERSON in self._counts:
                return _unreadable(EntityType.PERSON)
            found = meant(word, self._counts)
            if found is None:  # in lower case a name of the text's own, such as `[table_1]`
                return _unreadable(kind) if is_upper else None
            kind = found
        if not is_upper and kind not in NAMED and not (in_brackets and is_exact):
            return None
        if bare is not None and not is_upper and is_quoted(match):
            return None
        alias = f"[{kind}_{number}"
        original = self._originals.get(f"{alias}]")
        if original is not None and not self._is_cut_off(match, alias):
            return original
        is_damage = is_exact and (in_brackets or (is_upper and (bare is None or kind in NAMED)))
        return _unreadable(kind) if is_damage or original is not None else None

    def _is_cut_off(self, match: re.Match[str], alias: str) -> bool:
        """Return whether an alias at the end of a text may be the beginning of another one."""
        if match.re is not UNFINISHED or match["suffix"] or match["ended"]:
            return False
        return any(known.startswith(alias) and known != f"{alias}]" for known in self._originals)

    def _begun(self, text: str) -> str | None:
        """Return damage if a text that is cut off begins an alias; `None` if it may be a word."""
        name = as_type(text)
        if text.endswith("_") and name in self._counts:
            return _unreadable(name)
        if text != text.upper() or len(name) < _BEGINNING:
            return None
        kinds = [kind for kind in self._counts if kind.startswith(name)]
        return _unreadable(kinds[0]) if kinds else None


def _unreadable(kind: str) -> str:
    return f"[{kind}: unreadable]"


def _unnamed(token: str, title: str) -> tuple[str, str]:
    """Return what is shown of a direct identifier and its title where no name may be shown."""
    match = TOKEN.fullmatch(token)
    if match is None or not names_someone(token):
        return token, title
    if match.group(1) != EntityType.PERSON:
        return f"[{match.group(1)}: withheld]", title
    return "the person", ""
