"""The register of grants, which is stored inside the keyset's sealed file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError

MAX_LABEL_CHARS = 100


def _printable(label: str) -> str:
    if not label.isprintable() or label != label.strip():
        raise ValueError("not one line of printable text")
    return label


Label = Annotated[str, Field(min_length=1, max_length=MAX_LABEL_CHARS), AfterValidator(_printable)]
"""The reader a grant is for. It is printed on terminals, so it has no control characters."""

KeyId = Annotated[str, Field(pattern=r"\A[0-9a-f]{8}\z")]
Timestamp = Annotated[str, Field(pattern=r"\A[0-9T:+Z.-]{10,40}\z")]
"""ISO 8601."""


class GrantRecord(BaseModel):
    """One grant as it was made; `revoked`: when it was revoked, if it was."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)
    label: Label
    types: tuple[EntityType, ...]
    key_ids: tuple[KeyId, ...]
    created: Timestamp
    revoked: Timestamp | None = None


Register = tuple[GrantRecord, ...]
"""Grants in the order in which they were made. A label can occur more than once: a new grant
after a rotation or a revocation is a new record."""


def check_label(label: str) -> str:
    """Return the label unchanged.

    Raises:
        InputError: when it is empty, too long, or not one printable line.
    """
    try:
        return TypeAdapter[str](Label).validate_python(label)
    except ValidationError:
        raise InputError(
            f"a label is one line of 1 to {MAX_LABEL_CHARS} printable characters"
        ) from None


def revoke(register: Register, label: str, when: str) -> Register:
    """Return the register with every active grant of that label marked as revoked.

    Raises:
        KeysetError: when no grant of that label is active.
    """
    if not any(_is_active(record, label) for record in register):
        raise KeysetError(
            "no grant of that label is active",
            hint="list: sage-rag keys show FILE --verify; it lacks grants made before a "
            "`keys import`, which keys rotate and then rekey end",
        )
    return tuple(
        record.model_copy(update={"revoked": when}) if _is_active(record, label) else record
        for record in register
    )


def outdated_labels(register: Register, primary: str) -> Sequence[str]:
    """Return the labels, in order, of which no active grant includes the primary key."""
    active = [record for record in register if record.revoked is None]
    current = {record.label for record in active if primary in record.key_ids}
    return tuple(dict.fromkeys(r.label for r in active if r.label not in current))


def _is_active(record: GrantRecord, label: str) -> bool:
    return record.label == label and record.revoked is None
