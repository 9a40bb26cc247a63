"""Failed writes of tokenizers and safetensors, which are written in Rust, as `OSError`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

_NUMBER = re.compile(r"\(os error (\d+)\)")


@contextmanager
def rust_errors_translated() -> Iterator[None]:
    """Raise `OSError` for a failed write of these libraries; they name its number in the message.

    safetensors raises its own exception, tokenizers a bare `Exception`.

    Raises:
        OSError: instead of them.
    """
    try:
        yield
    except Exception as error:
        found = _NUMBER.search(str(error))
        if isinstance(error, OSError) or found is None:
            raise
        number = int(found.group(1))
        raise OSError(number, os.strerror(number)) from None
