"""The exception tree. Every failure a user can meet is one line, a hint and an exit code.

```
SageRagError            1
├── InputError          2   bad argument, file or record
├── KeysetError         3   missing, damaged or wrong key or passphrase
│   └── DecryptionError 3   a token that this keyset cannot open
├── ProtectionError     4   the result would not be safe, so there is none
└── UpstreamError       5   a model endpoint, a server or the edge did not answer as it should
```

No message holds a plain value or a key: logs and terminals are not private.
"""

from __future__ import annotations


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


class KeysetError(SageRagError):
    """A keyset cannot be read, opened or used."""

    exit_code = 3


class DecryptionError(KeysetError):
    """A token cannot be opened. Deliberately silent about why: reasons help forgers."""


class ProtectionError(SageRagError):
    """Going on would expose something private: the operation failed closed."""

    exit_code = 4


class UpstreamError(SageRagError):
    """Another service failed us."""

    exit_code = 5
