"""The trained tagger for Chinese names, places and organisations: one small network, offline."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.batches import batches_of
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.recognizer import HAN, is_chinese
from sage_rag.privacy.recognizers.chinese.word_features import WORDS, load_words
from sage_rag.privacy.recognizers.tagging.decode import private_logit
from sage_rag.privacy.recognizers.windows import Window, windows
from sage_rag.privacy.spans import Span

if TYPE_CHECKING:
    from sage_rag.privacy.recognizers.chinese.network import ChineseModel
    from sage_rag.privacy.recognizers.tagging.weights_file import Calibration

VERSION = 3
"""Raised with every change of the spans from the same weights."""
WEIGHTS = Path(__file__).parent / "weights" / "chinese.safetensors"

_WINDOW, _MARGIN = 512, 32
"""Characters; the margin exceeds the network's reach, so windows change no answer."""
_BATCH = 16
_OPENS = 2.0
"""One character of a span must reach this multiple of its type's threshold. The others need only
the threshold, since half a name protects nothing."""
_SURE = 0.9
"""The score from which a name is searched in the rest of its text."""
_BESIDE = 3
"""A value must have a Chinese character within this distance: the network learnt Latin letters
inside Chinese text; other recognizers read English."""
_SENTENCE = re.compile(r"(?:[^\n。！？.!?]|[.!?](?!\s))+")
_HAN_PER_WORD = 2
"""A sentence is English with fewer Chinese characters than this for each of its Latin words."""
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_LATIN = re.compile(r"[A-Za-z\d'’]+")
_KIND = re.compile(
    "地区|市区|城区|郊区|街道办?|开发区|商务区|工业区|保护区|示范区|艺术区|园区|社区|小区|新区|片区|学区|景区"
    "|校区|公园|花园|家园|广场|中心|大厦|大楼|大桥|大道|大街|公寓|球场|[体电][育竞][馆场]|码头|机场|博物馆"
    "|美术馆|图书馆|资料馆|展览馆|生活馆|体验[馆店]|会馆|会所|茶馆|酒店|饭店|宾馆|酒吧|书店|剧院|影城|礼堂"
    "|市场|超市|商场|基地|售楼处|项目(?![部组经总负])|半岛|群岛|环礁|峡湾|海岸线?|海峡|沿海|[水海]域|流域|盆地"
    "|平原|峡谷|瀑布|火山|森林|雨林|湿地|草原|沙漠|水库|山脉|高原|墓(?![地碑])|古[城镇村]"
    "|(?:[地轻]铁|轻轨|[客货]运|汽车|火车|高铁)?站(?![点位起立出在长着])"
    "|[东南西北][部侧面]|以[东南西北]|门口|对面|路口|出口|附近|[外内旁](?=[，。,、；：]|$)"
    r"|\d{1,4}号(?:地块?|楼|院|线|馆|店)?|[\dA-Za-z]{1,4}(?:[栋幢座室弄]|号?[出入]{0,2}口)"
    r"|[\dA-Za-z一二三四五六七八九十]{1,3}(?:[期楼层]|单元)|[省市县区镇乡村路街巷](?![长民委场面上里])"
)
"""The word for a kind of place; it belongs to the name before it."""
_EDGES = " \t\r\n　,，;；:：。!！?？“”‘’\"'《》<>()（）[]【】、·•・|/*-—"


class ChineseTagger:
    """Find people, places and organisations in Chinese text by a network that reads characters.

    Guarantees: torch is imported only for Chinese text; the spans of a text do not depend on other
    texts in the batch; a name with a high score is found everywhere in its text.
    Does not guarantee: names of a form that the generated training text lacks, or the end of a
    name before a character that is common in names. Japanese text is left to others.
    """

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._path = weights
        self._digest = hashlib.sha256(weights.read_bytes() + WORDS.read_bytes()).hexdigest()[:12]
        self.fingerprint: Final = f"chinese-tagger-{VERSION}-{self._digest}"
        """The version of the rules, and a digest of the weights and the words."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans; those of different types may overlap."""
        return self.recognize_all([text])[0]

    def recognize_all(self, texts: Sequence[str]) -> list[Sequence[Span]]:
        """Return the spans of each text; windows of all of them share batches."""
        todo = [
            (number, window)
            for number, text in enumerate(texts)
            if is_chinese(text)
            for window in windows(len(text), size=_WINDOW, margin=_MARGIN)
        ]
        if not todo:
            return [[] for _ in texts]
        model, types, calibration = _loaded(self._path, self._digest)
        scores = {n: np.zeros((len(texts[n]), len(types)), np.float32) for n, _ in todo}
        begins = {n: np.zeros((len(texts[n]), len(types)), np.bool_) for n, _ in todo}
        todo.sort(key=lambda item: item[1].end - item[1].start)
        for part in batches_of(todo, _BATCH):
            answers = model.ask([texts[number][w.start : w.end] for number, w in part])
            for (number, window), logits in zip(part, answers, strict=True):
                _keep(window, logits, calibration, scores[number], begins[number])
        thresholds = [c.threshold for c in calibration]
        return [
            decode_characters(text, scores[n], begins[n], types, thresholds) if n in scores else []
            for n, text in enumerate(texts)
        ]


