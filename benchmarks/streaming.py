"""Time the restoring of a stream, per character; the bound is 5 µs.

    python benchmarks/streaming.py

Texts and piece sizes are hard cases: plain prose, beginnings of tokens everywhere, an opening that
never closes, gaps after openings, and tokens throughout (with AES-SIV, whose decryption is most of
the cost). `ratio` is to copying the pieces. Times are processor time, which other work on the
machine affects little.
"""

from __future__ import annotations

import sys
from functools import partial

from timing import best_s

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.restore import Restorer

_BOUND_US = 5.0
_CHARACTERS = 40_000
_PIECES = (1, 20)
_PASSES = 3

PROSE = "She felt better after the second week and asked for Section A at the age desk. "


def texts(cipher: EntityCipher) -> dict[str, str]:
    """Return the texts, all of about the same length."""
    names = [cipher.encrypt(f"Ada Novak {number}", EntityType.PERSON) for number in range(200)]
    units = {
        "prose": PROSE,
        "PERSON_ throughout": "PERSON_",
        "PERSON_[ throughout": "PERSON_[",
        "openings that never close": "PERSON_[" + "A" * 4090 + " ",
        "openings and gaps": "PERSON_[a b c d ",
        "markdown and html openings": "MEDICAL\\_RECORD\\_&#91",
        "tokens throughout": " ".join(names) + " ",
        "repaired tokens throughout": " ".join(f"person{n[6:-3]} {n[-3:]}" for n in names) + " ",
        "forged tokens throughout": " ".join(n.replace("PERSON", "URL") for n in names) + " ",
    }
    return {name: (unit * (_CHARACTERS // len(unit) + 1)) for name, unit in units.items()}


def restore(restorer: Restorer, pieces: list[str]) -> None:
    """Restore one stream."""
    stream = restorer.stream()
    for piece in pieces:
        stream.feed(piece)
    stream.flush()


def copy(pieces: list[str]) -> None:
    """Copy the pieces one by one."""
    taken: list[str] = []
    for piece in pieces:
        taken.append(piece)
    "".join(taken)


def main() -> int:
    """Print the table; return 1 if the bound is broken."""
    cipher = default_cipher(Keyset.generate(), "benchmark")
    restorer = Restorer(cipher)
    worst = 0.0
    print(f"{'text':28} {'piece':>5} {'µs per character':>17} {'ratio to copying':>17}")
    for name, text in texts(cipher).items():
        for size in _PIECES:
            pieces = [text[i : i + size] for i in range(0, len(text), size)]
            cost = best_s(partial(restore, restorer, pieces), _PASSES)
            bare = best_s(partial(copy, pieces), _PASSES)
            per_character = cost / len(text) * 1e6
            worst = max(worst, per_character)
            print(f"{name:28} {size:5} {per_character:17.2f} {cost / bare:17.0f}")
    values = [f"Ada Novak {number}" for number in range(1000)]
    tokens = [cipher.encrypt(value, EntityType.PERSON) for value in values]
    encrypting = best_s(lambda: [cipher.encrypt(v, EntityType.PERSON) for v in values], 1)
    decrypting = best_s(lambda: [cipher.decrypt(token) for token in tokens], 1)
    print(f"AES-SIV: {encrypting * 1e3:.0f} µs to encrypt a value, ", end="")
    print(f"{decrypting * 1e3:.0f} µs to decrypt a token ({len(values)} values)")
    print(f"worst: {worst:.2f} µs per character, bound {_BOUND_US:.0f}")
    return int(worst > _BOUND_US)


if __name__ == "__main__":
    sys.exit(main())
