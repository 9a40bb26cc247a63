"""The exception tree. Every failure a user can meet is one line, a hint and an exit code.

```
SageRagError            1
├── InputError          2   bad argument, file or record
├── KeysetError         3   missing, damaged or wrong key or passphrase
│   ├── DecryptionError 3   a token that this keyset cannot open
│   └── NotGrantedError 3   an entity type that this grant does not hold
├── ProtectionError     4   the result would not be safe, so there is none
├── UpstreamError       5   a model endpoint, a server or the edge did not answer as it should
│   └── UpstreamTimeoutError 5  it did not answer in time
└── MissingExtraError   6   an optional package is not installed
```

No message holds a plain value or a key: logs and terminals are not private.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class SageRagError(Exception):
    """A failure with one clear line and, where there is a remedy, a hint."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(SageRagError):
    """The user's input cannot be used: what, where, how to mend it."""

    exit_code = 2


class ProtectionError(SageRagError):
    """Going on would expose something private: the operation failed closed."""

    exit_code = 4


class UpstreamError(SageRagError):
    """Another service failed us."""

    exit_code = 5


class UpstreamTimeoutError(UpstreamError):
    """Another service took too long."""


class MissingExtraError(SageRagError):
    """An optional package is not installed, or not in a version that works."""

    exit_code = 6


@contextmanager
def extra(name: str, *, needed_by: str) -> Iterator[None]:
    """Name the extra that brings a library whose import fails inside the block.

    Raises:
        MissingExtraError: when the import fails.
    """
    try:
        yield
    except ImportError as error:
        package = (error.name or name).partition(".")[0]
        missing = isinstance(error, ModuleNotFoundError)
        state = "is not installed" if missing else "is installed but cannot be imported"
        raise MissingExtraError(
            f"{needed_by} needs `{package}`, which {state}",
            hint=f"pip install 'sage-rag[{name}]'",
        ) from error
