"""The attribute identifier: proposes a preset by the form and vocabulary of the samples."""

from __future__ import annotations

from collections.abc import Sequence

from agents.protocols import Attribute, Attributes
from agents.rules.lexicon import content_stems
from agents.rules.presets import medical_vocabulary, presets
from privacy.exceptions import InputError
from privacy.protect import ProtectedText

_DIALOGUES = (
    ("question", "answer"),
    ("patient", "doctor"),
    ("prompt", "response"),
    ("input", "output"),
    ("user", "assistant"),
    ("customer", "agent"),
    ("request", "reply"),
)
"""Names of the two sides of a dialogue, as question-answering corpora call them."""

_MEDICAL_SHARE = 0.02
"""Share of content words from the medical vocabulary above which a dialogue counts as medical.
Measured over samples of five records: patient forums 0.038 to 0.131 (median 0.078), clinic
transcripts 0.13 and more, office e-mail 0 to 0.012, stories 0 to 0.003."""


class RuleIdentifier:
    """Name the attributes of a corpus by its records' fields and vocabulary.

    Source: Zeng et al. (2024), arXiv 2406.14773, A.1.1, Tables 11 and 12: five attributes each
    for the two sides of a medical dialogue, three for a text. Differs: chosen, not asked for.
    """

    async def identify(self, samples: Sequence[ProtectedText]) -> Attributes:
        """Return the attributes of a preset, bound to the samples' fields.

        Raises:
            InputError: when there is no sample, or the samples have no field.
        """
        names = tuple(dict.fromkeys(name for sample in samples for name in sample.fields))
        if not names:
            raise InputError("no sample to name attributes from", hint="give at least one record")
        sides = next((pair for pair in _DIALOGUES if set(pair) <= set(names)), None)
        if sides is None:
            return _document_attributes(names)
        bound = dict(zip(("asking", "replying"), sides, strict=True))
        preset = "medical_dialogue" if _is_medical(samples) else "dialogue"
        dialogue = tuple(
            Attribute(entry.name, bound[entry.side], entry.description)
            for entry in presets()[preset]
        )
        others = tuple(name for name in names if name not in sides)
        return dialogue + (_document_attributes(others, qualified=True) if others else ())


def _document_attributes(names: Sequence[str], *, qualified: bool = False) -> Attributes:
    """Return the document preset for each field; names are qualified where fields share it."""
    qualified = qualified or len(names) > 1
    return tuple(
        Attribute(f"{name}: {entry.name}" if qualified else entry.name, name, entry.description)
        for name in names
        for entry in presets()["document"]
    )


def _is_medical(samples: Sequence[ProtectedText]) -> bool:
    stems = [stem for sample in samples for stem in content_stems(sample.text)]
    hits = sum(stem in medical_vocabulary() for stem in stems)
    return hits > _MEDICAL_SHARE * len(stems)
