"""Compare a draft sentence that keeps most words of its source: every other word counts.

Where nearly all words stay, a word that is neither the same nor a synonym is no rewording but a
change. A true paraphrase has too many new words to be judged like this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sage_rag.privacy.gate.changes import Change, change_at
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.sentences import Token
from sage_rag.privacy.gate.provenance import Reading

_COPIED = 0.7
"""A sentence with at least this share of its words in the order of its source is a near copy."""
_FOLLOWING = 0.6
"""The least share of its pairs of neighbours that are neighbours in the source."""
_FEWEST = 4
_SKIPPED = frozenset(
    "the a an is are was were be been being am has have had do does did will would that this these"
    " those it its of in on at as so very just also then there".split()
)
"""Words without a part in the order."""


def near_copies(draft: Facts, sources: Sequence[Facts], record: Reading) -> Iterator[Change]:
    """Yield exchanged, new and swapped words of a draft sentence that nearly copies its source."""
    if not sources:
        return
    ours, theirs = _words(draft), _words(sources[0])
    if len(ours) < _FEWEST or not _is_copy(ours, theirs):
        return
    known = frozenset(key for s in sources for key in s.keys)
    lost = [t for t in sources[0].content if t.keys.isdisjoint(draft.keys)]
    for token in draft.content:
        new = token.kind == "word" and token.keys.isdisjoint(known)
        if new and (lost or token.keys.isdisjoint(record.places.keys())):
            yield change_at(draft, "changes", "word", token)
            return
    if (other := _substituted(draft, sources[0])) is not None:
        yield change_at(draft, "changes", "word", other)


def _words(facts: Facts) -> list[Token]:
    return [t for t in facts.sentence.tokens if t.kind != "mark" and t.text not in _SKIPPED]


def _is_copy(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Return whether most words of a draft follow each other as in the source, in few pieces."""
    following = {(one, other) for a, b in pairwise(theirs) for one in a.keys for other in b.keys}
    pairs = sum(
        any((one, other) in following for one in a.keys for other in b.keys)
        for a, b in pairwise(ours)
    )
    their_keys = {key for t in theirs for key in t.keys}
    shared = sum(not t.keys.isdisjoint(their_keys) for t in ours)
    return shared >= _COPIED * len(ours) and pairs >= _FOLLOWING * (len(ours) - 1)


def _substituted(draft: Facts, source: Facts) -> Token | None:
    """Return the only word that differs, where both are content or members of one closed set."""
    ours, theirs = _words(draft), _words(source)
    if len(ours) != len(theirs):
        return None
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a.keys.isdisjoint(b.keys)]
    if len(pairs) != 1 or "number" in (pairs[0][0].kind, pairs[0][1].kind):
        return None
    here, there = pairs[0]
    sets = [
        {n.kind for n in f.names if n.start == t.start} for f, t in ((draft, here), (source, there))
    ]
    return here if (here.content and there.content) or sets[0] & sets[1] else None
