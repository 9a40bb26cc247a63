"""Read probes from a JSON Lines file.

One object per line: `prompt` is required; `kind` (`targeted` or `untargeted`) and `target`
(or `disease`) are optional. Other fields are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.eval.probes.probe import Probe, ProbeKind

_HINT = 'one JSON object per line: {"prompt": "...", "kind": "targeted", "target": "..."}'


def read_probes(paths: Sequence[Path]) -> list[Probe]:
    """Read all files in order; an id is the file's name and the line number.

    Raises:
        InputError: for a file that cannot be read or a bad line (names file and line), or when
            there is no prompt, since an attack without prompts proves nothing.
    """
    probes = [probe for path in paths for probe in _read_file(path)]
    if not probes:
        names = ", ".join(str(path) for path in paths)
        raise InputError(f"no prompts in {names}", hint=_HINT)
    return probes


def _read_file(path: Path) -> Iterator[Probe]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read prompts from {path}: {_reason(error)}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _probe(line, f"{path.stem}:{number}")
            except ValueError as error:
                raise InputError(f"{path}, line {number}: {error}", hint=_HINT) from None


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or "unknown" if isinstance(error, OSError) else "not UTF-8"


def _probe(line: str, probe_id: str) -> Probe:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg})") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    prompt = row.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ValueError("`prompt` is missing or empty")
    target = row.get("target", row.get("disease"))
    if target is not None and (not isinstance(target, str) or not target.strip()):
        raise ValueError("`target` must be a text")
    return Probe(probe_id, _kind(row.get("kind"), target), prompt, target)


def _kind(kind: object, target: str | None) -> ProbeKind:
    if kind is None:
        return ProbeKind.UNTARGETED if target is None else ProbeKind.TARGETED
    try:
        return ProbeKind(str(kind))
    except ValueError:
        raise ValueError(f"`kind` must be one of: {', '.join(ProbeKind)}") from None