def _keep(
    window: Window,
    logits: NDArray[np.float32],
    calibration: Sequence[Calibration],
    scores: NDArray[np.float32],
    begins: NDArray[np.bool_],
) -> None:
    core = slice(window.core_start, window.core_end)
    answers = logits[window.core_start - window.start : window.core_end - window.start]
    slope = np.array([c.slope for c in calibration])
    shift = np.array([c.shift for c in calibration])
    scores[core] = 1 / (1 + np.exp(-(slope * private_logit(answers) + shift)))
    begins[core] = answers[..., 1] > answers[..., 2]


def decode_characters(
    text: str,
    scores: NDArray[np.float32],
    begins: NDArray[np.bool_],
    types: Sequence[EntityType],
    thresholds: Sequence[float],
) -> list[Span]:
    """Return the runs of characters that reach their type's threshold, cut where another begins.

    `scores` (characters, types). `begins` (characters, types): whether a value more likely begins
    there than continues. A run needs one character with `_OPENS` times the threshold. A Latin word
    counts whole, and only near Chinese characters in a sentence that is not English. A span inside
    one of another type with more than twice its score is left out.
    """
    found: list[list[Span]] = []
    english = _english(text)
    for column, (entity_type, threshold) in enumerate(zip(types, thresholds, strict=True)):
        score = _by_latin_word(text, scores[:, column])
        score[english] = 0
        found.append([])
        for start, end in _runs(score >= threshold, begins[:, column], text):
            best = float(score[start:end].max())
            around = text[max(0, start - _BESIDE) : end + _BESIDE]
            if best >= _OPENS * threshold and HAN.search(around):
                if entity_type is EntityType.LOCATION:
                    end = _completed(text, start, end)
                found[-1].append(Span(start, end, entity_type, best))
    kept = [
        s for own in found for s in own if not any(_outdone(s, o) for o in found if o is not own)
    ]
    return [*kept, *_again(text, kept)]


def _again(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the other occurrences of names with a high score, where the context may be missing."""
    sure = {text[s.start : s.end]: s for s in spans if len(s) > 1 and s.score >= _SURE}
    taken = {(s.start, s.end) for s in spans}
    for value, span in sure.items():
        for match in re.finditer(re.escape(value), text):
            if match.span() not in taken and not value.isascii():
                yield Span(*match.span(), span.entity_type, span.score)


def _completed(text: str, start: int, end: int) -> int:
    """Return the end of a place, extended by the word for its kind where it is cut or follows."""
    for position in (end, end - 1, end - 2):
        if position > start and (kind := _KIND.match(text, position)) and kind.end() > end:
            return _completed(text, start, kind.end())
    return end


def _outdone(span: Span, others: Sequence[Span]) -> bool:
    """Return whether a span in `others` (in order) covers this one with over twice its score."""
    last = bisect_right(others, span.start, key=lambda other: other.start)
    other = others[last - 1] if last else None
    return other is not None and span.end <= other.end and other.score > 2 * span.score


def _english(text: str) -> NDArray[np.bool_]:
    """Return which characters of a text are not Chinese, in sentences of mostly Latin words."""
    english = np.zeros(len(text), dtype=np.bool_)
    for sentence in _SENTENCE.finditer(text):
        own = sentence.group()
        if len(HAN.findall(own)) < _HAN_PER_WORD * len(_LATIN_WORD.findall(own)):
            english[slice(*sentence.span())] = [HAN.match(sign) is None for sign in own]
    return english


def _by_latin_word(text: str, score: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores with the mean of the word for each character of a Latin word."""
    whole = score.copy()
    for word in _LATIN.finditer(text):
        whole[word.start() : word.end()] = score[word.start() : word.end()].mean()
    return whole


def _runs(
    private: NDArray[np.bool_], begins: NDArray[np.bool_], text: str
) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(private.astype(np.int8), prepend=0, append=0))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        cuts = [int(i) + first + 1 for i in np.flatnonzero(begins[first + 1 : last])]
        cuts = [i for i in cuts if not (_LATIN.match(text[i - 1]) and _LATIN.match(text[i]))]
        for start, end in pairwise([int(first), *cuts, int(last)]):
            while start < end and text[start] in _EDGES:
                start += 1
            while start < end and text[end - 1] in _EDGES:
                end -= 1
            if start < end:
                yield start, end


@lru_cache(maxsize=4)
def _loaded(
    path: Path, digest: str
) -> tuple[ChineseModel, tuple[EntityType, ...], tuple[Calibration, ...]]:
    from sage_rag.privacy.recognizers.chinese.network import (
        ChineseModel,
        load_chinese_network,
        read_chinese_weights,
    )

    weights = read_chinese_weights(path)
    network = load_chinese_network(path, weights)
    model = ChineseModel(network, weights.characters, load_words(WORDS))
    return model, weights.types, weights.calibration
