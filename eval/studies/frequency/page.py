"""The study of part words as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sage_rag.eval.studies.frequency.search import SearchScore, Words
from sage_rag.eval.studies.tables import table

if TYPE_CHECKING:
    from sage_rag.eval.studies.frequency.study import RecoveryScore

TITLE = "Part words: search and leakage"
ABOUT = """\
The lexical index holds keyed *blind words* of the values in a record (`privacy/blind_index.py`):
always one for the whole value in any spelling, and words for its parts as a policy's `part_words`
says: `none`, `family-names` (only the last part of a person's name; the default) or `all`."""

_GAIN = """\
## Search by part of a name

How often the wanted record comes first, and among the first five. `examples`: the 72 dialogues of
`examples/`, rewritten under recipe `sage`, with one question for each ("What was … told?") and
their own 20 questions. `invented`: records with census-like names, which are encrypted; the
question also names the complaint. Several people share a given or family name there, and only one
record counts as correct. The edge's own code sends the questions. Each row has its own index."""

_LEAK = """\
## Names recovered from a stolen index

An attacker holds an index version, but no key, and guesses the names of people. Figures are the
shares of distinct names, of their occurrences in records, and of part words whose name was guessed,
each with exact 95 % bounds (Clopper-Pearson). Attackers, from weakest to strongest:

* *the most frequent name for all*: guesses the corpus's most frequent name, without the ciphertext;
* *census*: matches given and family names of the United States by rank of frequency, within
  ciphertexts of equal length;
* *the other half*: the same with the names of as many other mails of the same people;
* *list of the names*: knows exactly who is in the index, but not in which records, nor in how many;
* *with counts*: also knows in how many records each name occurs. These two match the graph of names
  and parts by colour refinement.

All but the first are also given which part words belong to which value. Indistinguishable names are
guessed at random, so figures vary by some points between runs. Matching parts by rank replaces
matching whole names; a thief uses the better one, so the largest figure of such rows counts. The
lists are exact; lists with gaps or errors were not measured. Better attacks may exist: the figures
show what these attacks recover, not an upper bound."""

_MEANING = """\
## Conclusions

Frequencies alone reveal little. An attacker who knows how common names are, but not who is in the
corpus, identifies almost no one, with any part words: most people are in few records, and rare
names look alike. A list of exactly these people reveals more. Words of *all* parts connect given
names with family names, and this pattern is nearly unique: without any counts, the holder of a list
identifies most ciphertexts, and more of them in a larger corpus. Words of family names alone make
no such pattern. With them, a list without counts identifies a few names in a hundred, and a list
with counts about one in ten: people in many records, such as a practice's own doctors. In a large
index part words add most there; in a small one counts alone identify such people.

So `family-names` is the default: with it, "Ms Keller" finds "Maria Keller", and it leaks far less
than `all`, though not nothing: see the list with counts. `all` is for owners whose users know
people by given names and whose index no holder of a name list can reach. If a staff directory or a
register of patients in the wrong hands is a real danger, the owner writes `part_words = "none"`
into the policy of index and edge and indexes again, which reuses all drafts; then no search finds a
part of a name. Corpora of few distinct names gain little from any setting: under every
deterministic cipher, frequency identifies people in many records, and a policy can redact them. ECB
also reveals equal blocks and lengths; a codebook hides the length, which helps most against
a list."""


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
