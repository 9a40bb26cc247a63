"""Names of people in Chinese text: by surname and context, masked names, foreign names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.words import (
    COMMON_SURNAMES,
    DOUBLE_SURNAMES,
    GIVEN,
    NO_NAMES,
    NOT_GIVEN,
    PREFIXES,
    SUFFIXES,
    SURNAMES,
    TRANSLITERATION,
    WEAK_SURNAMES,
)
from sage_rag.privacy.spans import Span

_SURNAME = rf"(?:{'|'.join(sorted(DOUBLE_SURNAMES, key=len, reverse=True))}|[{SURNAMES}])"
_FOREIGN = f"[{''.join(sorted(TRANSLITERATION))}]"
_HAN = "[\u3400-\u9fff]"
_MASKED = re.compile(
    rf"{_SURNAME}(?:某{_HAN}(?=[^\u3400-\u9fff]|的|在|与|和|因|将)|某{{1,3}}[甲乙丙丁戊己庚辛壬癸]?\d{{0,2}}"
    r"|[xXＸ]{1,2}(?![A-Za-z\d*×]))|某[甲乙丙丁戊]"
    rf"|(?:(?<!{_HAN}|[*×])|(?<=[人告者系与和对将把被害属]))[{SURNAMES[:150]}]{_HAN}?[×✕*＊]{{1,3}}(?![×*市省县区镇村路街号])"
)
_DOTTED = re.compile(
    rf"(?:{_FOREIGN}{{1,7}}|[A-Z])(?:[·•・‧.．]{{1,2}}(?:[A-Z][·•.．]?)?{_FOREIGN}{{1,9}}){{1,3}}"
)
_RUN = re.compile(rf"{_FOREIGN}{{3,8}}")
_TITLED = re.compile(
    rf"(?P<name>{_SURNAME})(?:先生|女士|小姐|太太|医生|医师|大夫|老师|教授|律师|法官|警官|师傅|阿姨|老板|总经理)"
    rf"|(?<!{_HAN})(?P<nick>[老小阿][{SURNAMES[:100]}])(?!{_HAN})"
)
_LABELLED = re.compile(
    rf"(?:姓名|联系人|户名|收件人|签名|患者|法定代表人|经办人)[:：]\s?(?P<name>{_HAN}{{2,4}})(?!{_HAN})"
)
_ACCEPTED = 2
"""Points that a name without a mask needs; see `_readings`."""
_JOINING = frozenset(
    "和与及对被把向由让给请是找叫在等同跟于从将以令因据随的了为到而但且或并有用像如称说员长师手帅"
)
_PREFIX_CHARS = 6
_SUFFIXES_BY_LENGTH = {n: frozenset(s for s in SUFFIXES if len(s) == n) for n in (1, 2, 3)}
_PREFIXES_BY_LENGTH = {n: frozenset(p for p in PREFIXES if len(p) == n) for n in range(2, 7)}
_BEFORE_SUFFIX = frozenset("一二两三的是也就")
_SCAN = re.compile(rf"{_SURNAME}(?={_HAN})")


def find_people(text: str) -> Iterator[Span]:
    """Yield the people of a text; a name found once is found everywhere."""
    found: dict[str, float] = {}
    for span in _by_form(text):
        yield span
        if span.end - span.start > 1:
            found[text[span.start : span.end]] = span.score
    for name, score in _by_context(text):
        found[name] = max(score, found.get(name, 0.0))
    for name, score in found.items():
        for match in re.finditer(re.escape(name), text):
            yield Span(match.start(), match.end(), EntityType.PERSON, score)


def _by_form(text: str) -> Iterator[Span]:
    for match in _MASKED.finditer(text):
        yield Span(match.start(), match.end(), EntityType.PERSON, 0.95)
    for match in _LABELLED.finditer(text):
        yield Span(*match.span("name"), EntityType.PERSON, 0.95)
    for match in _DOTTED.finditer(text):
        yield Span(match.start(), match.end(), EntityType.PERSON, 0.9)
    for match in _TITLED.finditer(text):
        if match["name"] is None or text[match.start() : match.start() + 2] not in NO_NAMES:
            group = "name" if match["name"] else "nick"
            yield Span(*match.span(group), EntityType.PERSON, 0.7)
    for match in _RUN.finditer(text):
        if match.group() not in NO_NAMES:
            yield Span(match.start(), match.end(), EntityType.PERSON, 0.5)


def _by_context(text: str) -> Iterator[tuple[str, float]]:
    position = 0
    while match := _SCAN.search(text, position):
        start, position = match.start(), match.start() + 1
        best = max(_readings(text, start, match.end()), default=(0, 0))
        if best[0] >= _ACCEPTED:
            yield text[start : best[1]], min(0.9, 0.5 + 0.08 * best[0])
            position = best[1]


def _readings(text: str, start: int, given: int) -> Iterator[tuple[int, int]]:
    """Yield the points and the end of each way to read a name from here."""
    if text[start : start + 2] in NO_NAMES or text[start - 1 : start + 1] in NO_NAMES:
        return
    before = _points_before(text, start)
    for length in (2, 1):
        name = text[given : given + length]
        if len(name) < length or not all("\u3400" <= c <= "\u9fff" for c in name):
            continue
        if any(c in NOT_GIVEN and c not in GIVEN for c in name):
            continue
        points = before + _points_after(text, given + length)
        points += sum(c in GIVEN for c in name)
        points += text[start] in COMMON_SURNAMES or given - start == 2
        points -= text[start] in WEAK_SURNAMES
        if length == 1 and given - start == 1:  # two characters are more often a word
            points -= 1 if before >= 0 else 2
        elif before < 0 and given + length - start == 3 and text[start] in COMMON_SURNAMES:
            points += all(c in GIVEN for c in name)
        yield points, given + length


def _points_before(text: str, start: int) -> int:
    if start == 0 or not "\u3400" <= text[start - 1] <= "\u9fff":
        return 1
    window = text[max(0, start - _PREFIX_CHARS) : start]
    if any(window[-n:] in words for n, words in _PREFIXES_BY_LENGTH.items()):
        return 3
    return 0 if text[start - 1] in _JOINING else -2


def _points_after(text: str, end: int) -> int:
    if end == len(text) or not "\u3400" <= text[end] <= "\u9fff":
        return 1
    if any(text[end : end + n] in _SUFFIXES_BY_LENGTH[n] for n in (3, 2)):
        return 2
    if text[end] in _SUFFIXES_BY_LENGTH[1]:
        return 0 if text[end] in _BEFORE_SUFFIX else 1
    return -1
