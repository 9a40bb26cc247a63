"""Build the word lists of the codebook: words that are one token each.

    python -m tools.build_codewords --ranks tokenizer.model --ranks qwen.tiktoken

Each `--ranks` file is a byte-pair vocabulary as tiktoken stores it (one token in Base64 and its
rank per line): the package `llama-models` contains that of Llama-3, `dashscope` that of Qwen2.5.
The lists contain ordinary English words in lower case that are one token of every vocabulary: first
words as they are, second words with a `_` before them. Words that the lexicon also has as a name, a
place or a medicine are left out, so that no recognizer finds a pseudonym, and so are words that
would describe a person.
"""

from __future__ import annotations

import argparse
import base64
import re
from pathlib import Path

from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon
from sage_rag.training.ciphers.codewords import CODEWORDS_FILE

_TARGET = Path("training/ciphers") / CODEWORDS_FILE
_WORD = re.compile(r"[a-z]{3,10}")
_TELLING = re.compile(
    r"abus|addict|anal$|anus|arous|arrest|aryan|assassin|asshole|bast|bitch|black|blood|bomb|brib|burgl"
    r"|cancer|cock|condom|convict|corpse|crim|cum|cunt|dead|death|deport|diagnos|dick|die[ds]?$"
    r"|diseas|divorc|drug|drunk|dumb|dying|erot|execut|fag|fat|fetish|fraud|fuck|gay|genit|guilt"
    r"|gun|hang|hate|hell|hiv|homo|horny|hostil|idiot|illegal|ill$|incest|infect|inmate|income|insan|jail"
    r"|jew|kill|lesb|lynch|marri|masturb|murder|muslim|naked|nazi|nigg|nude|oral|orgasm|pedo|pee$|penis|piss"
    r"|poison|porn|pregnan|prison|prostit|pus+y|queer|racis|rape|rapist|retard|salar|satan|sex|shit|sick"
    r"|slave|slut|steal|stol|stupid|suicid|terror|theft|thief|tit|tortur|traffick|transgend|tumor"
    r"|ugly|vagin|victim|violen|virgin|virus|weapon|white|whor"
)
"""Beginnings of words that would insult or accuse the person behind a pseudonym."""


def vocabulary(path: Path) -> frozenset[bytes]:
    """Return the tokens of a vocabulary file."""
    lines = path.read_bytes().splitlines()
    return frozenset(base64.b64decode(line.split()[0]) for line in lines if line.strip())


def codewords(shared: frozenset[bytes]) -> tuple[list[str], list[str]]:
    """Return the first and the second words among the tokens that all vocabularies share."""
    lexicon = default_lexicon()

    def fit(word: str) -> bool:
        plain = _WORD.fullmatch(word) and lexicon.kinds_of(word) == Kind.WORD
        return bool(plain) and not _TELLING.match(word)

    spelled = [token.decode("ascii") for token in shared if token.isascii()]
    first = sorted(word for word in spelled if fit(word))
    second = sorted(word[1:] for word in spelled if word.startswith("_") and fit(word[1:]))
    return first, second


def main() -> None:
    """Write the file that `training.ciphers.codewords` reads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--ranks", type=Path, action="append", required=True)
    arguments = parser.parse_args()
    shared = frozenset.intersection(*map(vocabulary, arguments.ranks))
    lines = (" ".join(words) for words in codewords(shared))
    _TARGET.write_text("\n".join(lines) + "\n", "ascii")


if __name__ == "__main__":
    main()
