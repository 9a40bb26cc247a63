"""Rekey: publish the current version of a corpus again under the primary key.

It needs keys alone: no original, model or embedder. Tokens and blind words are decrypted and made
again; vectors stay, since they depend on the readable view, which does not change. Rows move to the
order of the new passage ids: the old order would reveal to a holder of the old key which passage is
of which document.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer.corpus_file import corpus_file_path
from sage_rag.indexer.layers import (
    LEXICAL,
    PASSAGES,
    VECTORS,
    LayerIndex,
    layer_folder,
    write_passages,
)
from sage_rag.indexer.ledger import locked_corpus
from sage_rag.indexer.passages import Passage, passage_id
from sage_rag.indexer.publishing import publish_filled
from sage_rag.indexer.stores.faiss import FaissIndex
from sage_rag.indexer.stores.vocabulary import copy_renamed, index_words
from sage_rag.indexer.versions import (
    LOOKUP,
    REPORT,
    IndexVersion,
    Manifest,
    corpus_folder,
    current_path,
    list_versions,
    open_version,
    read_manifest,
)
from sage_rag.privacy.blind_index import BLIND_WORD, BlindIndex, PartWords
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError, KeysetError, UnsignedError
from sage_rag.privacy.keyset.keyset import Grant, Keyset
from sage_rag.privacy.lookup import Lookup, sealed_lookup
from sage_rag.privacy.lookup_seal import SealedLookup
from sage_rag.privacy.policy import Policy
from sage_rag.privacy.tokens import TOKEN, readable_view, token_type, tokens_in

_REPLACED = {"version", "files", "created", "sage_rag", "key_ids"}


@dataclass(frozen=True, slots=True)
class RekeySummary:
    """Counts of one rekeying: of distinct tokens and blind words that were replaced.

    `outdated`: numbers of older versions that other keys open, or that cannot be read; they stay on
    disk.
    """

    path: Path
    passages: int
    tokens: int
    words: int
    outdated: tuple[str, ...]


def rekey(home: Path, corpus: str, keyset: Keyset) -> RekeySummary:
    """Publish the current version again under the keyset's primary key, unless it has it already.

    A version whose lookup is of an earlier sage-rag, which did not sign, is published again, too.

    Fails closed: if one token or blind word cannot be replaced, nothing is published.

    Guarantees: the new version contains no token, blind word or passage id of another key.
    Does not guarantee: that a holder of the old version learns nothing. Its records equal the new
    ones word for word, so the old key still reveals whose they are: rekeying protects only if the
    old versions are deleted. Surrogates stay the same: a holder of the old key of their type can
    test guesses; index again to choose new ones.

    Raises:
        InputError: if there is no such corpus, or its version is damaged or has no tokens.
        KeysetError: for a grant, or a keyset that lacks a key of the version.
        ProtectionError: if a token of another key would remain.
    """
    if isinstance(keyset, Grant):
        raise KeysetError("this is a grant; rekeying takes the whole keyset, which its owner holds")
    if corpus_file_path(home, corpus).exists() and not list_versions(corpus_folder(home, corpus)):
        raise InputError(
            f"corpus `{corpus}` has no version yet; there is nothing to rekey",
            hint=f"publish one: sage-rag index {corpus} --home {home}",
        )
    current_path(home, corpus)  # fails before the lock creates a folder
    with locked_corpus(home / "owner" / corpus):
        path = current_path(home, corpus)
        version = open_version(path, verify=True)
        try:
            manifest = version.manifest
            if not manifest.key_ids:
                raise InputError(
                    f"corpus `{corpus}` is published without keys; there is nothing to rekey"
                )
            if manifest.key_ids == (keyset.primary,) and not _lacks_signature(version):
                outdated = _outdated(home, corpus, keyset.primary)
                return RekeySummary(path, len(version), 0, 0, outdated)
            renewal = _renewal(version, keyset)
            path = publish_filled(
                home, corpus, lambda staging, number: _fill(staging, number, version, renewal)
            )
        finally:
            version.close()
        outdated = _outdated(home, corpus, keyset.primary)
        return RekeySummary(path, len(version), len(renewal.tokens), len(renewal.words), outdated)


@dataclass
class _Renewal:
    """The replacement of each token and blind word of a version.

    `closed`: tokens that no key opens. `documents`: plain document ids by their tokens.
    """

    keyset: Keyset
    manifest: Manifest
    tokens: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    documents: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._cipher = default_cipher(self.keyset, self.manifest.corpus)
        self._index = BlindIndex(self.keyset, self.manifest.corpus, PartWords.ALL)
        self._old_ids = [k for k in self.manifest.key_ids if k in self.keyset]

    def replace(self, token: str) -> None:
        """Replace a token and the blind words of its value."""
        if token in self.tokens or token in self.closed:
            return
        try:
            value = self._cipher.decrypt(token)
        except DecryptionError:
            self.closed.add(token)
            return
        entity_type = token_type(token)
        self.tokens[token] = self._cipher.encrypt(value, entity_type)
        if entity_type is EntityType.SOURCE:
            self.documents[token] = value
        new = self._index.words(value, entity_type)
        for key_id in self._old_ids:
            old = self._index.words(value, entity_type, key_id)
            self.words.update(zip(old, new, strict=True))

    def passage(self, passage: Passage) -> Passage:
        """Return a passage under the new key."""
        return Passage(
            passage_id(self.keyset, self.manifest.corpus, self.documents[passage.source]),
            self.tokens[passage.source],
            {name: self.text(text) for name, text in passage.fields.items()},
            layer=passage.layer,
        )

    def text(self, text: str) -> str:
        """Return a text with its tokens replaced."""
        return TOKEN.sub(lambda match: self.tokens[match.group()], text)


def _renewal(version: IndexVersion, keyset: Keyset) -> _Renewal:
    """Decrypt everything first, so that a failure comes before anything is written."""
    renewal = _Renewal(keyset, version.manifest)
    vocabulary = {w for layer in version.layers.values() for w in index_words(layer.path / LEXICAL)}
    for token in _tokens(version, vocabulary):
        renewal.replace(token)
    if renewal.closed:
        found = len(renewal.closed) + len(renewal.tokens)
        lacking = [k for k in version.manifest.key_ids if k not in keyset]
        raise KeysetError(
            f"{len(renewal.closed)} of {found} tokens cannot be opened with this keyset",
            hint=f"it lacks key {', '.join(lacking)}" if lacking else "index the corpus again",
        )
    unknown = sum(bool(BLIND_WORD.fullmatch(w)) and w not in renewal.words for w in vocabulary)
    if unknown:
        raise KeysetError(
            f"{unknown} blind words belong to no token of the version",
            hint="index the corpus again",
        )
    return renewal


def _tokens(version: IndexVersion, vocabulary: Iterable[str]) -> Iterator[str]:
    for word in vocabulary:
        if TOKEN.fullmatch(word):
            yield word
    for row in range(len(version)):
        passage = version.passage(row)
        yield passage.source
        for text in passage.fields.values():
            yield from tokens_in(text)


def _fill(
    staging: Path, number: str, version: IndexVersion, renewal: _Renewal
) -> Mapping[str, Any]:
    """Write the renewed version, of this number; return its manifest's fields."""
    for name, layer in version.layers.items():
        _fill_layer(layer_folder(staging, name, version.layers), layer, renewal)
    shutil.copyfile(version.path / REPORT, staging / REPORT)
    if version.lookup is not None:
        texts = (version.passage(row).text for row in range(len(version)))
        corpus, tokens = version.manifest.corpus, renewal.tokens.values()
        policy = _policy(version.lookup, renewal.keyset, corpus)
        sealed = sealed_lookup(texts, tokens, renewal.keyset, corpus, policy, int(number))
        (staging / LOOKUP).write_bytes(sealed)
    _check(staging, renewal)
    kept = version.manifest.model_dump(exclude=_REPLACED)
    return {**kept, "key_ids": (renewal.keyset.primary,)}


