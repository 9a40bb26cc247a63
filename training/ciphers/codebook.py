"""Short pseudonyms: two words for a value, and a sealed table that tells which."""

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
"""Largest share of a type's codes in use, and so the highest chance that two words which a model
makes up are somebody's pseudonym."""
_KEY_BYTES = 32


@dataclass(slots=True)
class _Table:
    """The codes of one type. `drawn` under the primary key, `values` under any key at hand."""

    values: dict[str, str] = field(default_factory=dict, repr=False)
    drawn: dict[str, str] = field(default_factory=dict, repr=False)
    changed: bool = False
    complete: bool = True
    """Whether every code in use is known: no table is of a key that the keyset lacks."""


class CodebookCipher:
    """Encrypt values of one corpus as `PERSON_[river_oak]`: at most 6 tokens to Llama-3 or Qwen2.5.

    The code of a value is drawn by HMAC-SHA256 under a key of corpus and entity type, again where
    it is taken. So codes do not depend on what else was encrypted, collisions apart: two indexers
    with one key agree but for about n²/2N of n values and N codes (12 of 10,000 names), and the
    order of values shows nowhere. The table of codes stands in a file beside the index, one
    sealed part per type, and opens with the key alone.

    Guarantees: equal values of one type give equal tokens; a token hides its value entirely,
    length included; a changed table does not open; types that a grant lacks stay closed.
    Does not guarantee: semantic security (equality and frequency show, as with any deterministic
    cipher). Authentication of a token: two words made up or mixed up by a model are somebody
    else's pseudonym with a chance of values / codes (about 1 in 400 at 10,000 names), `MAX_LOAD` at
    most. That a table is the latest: an older one of the same corpus opens, and knows less; if it
    is then written to, a code of a value that it does not know can go to another value, which
    the older tokens of that code are shown as. Keep the owner's file, not a server's copy. The
    file's size tells the number of values in steps of 4 KiB.

    A value that is not in the file gets a code that this object alone can restore. Only inside
    `codebook_writer` are such codes kept.
    """

    def __init__(self, path: Path, keyset: Keyset, corpus_id: str) -> None:
        """Read the file, if there is one; tables are opened when a value of their type comes.

        Raises:
            InputError: for a file that is no codebook of this corpus.
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
            KeysetError: where the keyset lacks a key that this type's tables are under.
            InputError: where `MAX_LOAD` of the type's codes are in use.
        """
        table = self._table(entity_type)
        code = table.drawn.get(value) or self._draw(value, entity_type, table)
        return f"{displayed_type(entity_type)}_[{code}]"

    def decrypt(self, token: str) -> str:
        """Return the value.

        Raises:
            TokenError: for a code that is nobody's, or of a type that is not granted.
            KeysetError: where the table of the type was changed; that is no fault of the token.
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
                f"the codebook holds codes of {entity_type} under a key that this keyset lacks",
                hint="a code drawn without it could be one that is taken",
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
        """Write the tables that have grown; the others stay as they are, sealed."""
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
    """Encrypt with a codebook and keep its new codes in the file, which only its owner may read.

    The file is written when the block ends, and not if it fails: publish tokens afterwards. If
    the process is killed before, the next run draws the same codes.

    Raises:
        InputError: when another process is writing, or the disk does not take the file.
    """
    with locked_codebook(path):
        cipher = CodebookCipher(path, keyset, corpus_id)
        yield cipher
        cipher._save()
