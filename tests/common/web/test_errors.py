"""A client that misses the API's address learns where it is."""

from __future__ import annotations

import json

from starlette.exceptions import HTTPException

from sage_rag.common.web.errors import error_response


def test_an_unknown_address_names_that_of_the_api() -> None:
    response = error_response(HTTPException(404))
    assert response.status_code == 404
    assert "under /v1" in json.loads(bytes(response.body))["error"]["message"]
