"""What the `openai` client's exceptions mean: wait and ask again, another question, or give up.

Nothing of what a server sent is repeated in a message: it may quote the prompt.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

import aiohttp
import openai

from sage_rag.agents.chat.protocols import RetryableError, UnusableReplyError
from sage_rag.common.exceptions import UpstreamError

_KEPT = "finished documents are kept; start again when it is back"
_RARELY_PASSES = 3
_PASSING = frozenset({408, 409, 425, 429})
_LASTING = frozenset({501, 505})
_TOO_LONG = re.compile(
    r"context[ _](length|size|window)|(prompt|input) is too long|too many tokens", re.IGNORECASE
)
_FILTERED = frozenset({"content_filter", "content_policy_violation"})


def status_fault(error: openai.APIStatusError, model: str) -> UpstreamError:
    """Return what to raise for a status other than 200."""
    status, code = error.status_code, str(error.code or "")
    if code == "insufficient_quota":
        return UpstreamError("the account at the model endpoint has no credit left")
    if status in _PASSING or (status >= 500 and status not in _LASTING):
        wait = retry_after_s(error.response.headers, time.time())
        return RetryableError(f"the model endpoint answered {status}", retry_after_s=wait)
    if status == 413 or (status in {400, 422} and _TOO_LONG.search(f"{code} {error.message}")):
        return UnusableReplyError("the prompt is too long for the model")
    if status == 400 and code in _FILTERED:
        return UnusableReplyError("the model endpoint refused the prompt")
    return UpstreamError(
        f"the model endpoint answered {status}",
        hint="redirects are not followed: give --llm-base-url as it is"
        if status < 400
        else f"check --llm-base-url, --llm-model `{model}` and SAGE_RAG_LLM_API_KEY",
    )


def timeout_fault(error: Exception, base_url: str, timeout_s: float) -> RetryableError:
    """Return what to raise when nobody accepts a connection, or no answer comes in time."""
    if type(error.__cause__).__name__ == "ConnectTimeout":
        return connection_fault(error, base_url)
    return RetryableError(
        f"the model endpoint {base_url} did not answer within {timeout_s:,.0f} s",
        hint="raise --llm-timeout, or lower --llm-max-tokens or --concurrency",
    )


def connection_fault(error: Exception, base_url: str) -> RetryableError:
    """Return what to raise when a connection cannot be made, or breaks."""
    cause = type(error.__cause__).__name__
    if cause == "DecodingError":
        message = f"the model endpoint {base_url} sends what cannot be unpacked"
        return RetryableError(message, max_tries=_RARELY_PASSES)
    # The client's HTTP library has changed its name, so its types cannot be imported by theirs.
    answered = cause not in {"ConnectError", "ConnectTimeout"} or _broke(error)
    state = "dropped the connection" if answered else "cannot be reached"
    return RetryableError(f"the model endpoint {base_url} {state}", hint=_KEPT, answered=answered)


def _broke(error: Exception) -> bool:
    """Whether a connection had been made: the client takes one that breaks for none."""
    root = error.__cause__.__cause__ if error.__cause__ else None
    never_made = (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError)
    return isinstance(root, aiohttp.ClientConnectionError) and not isinstance(root, never_made)


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Read how long a server wants to be left alone: seconds or a date, `None` if it says nothing.

    A date counts from the server's own clock where it tells the time. `now`: seconds since 1970.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    until = _timestamp(headers.get("retry-after"))
    told = _timestamp(headers.get("date"))
    return None if until is None else max(0.0, until - (now if told is None else told))


def _timestamp(date: str | None) -> float | None:
    try:
        moment = parsedate_to_datetime(date) if date else None
    except (ValueError, OverflowError):
        return None
    # `-0000` is UTC with no word on the place; Python makes a local time of it.
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() if moment else None
