"""Read probes from a JSON Lines file.

One object per line: `prompt` is required; `kind` (`targeted` or `untargeted`) and `target`
(or `disease`) are optional. Other fields are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import Row, read_jsonl
from sage_rag.eval.probes.probe import Probe, ProbeKind

_HINT = 'one JSON object per line: {"prompt": "...", "kind": "targeted", "target": "..."}'


def read_probes(paths: Sequence[Path]) -> list[Probe]:
    """Read all files in order; an id is the file's name and the line number.

    Raises:
        InputError: for a file that cannot be read or a bad line (names file and line), or when
            there is no prompt, since an attack without prompts proves nothing.
    """
    probes = [
        Probe(f"{path.stem}:{number}", *parts)
        for path in paths
        for number, parts in read_jsonl(path, _parts, _HINT)
    ]
    if not probes:
        names = ", ".join(str(path) for path in paths)
        raise InputError(f"no prompts in {names}", hint=_HINT)
    return probes


def _parts(row: Row) -> tuple[ProbeKind, str, str | None]:
    prompt = row.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ValueError("has no `prompt`, or an empty one")
    target = row.get("target", row.get("disease"))
    if target is not None and (not isinstance(target, str) or not target.strip()):
        raise ValueError("has a `target` that is not a text")
    return _kind(row.get("kind"), target), prompt, target


def _kind(kind: object, target: str | None) -> ProbeKind:
    if kind is None:
        return ProbeKind.UNTARGETED if target is None else ProbeKind.TARGETED
    try:
        return ProbeKind(str(kind))
    except ValueError:
        raise ValueError(f"has a `kind` that is not one of: {', '.join(ProbeKind)}") from None
