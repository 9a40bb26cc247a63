"""Find what a record says about a person's religion, politics, descent, union or orientation.

A word list decides ("Muslim", "shop steward"). Words with other meanings count only where their
sentence describes a person ("a German engineer", "German measles"). A trained tagger that marks the
word as describing a person is evidence, too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from sage_rag.common.fingerprints import data_digest
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS
from sage_rag.privacy.spans import Span, remainder, resolve_overlaps

VERSION = 2
"""Raised with every change of the spans for the same word list."""

_SCORE = 0.9
_LIKELY = 0.5
"""The score from which a span of the tagger is evidence."""
_FILE = "special_categories.toml"
_I = re.IGNORECASE
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PEOPLE = (
    r"(?:m[ae]n|wom[ae]n|males?|females?|boys?|girls?|guys?|lady|ladies|gentlem[ae]n|persons?|people"
    r"|patients?|child|children|kids?|bab(?:y|ies)|infants?|toddlers?|teen\w*|adults?|famil(?:y|ies)"
    r"|couples?|parents?|mothers?|fathers?|m[uo]m|dad|sisters?|brothers?|husband|wife|sons?|daughters?"
    r"|grand\w+|uncle|aunt|cousin|friends?|partner|nationals?|citizens?|citizenship|nationality"
    r"|immigrants?|migrants?|refugees?|descent|origins?|ancestry|heritage|background|ethnicity|race"
    r"|extraction|communit(?:y|ies)|households?|minority|students?|workers?|teachers?|nurses?"
    r"|engineers?|doctors?|lawyers?|farmers?|soldiers?|politicians?|act(?:or|ress)(?:es)?|writers?"
    r"|singers?|players?|footballers?|musicians?|scientists?|voters?|born|faith|religion|church"
    r"|converts?|speakers?)"
)
_PEOPLE_NEXT = re.compile(rf"[ -]{_PEOPLE}(?!\w)", _I)
_PEOPLE_AFTER = re.compile(
    rf"[ -](?:(?!for|of|and|or|with|in|to|from|by|on|at)[a-z]+[ -])?{_PEOPLE}(?!\w)", _I
)
_STATED_BEFORE = re.compile(
    r"(?:\b(?:am|is|are|was|were|be|being|been|became|become|born|raised|half|part|ethnic(?:ally)?"
    r"|originally|devout|practi[sc]ing|naturali[sz]ed|identif(?:y|ies|ied)|brought[ ]up)(?:[ ]as)?"
    r"|['’]m|['’]re|['’]s)[ ](?:an?[ ]|the[ ])?(?:(?:half|part|devout|proud|also|not)[ -])?\Z",
    _I,
)
_STATED_AFTER = re.compile(
    r"(?:\s*(?:[.,;:!?)\n]|\Z)|[ ](?:and|but|or|with|who|from|by|living|aged|so|too|myself)\b)", _I
)
_SELF_BEFORE = re.compile(r"\b(?:I[ ]am|I['’]?m|s?he[ ]is|s?he['’]s|patient[ ]is)[ ]\Z", _I)
_POLITICS_AFTER = re.compile(
    r"[ -](?:party|mps?|voters?|politicians?|candidates?|councillors?|senators?|government"
    r"|supporters?|activists?|movement|leader|minister|peer)(?!\w)",
    _I,
)
_POLITICS_BEFORE = re.compile(
    r"\b(?:politically|vot(?:e|es|ed|ing)(?:[ ]for)?(?:[ ]the)?|(?:joined|support(?:s|ed)?)[ ]the"
    r"|(?:member|supporter|candidate|councillor|mp)[ ](?:of|for)[ ](?:the)?)[ ]?\Z",
    _I,
)
_VOTE = re.compile(
    r"\b(?i:vot(?:e|es|ed|ing)[ ]for[ ])(?:the[ ])?(?P<value>[A-Z][\w-]+(?:[ ][A-Z][\w-]+){0,3})"
)
_UNION = re.compile(
    r"\b(?:(?:member|steward|rep|representative|organi[sz]er|official|activist|secretary|delegate)"
    r"[ ](?:of|for|in)|joined|belongs?[ ]to|paid[ ]up[ ]to)[ ](?:the|a|an|his|her|my|our)[ ]"
    r"(?P<value>(?:(?!credit|civil)[a-z]+['’]?s?['’]?[ ])?union)(?!\w)"
)
_HAN = re.compile(
    r"(?P<value>(?:汉|回|藏|维吾尔|蒙古|满|壮|苗|彝|侗|瑶|白|哈尼|哈萨克|黎|傣|傈僳|佤|土家|朝鲜|畲|拉祜"
    r"|水|东乡|纳西|景颇|柯尔克孜|达斡尔|仫佬|羌|布依|撒拉|仡佬|锡伯|塔吉克|乌孜别克|俄罗斯|鄂温克|鄂伦春"
    r"|赫哲|门巴|珞巴|高山)族(?!馆|自治)|(?:中共)?党员|基督徒|天主教徒|佛教徒|道教徒|穆斯林|同性恋者?)"
)


@dataclass(frozen=True, slots=True)
class _Term:
    """A term after its first word: the rest, and the kind that the word list gives it."""

    rest: re.Pattern[str]
    kind: str
    is_word: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """The word list: terms by their first word, words that need a capital, and things."""

    terms: dict[str, list[_Term]]
    capital: frozenset[str]
    things: frozenset[str]


class SpecialCategoryRecognizer:
    """Add the special categories of personal data to another recognizer's spans.

    A span of the other recognizer that describes a person (`DEMOGRAPHIC`) gives up the words of a
    special category; the rest of it stays, unless it is a word such as "of".

    Does not guarantee: to find what a text implies ("my husband" of a man, "attends Mass").

    Source: Regulation (EU) 2016/679 (GDPR), Article 9(1). Differs: without health, genetic and
    biometric data; nationalities of persons count as descent, since texts do not separate them.
    """

    def __init__(self, inner: Recognizer) -> None:
        self._inner = inner

    @property
    def fingerprint(self) -> str:
        """The inner recognizer's, the version of the rules, and a digest of the word list."""
        digest = data_digest(__package__, _FILE)[:8]
        return f"special-{VERSION}-{digest}({self._inner.fingerprint})"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the inner recognizer's spans and those of special categories."""
        spans = self._inner.recognize(text)
        described = [s for s in spans if s.entity_type is EntityType.DEMOGRAPHIC]
        likely = [s for s in described if s.score >= _LIKELY]
        special = resolve_overlaps(_special(text, likely))
        parts = [
            _without_spaces(text, part)
            for span in described
            for part in remainder(span, special)
            if not FUNCTION_WORDS.issuperset(text[part.start : part.end].split())
        ]
        others = (s for s in spans if s.entity_type is not EntityType.DEMOGRAPHIC)
        return [*others, *parts, *special]


