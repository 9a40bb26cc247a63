"""The positions of annotations in a restored answer: names are shorter or longer than tokens."""

from __future__ import annotations

from typing import Any


def moved(annotations: Any, sent: str, shown: str) -> Any:
    """Return annotations of the text `sent`, with the positions of their markers in `shown`.

    A marker such as `[2]` is found by how many equal ones precede it. Anything else is unchanged.
    """
    if not isinstance(annotations, list):
        return annotations
    return [_moved(item, sent, shown) for item in annotations]


def _moved(item: Any, sent: str, shown: str) -> Any:
    mark = item.get("url_citation") if isinstance(item, dict) else None
    if not isinstance(mark, dict):
        return item
    start, end = mark.get("start_index"), mark.get("end_index")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(sent):
        return item
    marker, before = sent[start:end], sent[:start].count(sent[start:end])
    place = -1
    for _ in range(before + 1):
        place = shown.find(marker, place + 1)
        if place < 0:
            return item
    return {
        **item,
        "url_citation": {**mark, "start_index": place, "end_index": place + len(marker)},
    }
