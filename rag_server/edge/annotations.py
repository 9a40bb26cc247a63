"""The positions of annotations in a restored answer: names are shorter or longer than tokens."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any

_MARKER = re.compile(r"\[[0-9,\s]{1,64}\]")
_MOST_CHARACTERS = 1_000_000
_MOST_READINGS = 16
"""How often a stream may have its whole text read: our server sends annotations once a choice."""


def moved(annotations: Any, sent: str, shown: str) -> Any:
    """Return annotations of the text `sent`, with the positions of their markers in `shown`.

    A marker such as `[2]` is found by how many equal ones precede it. Anything else is unchanged.
    """
    if not isinstance(annotations, list) or not annotations or len(sent) > _MOST_CHARACTERS:
        return annotations
    counts = Counter[str]()
    numbered: dict[tuple[int, int], tuple[str, int]] = {}
    for match in _MARKER.finditer(sent):
        numbered[match.span()] = match.group(), counts[match.group()]
        counts[match.group()] += 1
    places: dict[str, list[int]] = defaultdict(list)
    for match in _MARKER.finditer(shown):
        places[match.group()].append(match.start())
    return [_moved(item, numbered, places) for item in annotations]


def _moved(
    item: Any, numbered: dict[tuple[int, int], tuple[str, int]], places: dict[str, list[int]]
) -> Any:
    mark = item.get("url_citation") if isinstance(item, dict) else None
    if not isinstance(mark, dict):
        return item
    start, end = mark.get("start_index"), mark.get("end_index")
    if not isinstance(start, int) or not isinstance(end, int) or (start, end) not in numbered:
        return item
    marker, number = numbered[start, end]
    if number >= len(places[marker]):
        return item
    place = places[marker][number]
    return {
        **item,
        "url_citation": {**mark, "start_index": place, "end_index": place + len(marker)},
    }


class StreamedText:
    """The text of one choice of a stream, as sent and as restored, for its annotations."""

    def __init__(self) -> None:
        self._sent: list[str] = []
        self._shown: list[str] = []
        self._characters = 0
        self._readings = 0

    def add(self, sent: str, shown: str) -> None:
        """Add the next piece."""
        self._characters += len(sent)
        if self._characters <= _MOST_CHARACTERS:
            self._sent.append(sent)
            self._shown.append(shown)

    def moved(self, annotations: Any) -> Any:
        """Return annotations of the text so far, as `moved`; unchanged in a very long one."""
        self._readings += 1
        if self._characters > _MOST_CHARACTERS or self._readings > _MOST_READINGS:
            return annotations
        return moved(annotations, "".join(self._sent), "".join(self._shown))
