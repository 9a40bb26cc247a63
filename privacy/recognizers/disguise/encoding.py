"""Repair text whose UTF-8 was read as Windows-1252: `Iâ€™m` for `I’m`, `JosÃ©` for `José`.

Exports of old systems contain it. Left as it is, a tagger takes the pieces for names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.privacy.recognizers.disguise.aligned_text import Edit

_BYTES = {chr(byte): byte for byte in range(0x80, 0x100)} | {
    read: byte
    for byte in range(0x80, 0xA0)
    if (read := bytes([byte]).decode("cp1252", errors="ignore"))
}
"""The bytes by character: of Latin-1, and of Windows-1252 where it defines another one."""
_CONTINUES = "".join(re.escape(character) for character, byte in _BYTES.items() if byte < 0xC0)
_MISREAD = re.compile(
    rf"[\u00c3-\u00c5][{_CONTINUES}]|\u00c2[\u00a0-\u00bf]|\u00e2[\u20ac\u201a\u201e][{_CONTINUES}]"
    rf"|\u00f0\u0178[{_CONTINUES}]{{2}}"
)
"""The bytes of Latin letters, punctuation, signs such as € and ™, and emoji. Other first bytes are
left out: they also occur in correct text, as in `CAFÉ…`."""


def encoding_edits(text: str) -> Iterator[Edit]:
    """Yield the edits that put the character in place of its misread bytes."""
    if text.isascii():
        return
    for match in _MISREAD.finditer(text):
        try:
            character = bytes(_BYTES[c] for c in match.group()).decode("utf-8")
        except UnicodeDecodeError:
            continue
        yield match.start(), match.end(), character
