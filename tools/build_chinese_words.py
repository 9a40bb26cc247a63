"""Write the Chinese word lists that come from the dictionary of `jieba`; the others are our own.

    python -m tools.build_chinese_words site-packages/jieba/dict.txt

A line of the dictionary contains a word, its count, and its part of speech.

Source: `jieba` 0.42.1 (MIT, copyright 2013 Sun Junyi).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sage_rag.privacy.recognizers.chinese.words import TRANSLITERATION
from sage_rag.training.recognition.chinese.gazetteer import HAN, geonames, simplified

_NAMES = frozenset("nr ns nt nz nrt nrfg zg x g m i l".split())
"""Parts of speech of possible names, and of other words that prose lacks."""
_PHRASES = frozenset("i l".split())
_PLACE_ENDS = frozenset(
    "省市县区镇乡村州盟旗山河湖江岛湾海洋峡港桥路街巷门关寺宫庙塔峰岭谷泉洞溪沟滩原漠"
)
_COUNTED = "满一两三几各每"
"""First characters of phrases that only look like a place: "the whole street"."""
_PER_LINE = 25
_FOLDER = Path("training/recognition/chinese/words")

Entry = tuple[str, int, str]


def _ordinary(entry: Entry) -> bool:
    word, count, part = entry
    enough = 150 if part in _PHRASES else 200
    return len(word) <= 4 and count >= enough and (part in _PHRASES or part not in _NAMES)


def _place(entry: Entry) -> bool:
    word, count, part = entry
    named = part == "ns" and count >= 3 and len(word) <= 7
    return named and word[-1] in _PLACE_ENDS and word[0] not in _COUNTED


def _by_sound(entry: Entry) -> bool:
    word, _, part = entry
    return part == "nrt" and len(word) <= 6 and TRANSLITERATION.issuperset(word)


def lists(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the words of each list, in order, from the lines of the dictionary."""
    entries = [entry for entry in map(_entry, lines) if HAN.fullmatch(entry[0])]
    places = set(_chosen(entries, _place))
    ordinary = set(_chosen(entries, _ordinary)) - places
    towns = {name for name, _, _ in geonames()}
    by_sound = set(_chosen(entries, _by_sound)) - places - ordinary - towns
    found = {"vocabulary": ordinary, "place": places, "transliterated": by_sound}
    return {name: sorted(words) for name, words in found.items()}


def _entry(line: str) -> Entry:
    word, count, part = line.split()
    return word, int(count), part


def _chosen(entries: Iterable[Entry], rule: Callable[[Entry], bool]) -> Iterator[str]:
    return (entry[0] for entry in entries if simplified(entry[0]) and rule(entry))


def write(dictionary: Path, folder: Path) -> None:
    """Write a file for each list: `folder/<name>.txt`."""
    for name, words in lists(dictionary.read_text("utf-8").splitlines()).items():
        rows = [" ".join(words[i : i + _PER_LINE]) for i in range(0, len(words), _PER_LINE)]
        (folder / f"{name}.txt").write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), _FOLDER)
