"""A reader for tests: it finds the answers of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sage_rag.agents.reading.protocols import Reading


class TableReader:
    """Read a text as answering if it contains the answer that the table has for the question.

    `asked`: the questions and texts that it was given. `sure`: the probability of such an answer.
    """

    def __init__(self, table: Mapping[str, str], sure: float = 0.99) -> None:
        self._table = dict(table)
        self._sure = sure
        self.asked: list[tuple[str, Sequence[str]]] = []

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """Return how sure it is and the answer's place where a text has it, else .01."""
        self.asked.append((question, texts))
        answer = self._table.get(question)
        places = [text.find(answer) if answer else -1 for text in texts]
        return [
            Reading(self._sure, place, place + len(answer))
            if answer and place >= 0
            else Reading(0.01, 0, 0)
            for place in places
        ]
