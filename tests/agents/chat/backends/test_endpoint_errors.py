"""`Retry-After` in all its forms, and hints."""

from __future__ import annotations

import ssl
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest

from sage_rag.agents.chat.backends.endpoint_errors import EndpointErrors, retry_after_s
from sage_rag.agents.chat.protocols import RetryableError

NOON = 1_767_268_800.0  # Thu, 01 Jan 2026 12:00:00 GMT


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "86400"}, 86_400.0),
        ({"retry-after-ms": "250", "retry-after": "20"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "20"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 13:00:30 +0100"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        (
            {
                "retry-after": "Thu, 01 Jan 2026 18:00:30 GMT",
                "date": "Thu, 01 Jan 2026 18:00:00 GMT",
            },
            30.0,
        ),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT", "date": "today"}, 30.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 99 Jan 2026 12:00:30 GMT"}, None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], expected: float | None) -> None:
    found = retry_after_s(headers, NOON)
    assert found == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("slow_hint", "shown"), [("raise the limit", "raise the limit"), ("", "check it")]
)
def test_a_late_answer_has_a_hint_that_its_reader_can_follow(slow_hint: str, shown: str) -> None:
    errors = EndpointErrors("the endpoint", "check it", 5.0, slow_hint=slow_hint)
    assert errors.timeout(TimeoutError()).hint == shown


def test_a_certificate_that_is_not_trusted_is_named_and_not_tried_again() -> None:
    place = cast(Any, SimpleNamespace(host="models", port=443, ssl=True))
    refused = aiohttp.ClientConnectorCertificateError(place, ssl.SSLCertVerificationError())
    library = type("ConnectTimeout", (Exception,), {})()
    library.__cause__ = refused
    timeout = TimeoutError()
    timeout.__cause__ = library
    error = EndpointErrors("the endpoint", "check it", 5.0).timeout(timeout)
    assert str(error) == "the certificate of the endpoint is not trusted"
    assert "SSL_CERT_FILE" in str(error.hint)
    assert not isinstance(error, RetryableError)
