"""The precisions in which a trained network can run, and the fastest one of this machine."""

from __future__ import annotations

from enum import StrEnum

import torch


class Precision(StrEnum):
    """The numbers in which the linear layers of a network are computed: nearly all of its work."""

    HALF = "bfloat16"
    EIGHT_BITS = "int8"
    SINGLE = "float32"


def fastest_precision() -> Precision:
    """Return the fastest precision whose instructions this machine has.

    Half precision without its instructions (AVX512-BF16, AMX) is many times slower than single
    precision; eight bits without theirs (VNNI) are wrong: sums of two products overflow 16 bits.
    """
    if torch.cuda.is_available():
        return Precision.SINGLE
    if _has("avx512_bf16", "amx_bf16"):
        return Precision.HALF
    return Precision.EIGHT_BITS if has_instructions_for_eight_bits() else Precision.SINGLE


def has_instructions_for_eight_bits() -> bool:
    """Return whether this processor adds products of eight-bit numbers in one step (VNNI)."""
    return _has("avx512_vnni", "avx_vnni")


def _has(*instructions: str) -> bool:
    read = getattr(torch.cpu, "get_capabilities", None)
    capabilities = read() if read else {}  # an old torch cannot report them: single precision
    return any(capabilities.get(name) for name in instructions)
