"""What restoring a stream costs, per character: the bound is 5 µs.

    python benchmarks/streaming.py

Texts and sizes of pieces are chosen to hurt: plain prose, beginnings of tokens everywhere, an
opening that never closes, gaps after openings, and tokens throughout (opened with AES-SIV, where
opening itself is most of the cost). `ratio` is to copying the pieces without looking at them. Times
are processor time, so that other work on the machine counts little.
"""

from __future__ import annotations

import sys
from time import process_time

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.restore import Restorer

_BOUND_US = 5.0
_CHARACTERS = 40_000
_PIECES = (1, 20)
_ROUNDS = 3

PROSE = "She felt better after the second week and asked for Section A at the age desk. "


def texts(cipher: EntityCipher) -> dict[str, str]:
    """Return the texts, all of about one length."""
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


def restoring(restorer: Restorer, pieces: list[str]) -> float:
    """Return seconds for one stream."""
    stream = restorer.stream()
    began = process_time()
    for piece in pieces:
        stream.feed(piece)
    stream.flush()
    return process_time() - began


def copying(pieces: list[str]) -> float:
    """Return seconds for handing the pieces on as they are."""
    taken: list[str] = []
    began = process_time()
    for piece in pieces:
        taken.append(piece)
    "".join(taken)
    return process_time() - began


def main() -> int:
    """Print the table; return 1 where the bound is broken."""
    cipher = default_cipher(Keyset.generate(), "benchmark")
    restorer = Restorer(cipher)
    worst = 0.0
    print(f"{'text':28} {'piece':>5} {'µs per character':>17} {'ratio to copying':>17}")
    for name, text in texts(cipher).items():
        for size in _PIECES:
            pieces = [text[i : i + size] for i in range(0, len(text), size)]
            cost = min(restoring(restorer, pieces) for _ in range(_ROUNDS))
            bare = min(copying(pieces) for _ in range(_ROUNDS))
            per_character = cost / len(text) * 1e6
            worst = max(worst, per_character)
            print(f"{name:28} {size:5} {per_character:17.2f} {cost / bare:17.0f}")
    values = [f"Ada Novak {number}" for number in range(1000)]
    began = process_time()
    tokens = [cipher.encrypt(value, EntityType.PERSON) for value in values]
    encrypted = process_time()
    for token in tokens:
        cipher.decrypt(token)
    opened = process_time()
    print(f"AES-SIV: {(encrypted - began) * 1e3:.0f} µs to encrypt a value, ", end="")
    print(f"{(opened - encrypted) * 1e3:.0f} µs to open a token ({len(values)} values)")
    print(f"worst: {worst:.2f} µs per character, bound {_BOUND_US:.0f}")
    return int(worst > _BOUND_US)


if __name__ == "__main__":
    sys.exit(main())
