"""Messages that ask nothing new: greetings, thanks, and remarks about the last answer. English.

After a remark ("are you sure?", "say it shorter", "which record is that from?"), the question
before it is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum


class Remark(Enum):
    """What a user wants of the last answer."""

    AGAIN = "again"
    SHORTER = "shorter"
    SOURCE = "source"


_OPENING = (
    r"\W*(?:(?:please|and|so|but|ok(?:ay)?|hm+|well|(?:can|could|would) you|tell me|i mean)\b\W*)*"
)
_ENDING = r"(?:\W+(?:please|then|now|again|exactly|thanks?|though))*\W*\Z"
_THAT = r"(?:that|this|it)"
_RECORD = r"(?:records?|documents?|files?|letters?|sources?|entr(?:y|ies)|reports?|cases?|texts?)"
_REMARKS = (
    (
        Remark.AGAIN,
        r"(?:are you (?:really |quite |very |absolutely )?(?:sure|certain)(?: (?:about|of) that)?"
        rf"|really|is {_THAT} (?:really )?(?:right|true|correct|so|certain)"
        rf"|(?:say|repeat|explain) {_THAT}(?: once more)?|repeat|come again|once more"
        rf"|how do you know(?: {_THAT})?)",
    ),
    (
        Remark.SHORTER,
        rf"(?:(?:say|put|make|give me|summari[sz]e|shorten) {_THAT}(?: a bit)?(?: (?:more )?"
        r"(?:shorter|short|briefly|briefer|in (?:short|brief|(?:one|a) (?:word|sentence|line))))?"
        r"|be (?:brief|briefer|shorter)|(?:a bit |much )?shorter|(?:more )?brief(?:ly|er)?"
        r"|in (?:short|brief|(?:one|a) (?:word|sentence|line))|too long)",
    ),
    (
        Remark.SOURCE,
        rf"(?:(?:in |from )?(?:which|what) {_RECORD} (?:(?:is|was|does|did|says?) {_THAT}"
        rf"(?: (?:come |stand |written )?(?:from|in))?)|where (?:is|was|does|did) {_THAT}"
        r" (?:come from|from|written|stated|say so)"
        rf"|where did you (?:get|find|read) {_THAT}(?: from)?"
        rf"|(?:(?:what|which) (?:is|was)|what['’]s) (?:the|your) source(?: (?:of|for) {_THAT})?"
        rf"|(?:your )?sources?|who says (?:so|{_THAT})|says who)",
    ),
)
_PATTERNS = tuple(
    (remark, re.compile(f"{_OPENING}{pattern}{_ENDING}", re.IGNORECASE))
    for remark, pattern in _REMARKS
)
_LONGEST = 80
"""Characters of a remark."""
_COURTESIES = frozenset(
    "a afternoon again all alright and answer answers answered appreciate appreciated awesome bye"
    " cheers cool day dear evening excellent fine for friend goodbye good got great greetings have"
    " hello help helped helpful helps hey hi i it lot lots lovely many me morning much nice night"
    " no now ok okay perfect please so super sure thank thanks that that's thats there this thx"
    " ty understood very was week weekend well welcome wonderful yes you your".split()
)
"""Words of greetings and thanks. A message of nothing else asks nothing, whatever precedes it."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_IS = r"(?:['’]s| is| are)"
_SMALL_TALK = re.compile(
    r"\W*(?:(?:hey|hi|hello|ok(?:ay)?|so|well|and|but|please|then|(?:can|could|would) you)\W+)*"
    rf"(?:what{_IS} up|how{_IS} (?:you|things|it going|life)(?: doing)?"
    rf"|how do you do|(?:who|what) are you|what{_IS} your name|what (?:can|do) you do(?: for me)?"
    r"|(?:i need )?(?:your |some )?help(?: me| us)?(?: out)?(?: with (?:this|that|something))?"
    rf"|(?:what|which) (?:{_RECORD}|data) (?:do|can|have) you (?:got|have|know|read|search|see)"
    r"|what can (?:i|you) (?:ask|answer)(?: you)?|how do(?:es this| you) work|who made you"
    r"|are you (?:an? )?(?:there|ai|bot|chatbot|computer|human|machine|person|program|real|robot)"
    r"|(?:tell|write|sing|make|give)(?: me| us)? an? (?:joke|poem|song|rhyme)"
    r"|(?:delete|erase|wipe|remove|forget|clear|reset|destroy)"
    r" (?:everything|all(?: of (?:it|them|this))?|(?:all )?(?:of )?(?:the |my |your )?"
    r"(?:chat|conversation|data|database|documents?|files?|history|index|memory|records?)))"
    r"(?:\W+(?:today|now|please|then|again|there|for me|everyone))*\W*\Z",
    re.IGNORECASE,
)
"""What is said to a chat program and is of no document: questions about it, and orders to it."""


def remark_of(message: str) -> Remark | None:
    """Return the remark that a message makes about the last answer; `None` for a question."""
    if len(message) > _LONGEST:
        return None
    return next((remark for remark, found in _PATTERNS if found.match(message)), None)


def without_remarks(messages: Sequence[str]) -> Sequence[str]:
    """Return a user's messages without the remarks; as they are if there is nothing else."""
    return [message for message in messages if remark_of(message) is None] or messages


def is_courtesy(message: str) -> bool:
    """Return whether a message greets, thanks, or speaks to the program, and nothing else."""
    if len(message) <= _LONGEST and _SMALL_TALK.match(message):
        return True
    words = (word.casefold().replace("’", "'") for word in _WORD.findall(message))
    return all(word in _COURTESIES for word in words)