def _without_spaces(text: str, span: Span) -> Span:
    """Return a span without the spaces at its edges, so that equal values get equal tokens."""
    value = text[span.start : span.end]
    start = span.end - len(value.lstrip())
    return replace(span, start=start, end=start + len(value.strip()))


def _special(text: str, likely: Sequence[Span]) -> Iterator[Span]:
    for start, end, kind in _terms(text):
        tagged = any(s.start <= start and end <= s.end for s in likely)
        if _describes_person(text, start, end, kind, tagged=tagged):
            yield Span(start, end, EntityType.SPECIAL_CATEGORY, _SCORE)
    for pattern in (_VOTE, _UNION, _HAN):
        for match in pattern.finditer(text):
            yield Span(*match.span("value"), EntityType.SPECIAL_CATEGORY, _SCORE)


def _describes_person(text: str, start: int, end: int, kind: str, *, tagged: bool) -> bool:
    before, after = text[max(0, start - 40) : start], text[end : end + 40]
    next_word = re.match(r"[ -]([^\W_]+)", after)
    if next_word and next_word[1].lower() in _words().things:
        return False
    value = text[start:end].lower()
    if value in _words().capital and not text[start].isupper():
        return False
    if kind == "always":
        return True
    if kind == "politics":
        return bool(_POLITICS_AFTER.match(after) or _POLITICS_BEFORE.search(before))
    if kind == "colour":
        stated = _SELF_BEFORE.search(before) and _STATED_AFTER.match(after)
        joined = next_word and _is_of_person(next_word[1])  # "white British"
        return bool(tagged or joined or _PEOPLE_NEXT.match(after) or stated)
    stated = _STATED_BEFORE.search(before) and _STATED_AFTER.match(after)
    return bool(tagged or _PEOPLE_AFTER.match(after) or stated)


def _is_of_person(word: str) -> bool:
    """Return whether a word alone is a term of kind `person`."""
    terms = _words().terms
    return any(t.is_word and t.kind == "person" for t in terms.get(_singular(word, terms), ()))


def _terms(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each term of the word list, the longest at each word."""
    terms = _words().terms
    position = 0
    for token in _TOKEN.finditer(text):
        if token.start() < position:
            continue
        for term in terms.get(_singular(token.group(), terms), ()):
            if match := term.rest.match(text, token.end()):
                position = match.end()
                yield token.start(), position, term.kind
                break


def _singular(word: str, terms: dict[str, list[_Term]]) -> str:
    """Return the first word of a term: a word in lower case, without the -s of a plural."""
    lower = word.lower().replace("’", "'").removesuffix("'s")
    return lower if lower in terms else lower.removesuffix("s")


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = tomllib.loads(resources.files(__package__).joinpath(_FILE).read_text("utf-8"))
    kinds = {
        "always": ",".join(table["always"].values()),
        **{kind: table[kind]["words"] for kind in ("person", "colour", "politics")},
    }
    terms: dict[str, list[_Term]] = {}
    for kind, listed in kinds.items():
        for term in _split(listed):
            first = _TOKEN.findall(term)[0]
            rest = re.escape(term[len(first) :]).replace(r"\ ", "[ -]")
            plural = r"(?:['’]?s)?" if rest else ""
            key = first.removesuffix("'s")
            regex = re.compile(rf"{rest}{plural}(?![^\W_])", _I)
            terms.setdefault(key, []).append(_Term(regex, kind, is_word=not rest))
    for same_first in terms.values():
        same_first.sort(key=lambda term: -len(term.rest.pattern))
    things = frozenset(table["things"]["words"].replace(",", " ").split())
    return _Words(terms, frozenset(_split(table["person"]["capital"])), things)


def _split(listed: str) -> list[str]:
    return [term for part in listed.split(",") if (term := " ".join(part.split()))]
