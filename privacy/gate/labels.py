"""The form of a consensus passage: one statement a line, lists, and their labels.

A list is headed by its label. That of what is possible may have the corpus's own words instead:
`You may have, notably: gout, sprain.`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OFTEN = "Often"
"""The label of a statement that at least half of the topic's subjects state."""
OFTEN_SHARE = 0.5
POSSIBLE = "Possible"
"""The label of a list: what k subjects name as possible, `you may have gout`."""
CAUSES = "Possible causes"
"""The label of a list: `the pain may be due to gout`."""
ADVISED = "Advised"
"""The label of a list: what k subjects need or advise, `we need to perform a plain x-ray`."""
TOPICS = "Topics"
"""The label of a list: what k subjects mention, the most frequent first."""
LISTS = (POSSIBLE, CAUSES, ADVISED, TOPICS)
NOTABLY = "notably"
"""Follows the corpus's own words at the head of a list. Where the words of the records meet those
of a list, no other word is as rare."""
LABELS = frozenset({OFTEN, *LISTS, NOTABLY})
"""Words of a passage that no subject says: the project's own."""


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A statement of a passage. `label`: empty for one without.

    `lead`: the corpus's own words at the head of its list; empty without.
    """

    label: str
    text: str
    lead: str = ""


def labelled_statements(text: str) -> Iterator[LabelledStatement]:
    """Yield the statements of a field, each with its label."""
    for line in text.splitlines():
        head, _, rest = line.partition(": ")
        label, lead = _label(head) if rest else ("", "")
        said = (rest if label else line).strip().rstrip(".")
        for part in said.split(", ") if label in LISTS else [said]:
            if part:
                yield LabelledStatement(label, part, lead)


def list_head(lead: str) -> str:
    """Return the head of a list of what is possible, in the corpus's own words."""
    return f"{lead[:1].upper()}{lead[1:]}, {NOTABLY}"


def _label(head: str) -> tuple[str, str]:
    """Return the label that a line's head is or stands for, and its own words."""
    if head == OFTEN or head in LISTS:
        return head, ""
    lead = head.removesuffix(f", {NOTABLY}")
    return ("", "") if lead in ("", head) else (POSSIBLE, lead)
