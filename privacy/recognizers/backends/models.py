"""What every model backend needs: folder, digest, labels, device."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import sha256_of
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme, type_of_label

LabelMap = Scheme | Mapping[str, EntityType | None]
"""A scheme of `privacy.labels`, or our type for each label; `None` for one that is not private."""

_HUB_NAME = re.compile(r"\w[\w.-]*/[\w.-]+")
_OTHER_FRAMEWORKS = ["*.h5", "*.msgpack", "*.ot", "*.onnx", "*.gguf", "onnx/*", "openvino/*"]


def model_folder(name: str) -> Path:
    """Return a model's folder: `name` itself, or that of a Hugging Face model, downloaded once.

    Raises:
        InputError: when there is no such folder, and the name is that of a path or the download
            fails.
    """
    folder = Path(name)
    if folder.is_dir():
        return folder
    if not _HUB_NAME.fullmatch(name) or folder.parent.is_dir():
        raise InputError(
            f"no model `{name}`: there is no such folder",
            hint="give a model's folder, or its name on the hub: OWNER/NAME",
        )
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        return Path(snapshot_download(name, ignore_patterns=_OTHER_FRAMEWORKS))
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        raise InputError(
            f"no model `{name}`: not a folder, and the download failed ({type(error).__name__})",
            hint="give the folder of a downloaded model",
        ) from None


def folder_digest(folder: Path) -> str:
    """Return twelve hex digits that change with any file of a model, weights included.

    Reads every byte: about a second per gigabyte, once per process.
    """
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        relative = path.relative_to(folder).as_posix()
        if relative.startswith("."):
            continue
        digest.update(f"{relative}\0{sha256_of(path)}\n".encode())
    return digest.hexdigest()[:12]


def settings_digest(*settings: object) -> str:
    """Return eight hex digits that change with any of a recognizer's settings.

    Settings must have a `repr` that is the same in every process: no sets.
    """
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:8]


def types_of(names: Iterable[str], labels: LabelMap) -> dict[str, EntityType | None]:
    """Return our type for each label of a model. A label that is a type's own name needs no map.

    Raises:
        InputError: for a label without a mapping; `None` leaves a label out.
    """
    return {name: _type_of(name, labels) for name in names}


def _type_of(name: str, labels: LabelMap) -> EntityType | None:
    if not isinstance(labels, Scheme) and name in labels:
        return labels[name]
    if name in EntityType.__members__:
        return EntityType(name)
    if isinstance(labels, Scheme):
        return type_of_label(name, labels)
    raise InputError(
        f"the model's label `{name}` is not mapped",
        hint=f"map it to an entity type, or leave it out on purpose; mapped: {', '.join(labels)}",
    )


def quiet_loading() -> None:
    """Hide the progress bars of transformers: standard error is for our own messages."""
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def torch_device() -> str:
    """Return `cuda` where a GPU is available, else `cpu`."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
