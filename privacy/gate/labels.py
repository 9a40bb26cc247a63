"""The form of a consensus passage: one statement a line, lists of topics, and their labels."""

from __future__ import annotations

from collections.abc import Iterator

OFTEN = "Often"
"""The label of a statement that at least half of the topic's subjects support."""
OFTEN_SHARE = 0.5
POSSIBLE = "Possible"
"""The label of a list: what k subjects name as possible, `you may have gout`."""
TOPICS = "Topics"
"""The label of a list: what k subjects mention, the most frequent first."""
LISTS = (POSSIBLE, TOPICS)
LABELS = frozenset({OFTEN, *LISTS})
"""Words of a passage that no subject says: the project's own."""


def labelled_statements(text: str) -> Iterator[tuple[str, str]]:
    """Yield label and statement for each statement of a field; the label is empty without one."""
    for line in text.splitlines():
        label, _, rest = line.partition(": ")
        if not rest or label not in LABELS:
            label, rest = "", line
        said = rest.strip().rstrip(".")
        for part in said.split(", ") if label in LISTS else [said]:
            if part:
                yield label, part