def _lacks_signature(version: IndexVersion) -> bool:
    """Return whether an earlier sage-rag, which did not sign, made the lookup of a version."""
    return version.lookup is not None and SealedLookup.parse(version.lookup).signature is None


def _policy(lookup: bytes, keyset: Keyset, corpus: str) -> Policy | None:
    """Return the policy that a lookup says.

    That of an earlier sage-rag is taken unproven, as the passages are: the owner's home holds what
    the owner wrote, and no server writes there.
    """
    try:
        return Lookup.open(lookup, keyset, corpus).policy
    except UnsignedError:
        return Lookup.open_unproven(lookup, keyset, corpus).policy


def _fill_layer(folder: Path, layer: LayerIndex, renewal: _Renewal) -> None:
    folder.mkdir(exist_ok=True)
    ids = [_renewed(layer.passage(row), renewal).id for row in range(len(layer))]
    order = np.asarray(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    write_passages(folder, (renewal.passage(layer.passage(int(row))) for row in order))
    FaissIndex.copy(layer.path / VECTORS, folder / VECTORS, order)
    if layer.sentences:
        layer.sentences.copy(folder, order)
    marks = {**renewal.tokens, **renewal.words}
    copy_renamed(layer.path / LEXICAL, folder / LEXICAL, marks, order)


def _renewed(passage: Passage, renewal: _Renewal) -> Passage:
    renewed = renewal.passage(passage)
    if readable_view(renewed.text) != readable_view(passage.text):
        raise InputError(
            "two tokens of a passage have one value, so its vector would be wrong",
            hint="index the corpus again",
        )
    return renewed


def _check(staging: Path, renewal: _Renewal) -> None:
    """Check the files that were written, for tokens of other keys."""
    own = frozenset(renewal.tokens.values())
    left = 0
    for path in (*staging.rglob(PASSAGES), staging / REPORT):
        with path.open(encoding="utf-8") as lines:
            left += sum(m.group() not in own for line in lines for m in TOKEN.finditer(line))
    fresh = frozenset(renewal.words.values())
    for folder in staging.rglob(LEXICAL):
        for word in index_words(folder):
            left += bool(TOKEN.fullmatch(word)) and word not in own
            left += bool(BLIND_WORD.fullmatch(word)) and word not in fresh
    if left:
        raise ProtectionError(f"{left} tokens of another key would remain: nothing was published")


def _outdated(home: Path, corpus: str, primary: str) -> tuple[str, ...]:
    """Return the numbers of versions that other keys open, or may: one that cannot be read is one.

    The new version is published by now, so a damaged older one is no failure.
    """
    folder = corpus_folder(home, corpus)

    def is_outdated(number: str) -> bool:
        try:
            return bool(set(read_manifest(folder / "versions" / number).key_ids) - {primary})
        except InputError:
            return True

    return tuple(filter(is_outdated, list_versions(folder)))
