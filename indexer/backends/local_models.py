"""Load a model of sentence-transformers that is on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError

_SWITCHES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


def load_local(load: Callable[[], Any], name: str, *, role: str, kind: str) -> Any:
    """Return what `load` returns, with hubs switched off before it imports their library.

    `name`: a folder, or a name in the hub's cache here; `role` and `kind` are for the error.

    Raises:
        InputError: when there is no such model here.
    """
    for switch in _SWITCHES:
        os.environ.setdefault(switch, "1")
    from transformers.utils import logging

    # Standard error is for our own messages.
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return load()
    except (OSError, ValueError):
        where = "the folder" if Path(name).exists() else "this machine's cache"
        raise InputError(
            f"{role} `{name}`: {where} holds no {kind}",
            hint="download the model first, and give its folder",
        ) from None
