"""Sentences of a record with their tokens, cut where a clause of its own begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sage_rag.common.questions import question_starts
from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.gate.facts.words import (
    imperatives,
    phrases_of_synonyms,
    stem,
    stop_stems,
    word_keys,
)
from sage_rag.privacy.tokens import PLACEHOLDER

_TOKEN = re.compile(
    rf"(?P<placeholder>{PLACEHOLDER.pattern})|(?P<number>\d+(?:[.,:/]\d+)*)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)|(?P<mark>[^\s\w]|_)"
)
_CONTRACTED = re.compile(r"(?P<base>\w+?)(?:(?P<neg>n['’]?t)|['’](?P<end>m|re|ve|ll|d|s|t))\Z")
_BASES = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_CUT_OFF = frozenset(
    "doesn didn don isn wasn aren weren haven hasn hadn couldn shouldn wouldn mustn won can".split()
)
_TYPED = {
    "u": ("you",), "ur": ("your",), "r": ("are",), "im": ("i", "am"), "ive": ("i", "have"),
    "iam": ("i", "am"), "wat": ("what",), "yrs": ("years",), "yr": ("year",), "wks": ("weeks",),
    "mths": ("months",), "hrs": ("hours",), "pls": ("please",), "plz": ("please",),
}  # fmt: skip
"""What is typed for other words; the rules write it out."""
_ENDINGS = {"ll": "will", "re": "are", "m": "am", "ve": "have"}
_UNMARKED = frozenset(
    "dont doesnt didnt cant wont isnt wasnt arent werent havent hasnt hadnt couldnt shouldnt"
    " wouldnt mustnt neednt".split()
)
_BREAKS = frozenset(
    "and or but so because if unless until till when whenever while which who that before after"
    " although though then nor once since where whereas".split()
)
_INNER_END = re.compile(
    r"(?<=[a-z)\]][.!?])(?=[A-Z])|;(?!\s*(?:without|otherwise|or|else|if not)\b)|…|\.\.+"
    r"|(?<=[a-z]{3}[.!?])(?=(?!com\b|org\b|net\b)[a-z]{1,12} )"
)
"""The end of a sentence in typed text, also without white space.

A clause with what follows otherwise stays with its sentence: "keep it; without it you lose both".
"""
_MOST_CHARS = 2_000
"""A longer sentence is a list or a table: it is read in parts of this length at most, since time is
square in the length of a sentence."""
_FRAME = re.compile(
    r"(?:and |so )?i (?:(?:would like|want|wanted|need) to know|(?:am |was )?wonder(?:ing)?)"
    r"(?: if\b|(?= (?:whether|what|how|why|when|where|who|which) ))"
    r"|please (?:tell me|let me know)(?= (?:whether|what|how|why|when|where|who|which) )"
)
_RUN_ON = 28
"""Tokens from which a sentence without punctuation is also cut before a subject with a verb."""
_VERBS_OF_SUBJECTS = frozenset(
    "am is are was were have has had went took did do got feel felt started still also just thought"
    " think can could went woke came saw told said noticed".split()
)
_SUBJECTS = frozenset("i he she they it we there".split())
_DEPENDENT = frozenset(
    "if unless until till when whenever once provided before after only while because although"
    " should whether that which who what how as since than like".split()
)
_ADDRESSES = re.compile(
    r"\b(?:should|must|shall|have to|has to|need to|needs to|ought|may|told|asked|advised?|please"
    r"|recommend\w*|required|obliged|you|instructed|ordered|agreed|is to|are to)\b"
)
_INSTRUCTS = re.compile(
    r"\b(?:should|must|shall|have to|has to|need to|needs to|ought|please|recommend\w*|required"
    r"|obliged|instructed|ordered|is to|are to|(?:told|asked|advised?) (?:\w+ )?(?:not )?to|may not"
    r"|may only|can only|you (?:may|can|will)|allowed|permitted|prohibited|forbidden)\b"
)
_PREDICATES = frozenset(
    "is was are were be been am has have had do does did will would can could may might i he she we"
    " they it you there shows showed gave took went came got said".split()
)
"""A note without any of these words is telegraphic: "Ramipril 5 mg daily", "No alcohol"."""
_FINITE = _PREDICATES | _VERBS_OF_SUBJECTS
_SHORTEST_ASKING = 10
_SHORTEST_BEFORE = 4
"""Tokens of a run-on sentence with a question, and of the statement before it."""
_LEADING = frozenset("please then and also so just kindly do always never first".split())


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, placeholder or punctuation mark, in lower case.

    `keys`: words with a common key can mean the same. `segment`: counts the clauses and members of
    lists of a sentence.
    """

    text: str
    start: int
    end: int
    kind: str
    keys: frozenset[str]
    content: bool
    segment: int = 0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or an independent clause of a narrative one, at `[start, end)`.

    Positions are those in the joined fields. `field`: the name of its field. `asks`: whether it is
    a question, direct or after "I would like to know". `instructs`: whether it begins with an
    instruction or has a word of one.
    """

    field: str
    start: int
    end: int
    text: str
    tokens: tuple[Token, ...]
    asks: bool
    instructs: bool

    @property
    def words(self) -> list[str]:
        """The tokens' texts."""
        return [token.text for token in self.tokens]


