"""What a failed request means: ask again, quarantine the record, or end the run.

No message repeats what a server sent: it may quote the prompt.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

import aiohttp
import openai

from sage_rag.agents.chat.protocols import (
    RetryableError,
    RetryableTimeoutError,
    UnusableReplyError,
)
from sage_rag.common.exceptions import UpstreamError

_MALFORMED_TRIES = 3
"""A proxy that is restarting sends no completions either, but a wrong address is more likely."""
_PRIVATE_AUTHORITY = "a private authority is named by SSL_CERT_FILE, except for localhost"
_TEMPORARY = frozenset({408, 409, 425, 429})
_BUSY = {429: (429, "upstream_rate_limited"), 503: (503, "upstream_busy")}
"""What a service of ours answers if its model answers this: its clients wait as well."""
_PERMANENT = frozenset({501, 505})
_TOO_LONG = re.compile(
    r"context[ _](length|size|window)|(prompt|input) is too long|too many tokens", re.IGNORECASE
)
_FILTERED = frozenset({"content_filter", "content_policy_violation"})


@dataclass(frozen=True)
class EndpointErrors:
    """The errors of one endpoint.

    `endpoint`: its name in messages, e.g. "the model endpoint". `address`: shown where it cannot be
    reached; left out where the reader must not learn it. `hint`: what the reader can check.
    `slow_hint`: what to change if it takes too long; default: `hint`. `ours`: the server is a
    sage-rag server, whose messages quote nothing and are shown.
    """

    endpoint: str
    hint: str
    timeout_s: float
    address: str = ""
    slow_hint: str = ""
    ours: bool = False

    def reported(self, error: openai.APIError) -> UpstreamError:
        """Return the error for one that the server reports, by its status or in a stream."""
        status = error if isinstance(error, openai.APIStatusError) else None
        words = error.body.get("message") if isinstance(error.body, dict) else None
        if self.ours and words:
            message, _, hint = str(words).partition("; hint: ")
            return UpstreamError(
                f"{message} ({status.status_code})" if status else message, hint=hint or None
            )
        if status:
            return self._status(status)
        return UpstreamError(f"{self.endpoint} reported an error", hint=self.hint)

    def timeout(self, error: Exception) -> UpstreamError:
        """Return the error for a connection or an answer that does not come in time."""
        if type(error.__cause__).__name__ == "ConnectTimeout":
            return self.connection(error)
        return RetryableTimeoutError(
            f"{self._addressed} did not answer within {self.timeout_s:,.0f} s",
            hint=self.slow_hint or self.hint,
        )

    def connection(self, error: Exception) -> UpstreamError:
        """Return the error for a connection that cannot be made, or breaks."""
        cause = error.__cause__
        root = cause.__cause__ if cause else None
        kind = type(cause).__name__
        if isinstance(root, aiohttp.ClientConnectorCertificateError):
            message = f"the certificate of {self._addressed} is not trusted"
            return UpstreamError(message, hint=_PRIVATE_AUTHORITY)
        if kind == "DecodingError":
            message = f"{self._addressed} sends data that cannot be decompressed"
            return RetryableError(message, hint=self.hint, max_tries=_MALFORMED_TRIES)
        # The library has changed its HTTP package, so its types cannot be imported by name; it
        # also reports every failed connection as `ConnectTimeout`, a broken one included.
        answered = kind not in {"ConnectError", "ConnectTimeout"} or broke(error)
        state = "dropped the connection" if answered else "cannot be reached"
        late = isinstance(root, aiohttp.ServerTimeoutError)
        raised = RetryableTimeoutError if late else RetryableError
        return raised(f"{self._addressed} {state}", hint=self.hint, answered=answered)

    def malformed(self, defect: str) -> RetryableError:
        """Return the error for an answer with a defect, e.g. "without JSON"."""
        return RetryableError(
            f"{self.endpoint} answered {defect}",
            hint="is it the address of an OpenAI-compatible API, ending in /v1?",
            max_tries=_MALFORMED_TRIES,
        )

    def _status(self, error: openai.APIStatusError) -> UpstreamError:
        status, code = error.status_code, str(error.code or "")
        message = f"{self.endpoint} answered {status}"
        if code == "insufficient_quota":
            return UpstreamError(f"the account at {self.endpoint} has no credit left")
        if status in _TEMPORARY or (status >= 500 and status not in _PERMANENT):
            wait = retry_after_s(error.response.headers, time.time())
            busy = RetryableError(message, hint=self.hint, retry_after_s=wait)
            busy.http = _BUSY.get(status, busy.http)
            return busy
        if status == 413 or (status in {400, 422} and _TOO_LONG.search(f"{code} {error.message}")):
            return UnusableReplyError("the prompt is too long for the model")
        if status == 400 and code in _FILTERED:
            return UnusableReplyError(f"{self.endpoint} refused the prompt")
        if status < 400:
            return UpstreamError(message, hint="redirects are not followed: give the final address")
        return UpstreamError(message, hint=self.hint)

    @property
    def _addressed(self) -> str:
        return f"{self.endpoint} {self.address}".strip()


def broke(error: Exception) -> bool:
    """Return whether a connection existed before it failed with an error of the library."""
    root = error.__cause__.__cause__ if error.__cause__ else None
    never_made = (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError)
    return isinstance(root, aiohttp.ClientConnectionError) and not isinstance(root, never_made)


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Return how long a server asks callers to wait, `None` if it does not say.

    The header holds seconds or a date. A date counts from the server's own clock if the server
    sends it. `now`: seconds since 1970.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    until = _timestamp(headers.get("retry-after"))
    server_now = _timestamp(headers.get("date"))
    return None if until is None else max(0.0, until - (now if server_now is None else server_now))


def _timestamp(date: str | None) -> float | None:
    try:
        moment = parsedate_to_datetime(date) if date else None
    except (ValueError, OverflowError):
        return None
    # `-0000` means UTC without a place; Python would treat it as local time.
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() if moment else None
