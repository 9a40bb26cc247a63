"""The exception tree. Each failure has a message of one line, an exit code and perhaps a hint.

```
SageRagError            1
├── InputError          2   a bad argument, file or record
├── KeysetError         3   a missing, damaged or wrong key or passphrase
│   ├── DecryptionError 3   a token that this keyset cannot open
│   │   └── UnsignedError 3 a lookup that opens, and that nothing proves to be the owner's
│   └── NotGrantedError 3   an entity type that this grant does not include
├── ProtectionError     4   the result would not be safe, so there is no result
├── UpstreamError       5   a model endpoint, a server or the edge failed to answer correctly
│   └── UpstreamTimeoutError 5  it failed to answer in time
└── MissingExtraError   6   an optional package is not installed
```

No message contains a plain value or a key: logs and terminals are not private.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class SageRagError(Exception):
    """A failure with a message of one line and, where there is a remedy, a hint.

    `http` is the status and error code that a service answers with; without it, a client learns
    only that the service failed.
    """

    exit_code = 1
    http: tuple[int, str] | None = None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(SageRagError):
    """The user's input cannot be used; the message names what, where and how to correct it."""

    exit_code = 2


class ProtectionError(SageRagError):
    """Continuing would expose something private: the operation failed closed."""

    exit_code = 4
    http = 500, "protection_failed"


class UpstreamError(SageRagError):
    """Another service failed."""

    exit_code = 5
    http = 502, "upstream_error"


class UpstreamTimeoutError(UpstreamError):
    """Another service took too long to answer."""

    http = 504, "upstream_timeout"


class MissingExtraError(SageRagError):
    """An optional package is not installed, or not in a version that works."""

    exit_code = 6


@contextmanager
def extra(name: str, *, needed_by: str) -> Iterator[None]:
    """Name the extra that installs a library whose import fails inside the block.

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