def read_pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield `[start, end)` of each sentence of a field; a semicolon ends one, too.

    A sentence of more than `_MOST_CHARS` is cut, at white space where it has some.
    """
    for start, end in sentence_spans(text):
        for match in _INNER_END.finditer(text, start, end):
            yield from _parts(text, start, match.end(), content_end=match.start())
            start = match.end()
        yield from _parts(text, start, end, content_end=end)


def _parts(text: str, start: int, end: int, *, content_end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a sentence, if it has any text before `content_end`, where its mark is."""
    if not text[start:content_end].strip():
        return
    while end - start > _MOST_CHARS:
        space = text.rfind(" ", start + 1, start + _MOST_CHARS)
        cut = space if space > 0 else start + _MOST_CHARS
        yield start, cut
        start = cut
    yield start, end


def read_clauses(text: str) -> list[Sentence]:
    """Return a sentence, or its independent clauses; `read_pieces` limits its length.

    Positions are those in `text`, and the field is empty: `provenance.read` sets both.
    """
    tokens = tokenize(text)
    found = []
    for first, end in pairwise(
        [0, *sorted({*_joints(tokens), *_asking(text, tokens)}), len(tokens)]
    ):
        part = tokens[first:end]
        indirect = _framed(part)
        part = part[indirect:]
        if part:
            a, b = part[0].start, part[-1].end
            lowered = _lowered(text[a:b])
            segmented = tuple(_segmented(part, a))
            asks = bool(indirect) or any(t.text == "?" for t in part[-3:])
            found.append(Sentence("", a, b, lowered, segmented, asks, _instructs(part, lowered)))
    return found


def _framed(tokens: list[Token]) -> int:
    """Return how many tokens of an indirect question stand before it: "I would like to know".

    It asks what the direct question asks, so that both have the same words.
    """
    frame = _FRAME.match(" ".join(token.text for token in tokens[:9]))
    return len(frame.group().split()) if frame else 0


