"""The choices of a generation, by name."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """How a text is asked for."""

    BASELINE = "baseline"
    """Three real examples without codes: the paper's baseline. Leaks by design."""
    IN_CONTEXT = "in-context"
    PREFIX = "prefix"


class Block(StrEnum):
    """Whose values a text may not contain."""

    NONE = "none"
    EXAMPLES = "examples"
    """Those of the three examples, as in the paper."""
    CORPUS = "corpus"


class Entities(StrEnum):
    """Where private values come from."""

    AUTO = "auto"
    """Annotated spans where the corpus has them, else the recognizer."""
    GOLD = "gold"
    RECOGNIZED = "recognized"


class Contrast(StrEnum):
    """What the loss of prefix tuning does on private tokens."""

    NONE = "none"
    """Nothing: the language loss alone, the paper's "fine-tuning" without masking."""
    PRINTED = "printed"
    """Equation 3 as printed: it falls as the tuned model makes a private token MORE probable."""
    LOWERING = "lowering"
    """The sign that the paper's text describes: the tuned model moves away from private tokens."""
