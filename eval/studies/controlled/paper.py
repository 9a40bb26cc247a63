"""The figures of the paper, by its tables.

Source: Zhao and Field (2025), "Controlled Generation for Private Synthetic Text", Tables 1, 2, 4
and 6, Sheared-LLaMA 1.3B on TAB. PIPP and ELP in per cent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class PaperRow(NamedTuple):
    """PIPP and ELP in per cent, ROUGE-2, ROUGE-L."""

    pipp: float
    elp: float
    rouge_2: float
    rouge_l: float


class PaperUtility(NamedTuple):
    """Perplexity and MAUVE."""

    perplexity: float
    mauve: float


TABLE_1: Mapping[str, PaperRow] = {
    "Baseline": PaperRow(50.0, 30.89, 0.3898, 0.4303),
    "ICL": PaperRow(3.25, 0.36, 0.2978, 0.3073),
    "ICL w/ privacy enhancement": PaperRow(0.0, 0.0, 0.3361, 0.3645),
    "Fine-tuning": PaperRow(3.94, 0.35, 0.017, 0.133),
    "Fine-tuning w/ masking": PaperRow(2.56, 0.39, 0.0111, 0.0975),
}
"""Entity known, direct identifiers."""
TABLE_2: Mapping[str, PaperRow] = {
    "Baseline": PaperRow(50.0, 30.89, 0.3898, 0.4303),
    "ICL": PaperRow(0.89, 0.74, 0.4133, 0.4877),
    "ICL w/ privacy enhancement": PaperRow(0.77, 0.67, 0.3968, 0.4478),
    "Fine-tuning": PaperRow(4.24, 0.28, 0.0235, 0.0762),
    "Fine-tuning w/ masking": PaperRow(2.84, 0.11, 0.0098, 0.083),
}
"""Entity unknown, direct identifiers."""
TABLE_6: Mapping[str, PaperRow] = {
    "Baseline": PaperRow(66.70, 48.2, 0.3898, 0.4303),
    "ICL": PaperRow(27.31, 3.20, 0.2669, 0.3034),
    "ICL w/ privacy enhancement": PaperRow(0.89, 0.06, 0.2624, 0.2988),
    "Fine-tuning": PaperRow(2.74, 0.64, 0.012, 0.11),
    "Fine-tuning w/ masking": PaperRow(3.17, 0.33, 0.009, 0.0977),
}
"""Entity known, direct and quasi-identifiers."""
TABLE_4: Mapping[bool, Mapping[str, PaperUtility]] = {
    True: {
        "Baseline": PaperUtility(11.7, 0.78),
        "ICL": PaperUtility(11.8, 0.78),
        "ICL w/ privacy enhancement": PaperUtility(12.0, 0.66),
        "Fine-tuning": PaperUtility(10.5, 0.82),
        "Fine-tuning w/ masking": PaperUtility(10.2, 0.83),
    },
    False: {
        "Baseline": PaperUtility(11.7, 0.78),
        "ICL": PaperUtility(13.5, 0.71),
        "ICL w/ privacy enhancement": PaperUtility(14.2, 0.62),
        "Fine-tuning": PaperUtility(12.1, 0.76),
        "Fine-tuning w/ masking": PaperUtility(11.7, 0.78),
    },
}
"""By whether entities are known."""
