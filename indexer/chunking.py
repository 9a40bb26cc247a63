"""Split running text into chunks of whole sentences."""

from __future__ import annotations

from collections.abc import Iterator

from sage_rag.common.sentences import sentence_spans


def chunk_spans(text: str, max_chars: int) -> list[tuple[int, int]]:
    """Return `[start, end)` of each chunk: as many whole sentences in a row as `max_chars` allows.

    A longer sentence is cut at white space, or at `max_chars` where it has none. Outside of the
    chunks there is only white space.
    """
    chunks: list[tuple[int, int]] = []
    for start, end in _parts(text, max_chars):
        if chunks and end - chunks[-1][0] <= max_chars:
            chunks[-1] = (chunks[-1][0], end)
        else:
            chunks.append((start, end))
    return chunks


def _parts(text: str, max_chars: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences, and the parts of those longer than `max_chars`."""
    for start, end in sentence_spans(text):
        while end - start > max_chars:
            # One character more: white space right after the limit ends a part of full length.
            head = text[start : start + max_chars + 1].rsplit(maxsplit=1)[0]
            cut = start + min(len(head), max_chars)
            yield start, cut
            start = next(place for place in range(cut, end) if not text[place].isspace())
        yield start, end
