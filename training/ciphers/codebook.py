"""Short pseudonyms: two words for a value, and a sealed table that maps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.faults import Fault, TokenError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.ciphers.codewords import code_count, displayed_type, draw_code, type_of_code
from sage_rag.training.ciphers.sealed_tables import (
    SealedTable,
    TableName,
    locked_codebook,
    open_table,
    read_tables,
    seal_table,
    table_key,
    write_tables,
)

MAX_LOAD = 1 / 8
"""The maximum share of a type's codes in use. It is also the maximum probability that two words
which a model invents are a person's pseudonym."""
_KEY_BYTES = 32


@dataclass(slots=True)
class _Table:
    """The codes of one type: `drawn` under the primary key, `values` under any available key."""

    values: dict[str, str] = field(default_factory=dict, repr=False)
    drawn: dict[str, str] = field(default_factory=dict, repr=False)
    changed: bool = False
    complete: bool = True
    """Whether every code in use is known: the keyset has the keys of all tables."""


class CodebookCipher:
    """Encrypt values of one corpus as `PERSON_[river_oak]`: at most 6 tokens to Llama-3 or Qwen2.5.

    HMAC-SHA256 under a key of corpus and entity type draws the code of a value; if the code is
    taken, it draws again. So codes do not depend on other values, except for collisions: two
    indexers with one key differ in about n²/2N of n values and N codes (12 of 10,000 names), and
    the order of values is hidden. The table of codes is a file next to the index, with one sealed
    part per type, which only the key opens.

    Guarantees: equal values of one type give equal tokens; a token hides its value, length
    included; a changed table does not open; types that are not granted stay closed.
    Does not guarantee: semantic security (equality and frequency are visible, as with any
    deterministic cipher). Authentication: two words that a model invents or mixes up are another
    person's pseudonym with probability values / codes (about 1 in 400 at 10,000 names), at most
    `MAX_LOAD`. That a table is the latest: an older table of the same corpus opens, with fewer
    values. A write to it can then give a code that it does not know to another value, and older
    tokens with that code restore to the wrong value. Keep the owner's file, not a server's copy.
    The file's size shows the number of values in steps of 4 KiB.

    A value that is not in the file gets a code that only this object can restore. Only
    `codebook_writer` stores such codes.
    """

    def __init__(self, path: Path, keyset: Keyset, corpus_id: str) -> None:
        """Read the file, if there is one; a table is opened with the first value of its type.

        Raises:
            InputError: for a file that is not a codebook of this corpus.
        """
        self._path = path
        self._keyset = keyset
        self._corpus = corpus_id
        self._sealed = read_tables(path, corpus_id)
        self._tables: dict[EntityType, _Table] = {}
        self._keys: dict[EntityType, bytes] = {}

    def encrypt(self, value: str, entity_type: EntityType) -> str:
        """Return `TYPE_[word_word]`; types with long names show a shorter one (`displayed_type`).

        Raises:
            KeysetError: where the keyset lacks a key of this type's tables.
            InputError: where `MAX_LOAD` of the type's codes are in use.
        """
        table = self._table(entity_type)
        code = table.drawn.get(value) or self._draw(value, entity_type, table)
        return f"{displayed_type(entity_type)}_[{code}]"

    def decrypt(self, token: str) -> str:
        """Return the value.

        Raises:
            TokenError: for an unused code, or one of a type that is not granted.
            KeysetError: where the table of the type was changed; the token may be right.
        """
        match = TOKEN.fullmatch(token)
        if match is None:
            raise TokenError(Fault.MALFORMED)
        entity_type = type_of_code(match.group(2), EntityType(match.group(1)))
        if entity_type is None:
            raise TokenError(Fault.MALFORMED)
        try:
            self._key(entity_type)
        except KeysetError:
            raise TokenError(Fault.NOT_GRANTED) from None
        table = self._table(entity_type)
        value = table.values.get(match.group(2))
        if value is None:
            raise TokenError(Fault.FORGED if table.complete else Fault.UNKNOWN_KEY)
        return value

    def _draw(self, value: str, entity_type: EntityType, table: _Table) -> str:
        if not table.complete:
            raise KeysetError(
                f"the codebook has codes of {entity_type} under a key that this keyset lacks",
                hint="a new code could equal one of them",
            )
        if len(table.values) >= MAX_LOAD * code_count(entity_type):
            raise InputError(
                f"the codebook is full: {len(table.values)} values of {entity_type}",
                hint="use the cipher `siv`",
            )
        key = self._key(entity_type)
        attempt = 0
        while (code := draw_code(key, value, attempt, entity_type)) in table.values:
            attempt += 1
        table.values[code], table.drawn[value], table.changed = value, code, True
        return code

    def _key(self, entity_type: EntityType) -> bytes:
        """Return the key that codes are drawn with."""
        if entity_type not in self._keys:
            purpose = f"codebook/codes/{self._corpus}"
            self._keys[entity_type] = self._keyset.entity_key(
                self._keyset.primary, entity_type, purpose=purpose, size_bytes=_KEY_BYTES
            )
        return self._keys[entity_type]

    def _table(self, entity_type: EntityType) -> _Table:
        if entity_type not in self._tables:
            table = _Table()
            for name, sealed in self._sealed.items():
                if name[1] == entity_type:
                    self._fill(table, name, sealed)
            self._tables[entity_type] = table
        return self._tables[entity_type]

    def _fill(self, table: _Table, name: TableName, sealed: SealedTable) -> None:
        try:
            key = table_key(name, self._keyset)
        except KeysetError:
            table.complete = False
            return
        codes = open_table(sealed, name, key, self._corpus)
        table.values.update(codes)
        if name[0] == self._keyset.primary:
            table.drawn = {value: code for code, value in codes.items()}

    def _save(self) -> None:
        """Seal the tables that have new codes, and write the file."""
        for entity_type, table in self._tables.items():
            if table.changed:
                name = (self._keyset.primary, entity_type)
                codes = {code: value for value, code in sorted(table.drawn.items())}
                key = table_key(name, self._keyset)
                self._sealed[name] = seal_table(codes, name, key, self._corpus)
                table.changed = False
        write_tables(self._path, self._corpus, self._sealed)


@contextmanager
def codebook_writer(path: Path, keyset: Keyset, corpus_id: str) -> Iterator[CodebookCipher]:
    """Encrypt with a codebook and store its new codes in the file, which only its owner can read.

    The file is written when the block ends without an error: publish tokens afterwards. If the
    process is killed before, the next run draws the same codes.

    Raises:
        InputError: when another process is writing, or the file cannot be written.
    """
    with locked_codebook(path):
        cipher = CodebookCipher(path, keyset, corpus_id)
        yield cipher
        cipher._save()
