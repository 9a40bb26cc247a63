"""Whom and what a question names, as an edge with the lookup of the index found it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedPeople:
    """Tokens, sorted.

    `known`: of the index, the persons that the names of a question may mean. `unknown`: of the
    question, the names that can mean no one of the index, and the days that it does not have.
    `others`: of the index, what the places, organisations and titles of the question may mean; and
    its codes under other types, whether the index has them or not.
    `alike`: of the index, persons whose names are spelt nearly as an unknown one, or are its first
    names alone. `dates`: of the
    index, the dates of the question's days. `partial`: of the question, the names with a word that
    those they may mean lack ("keller watch").
    """

    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()

    @property
    def meant(self) -> tuple[str, ...]:
        """The persons, or without any the others, or the dates."""
        return self.known or self.others or self.dates
