"""The study of part words as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sage_rag.eval.studies.frequency.search import SearchScore, Words
from sage_rag.eval.studies.tables import table

if TYPE_CHECKING:
    from sage_rag.eval.studies.frequency.study import RecoveryScore

TITLE = "What part words give, and what they give away"
ABOUT = """\
The lexical index holds keyed *blind words* of the values in a record (`privacy/blind_index.py`):
always one for the whole value in any spelling, and for parts as a policy's `part_words` says:
`none`, `family-names` (of a person the last part alone; the default) or `all`."""

_GAIN = """\
## Found by part of the name

How often the record asked for comes first, and among the first five. `examples`: the 72 dialogues
of `examples/`, rewritten under recipe `sage`, one question for each ("What was … told?") and their
own 20 questions. `invented`: records with census-like names, names encrypted, asked with the
complaint; several people share a given or family name there, and only one record counts as right.
The questions go through the edge's own code. Each row has its own index."""

_LEAK = """\
## Recovered from a stolen index

Who holds an index version, and no key, guesses the people's names. Share of distinct names, of
their occurrences in records, and of part words whose name was guessed, each with its exact 95 %
bounds (Clopper-Pearson). Attackers, from weakest to strongest:

* *the most frequent name for all*: no look at the ciphertext, the corpus's own most frequent name;
* *census*: given and family names of the United States by frequency, matched by rank, within
  ciphertexts of equal length;
* *the other half*: the same with the names of as many other mails of the same people;
* *list of the names*: exactly who is in the index, but not in which records, nor in how many;
* *with counts*: and in how many records each is. These two match the graph of names and parts by
  colour refinement.

All but the first know for free which part words belong to which value. Names that cannot be told
apart are guessed at random, so figures vary by some points from run to run. Matching parts by rank
takes the place of matching whole names; a thief picks the better, so of such rows the largest
figure counts. The lists are exact; what a list with gaps or errors gives was not measured. Better
attacks may exist: the figures are what these recover, not a bound on what can be."""

_MEANING = """\
## What it means

Frequencies alone give little away: who knows how common names are, but not who is in the corpus,
tells hardly anybody, whatever the part words; most people are in few records, and rare names look
alike. A list of the very people is another matter. Words of *all* parts tie given names to family
names, and that pattern is nearly unique: without a single count, the holder of a list puts names to
most ciphertexts, and the larger the corpus, the more. Words of family names alone make no such
pattern. They tell a list without counts a few names in a hundred; with counts about one in ten,
which are those of people in many records, such as a practice's own doctors: in a large index part
words add most there, in a small one such people are told by their counts in any case.

So `family-names` is the default: it is what makes "Ms Keller" find "Maria Keller", and it costs far
less than `all`, though not nothing: see the list with counts. `all` is for owners whose users know
people by given names and whose index meets nobody with a list of them. An owner for whom a staff
directory or a register of patients in the wrong hands is a real danger writes `part_words = "none"`
into the policy of index and edge and indexes again, which makes no draft anew; nothing is then
found by part of a name. Corpora of few distinct names gain little from any setting: people in many
records are told by their frequency under every deterministic cipher, and a policy can redact them.
ECB adds what equal blocks and lengths give away; a codebook hides the length, which helps against a
list most."""


def blocks(recoveries: Sequence[RecoveryScore], searches: Sequence[SearchScore]) -> Iterator[str]:
    """Yield the blocks of the page: gain, leakage, meaning."""
    yield _GAIN
    for corpus in dict.fromkeys(found.corpus for found in searches):
        yield from (f"### {corpus}", _gain([s for s in searches if s.corpus == corpus]))
    yield _LEAK
    for corpus in dict.fromkeys(r.corpus for r in recoveries):
        yield from (f"### {corpus}", _leak([r for r in recoveries if r.corpus == corpus]))
    yield _MEANING


def _gain(searches: Sequence[SearchScore]) -> str:
    asked = {kind: i for i, kind in enumerate(dict.fromkeys(s.asked for s in searches))}
    ordered = sorted(searches, key=lambda s: (asked[s.asked], list(Words).index(s.words)))
    rows = ((s.asked, s.words, s.first, s.among_five) for s in ordered)
    return table(("asked by", "words", "first", "among five"), rows)


def _leak(recoveries: Sequence[RecoveryScore]) -> str:
    attackers = {name: i for i, name in enumerate(dict.fromkeys(r.attacker for r in recoveries))}
    titles = ("attacker", "cipher", "part words", "names", "occurrences", "part words guessed")
    rows = (
        (r.attacker, r.cipher, r.part_words, r.values, r.occurrences, r.parts or "")
        for r in sorted(recoveries, key=lambda r: attackers[r.attacker])
    )
    return table(titles, rows)
