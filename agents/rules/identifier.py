"""The attribute identifier: proposes a preset by the form and vocabulary of the samples."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.agents.forms import dialogue_sides, form_of_records
from sage_rag.agents.lexicon import content_stems
from sage_rag.agents.protocols import CorpusAttributes
from sage_rag.agents.rules.presets import bound, medical_vocabulary
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.protect import ProtectedText

_MEDICAL_SHARE = 0.02
"""Share of medical content words above which a dialogue counts as medical.
Measured over samples of five records: patient forums 0.038 to 0.131 (median 0.078), clinic
transcripts 0.13 and more, office e-mail 0 to 0.012, stories 0 to 0.003."""


class RuleIdentifier:
    """Name the attributes of a corpus by its records' fields and vocabulary.

    Source: Zeng et al. (2024), arXiv 2406.14773, A.1.1, Tables 11 and 12: five attributes each
    for the two sides of a medical dialogue, three for a text. Differs: chosen from presets.
    """

    async def identify(self, samples: Sequence[ProtectedText]) -> CorpusAttributes:
        """Return the attributes of a preset, bound to the samples' fields.

        Raises:
            InputError: when there is no sample, or the samples have no field.
        """
        names = tuple(dict.fromkeys(name for sample in samples for name in sample.fields))
        if not names:
            raise InputError("no sample to name attributes from", hint="give at least one record")
        records = [sample.fields for sample in samples]
        preset = "document"
        if dialogue_sides(names):
            preset = "medical_dialogue" if _is_medical(samples) else "dialogue"
        return CorpusAttributes(bound(preset, names), form_of_records(records))


def _is_medical(samples: Sequence[ProtectedText]) -> bool:
    stems = [stem for sample in samples for stem in content_stems(sample.text)]
    hits = sum(stem in medical_vocabulary() for stem in stems)
    return hits > _MEDICAL_SHARE * len(stems)