def _lowered(text: str) -> str:
    """Return the text in lower case, at the same positions."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def begins_instruction(words: list[str]) -> bool:
    """Return whether a sentence or clause begins with the verb of an instruction."""
    for word in words[:4]:
        if word in imperatives() and word not in _LEADING:
            following = words[words.index(word) + 1 : words.index(word) + 2]
            return following not in (["of"], ["was"], ["is"])
        if word not in _LEADING and word != "not" and word.isalpha():
            return False
    return False


def _instructs(tokens: list[Token], text: str) -> bool:
    words = [token.text for token in tokens]
    if begins_instruction(words) or _INSTRUCTS.search(text):
        return True
    if (
        words[0] in _DEPENDENT
        and "," in words
        and begins_instruction(words[words.index(",") + 1 :])
    ):
        return True  # "If it bleeds, press on it"
    telegraphic = _PREDICATES.isdisjoint(words) and not any(w.endswith("ed") for w in words)
    return telegraphic and ("no" in words[:1] or any(t.kind == "number" for t in tokens))


def _joints(tokens: list[Token]) -> list[int]:
    """Return where clauses begin that stand alone: "and he ...", in a sentence without advice.

    A sentence with an instruction or a condition stays whole.
    """
    words = [token.text for token in tokens]
    runs_on = len(words) > _RUN_ON
    if not runs_on and (_ADDRESSES.search(" ".join(words)) or begins_instruction(words)):
        return []
    found, first = [], 0
    for at in range(3, len(words) - 2):
        joined = words[at - 1] in ("and", "but", "so", ",")
        loose = runs_on and words[at + 1] in _VERBS_OF_SUBJECTS and words[at - 1].isalpha()
        if words[at] not in _SUBJECTS or not (joined or loose):
            continue
        begins = at - 1 if joined else at
        if joined and words[begins] != "," and words[begins - 1] == ",":
            begins -= 1
        part = words[first:begins]
        whole = runs_on and _ADDRESSES.search(" ".join(part))
        if len(part) >= 3 and _DEPENDENT.isdisjoint(part) and not whole:
            found.append(at - 1 if joined and words[at - 1] != "," else at)
            first = at
    return found


def _asking(text: str, tokens: list[Token]) -> Iterator[int]:
    """Yield where a question of its own begins after a statement: "it burns, should I go?"."""
    if len(tokens) < _SHORTEST_ASKING:
        return
    for match in question_starts(text):
        at = next((i for i, t in enumerate(tokens) if t.start >= match.end()), 0)
        before = {token.text for token in tokens[:at]}
        states = not _FINITE.isdisjoint(before) or any(word.endswith("ed") for word in before)
        if at >= _SHORTEST_BEFORE and states:
            yield at


def _segmented(tokens: Iterable[Token], offset: int) -> Iterator[Token]:
    segment = 0
    for token in tokens:
        if token.text in ",;:)–—" or token.text in _BREAKS:
            segment += 1
        yield Token(
            token.text, token.start - offset, token.end - offset, token.kind, token.keys,
            token.content, segment,
        )  # fmt: skip


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text; a contraction becomes two tokens at the same place."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        if match.group() in ("t", "T") and tokens and tokens[-1].text in _CUT_OFF:
            base = tokens.pop()  # "doesn t", typed without its apostrophe
            for word in _expanded(f"{base.text}t"):
                tokens.append(Token(word, base.start, match.end(), "word", *_meaning(word)))
            continue
        kind, (start, end) = match.lastgroup or "", match.span()
        if match["placeholder"]:
            kind = "placeholder"
        written = match.group()
        if kind != "word":
            keys = frozenset({written.lower()}) if kind != "mark" else frozenset[str]()
            tokens.append(Token(written, start, end, kind, keys, kind == "placeholder"))
            continue
        for word in _expanded(written.lower()):
            tokens.append(Token(word, start, end, kind, *_meaning(word)))
    _join_phrases(tokens)
    return tokens


def _join_phrases(tokens: list[Token]) -> None:
    """Give the first word of each known phrase ("heart attack") the phrase's keys."""
    phrases = phrases_of_synonyms()
    stems = [stem(token.text) for token in tokens]
    for at, first in enumerate(stems):
        for phrase in phrases.get(first, ()):
            size = len(phrase)
            if tuple(stems[at : at + size]) == phrase:
                keys = word_keys("_".join(token.text for token in tokens[at : at + size]))
                for place in range(at, at + size):
                    token = tokens[place]
                    joined = token.keys | {key for key in keys if key.startswith("=")}
                    tokens[place] = Token(
                        token.text, token.start, token.end, token.kind, joined,
                        token.content or place == at,
                    )  # fmt: skip
                break


def _expanded(word: str) -> tuple[str, ...]:
    if word == "cannot":
        return "can", "not"
    if word in _UNMARKED:
        return _BASES.get(word[:-2], word[:-2]), "not"
    if "'" not in word and "’" not in word:
        return _TYPED.get(word, (word,))
    match = _CONTRACTED.match(word)
    if match is None:
        return (re.split("['’]", word)[0],)
    base = match["base"]
    if match["neg"]:
        return _BASES.get(base, base), "not"
    ending = _ENDINGS.get(match["end"])
    return (base, ending) if ending else (base,)


@lru_cache(maxsize=50_000)
def _meaning(word: str) -> tuple[frozenset[str], bool]:
    own = stem(word)
    content = (len(word) > 1 or not word.isascii()) and own not in stop_stems()
    return word_keys(word), content
