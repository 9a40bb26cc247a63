"""`/v1/embeddings`: the vectors of texts, by the embedder of a corpus."""

from __future__ import annotations

import base64
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ValidationError

from sage_rag.common.web.errors import ApiError, invalid_fields
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.rag_server.completions import count_tokens

MAX_TEXTS = 256


class EmbeddingsRequest(BaseModel):
    """A request; lists of token ids are not supported."""

    model: str
    input: str | list[str]
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = None

    @property
    def texts(self) -> list[str]:
        """The texts to embed."""
        return [self.input] if isinstance(self.input, str) else self.input


def parse_embeddings(body: dict[str, Any]) -> EmbeddingsRequest:
    """Return the request in a body.

    Raises:
        ApiError: 400; names the invalid field.
    """
    given = body.get("input")
    if isinstance(given, list) and not all(isinstance(text, str) for text in given):
        message = "`input`: texts are expected, no token ids"
        hint = "; hint: in LangChain, check_embedding_ctx_length=False"
        raise ApiError(400, message + hint, code="invalid_value", param="input")
    try:
        request = EmbeddingsRequest.model_validate(body)
    except ValidationError as error:
        raise invalid_fields(error) from None
    if not request.texts or len(request.texts) > MAX_TEXTS or not all(request.texts):
        message = f"`input`: 1 to {MAX_TEXTS} texts that are not empty are expected"
        raise ApiError(400, message, code="invalid_value", param="input")
    return request


def check_dimensions(request: EmbeddingsRequest, dim: int) -> None:
    """Return if vectors of length `dim` are what a request wants.

    Raises:
        ApiError: 400 when other dimensions are wanted.
    """
    if request.dimensions not in (None, dim):
        message = f"`dimensions`: the vectors of this model have {dim}"
        raise ApiError(400, message, code="unsupported_parameter", param="dimensions")


def embeddings_body(request: EmbeddingsRequest, vectors: Vectors) -> dict[str, Any]:
    """Return the response; `vectors`: `(n, dim)` float32."""
    tokens = count_tokens(request.texts)
    data = [
        {"object": "embedding", "index": n, "embedding": _encoded(v, request.encoding_format)}
        for n, v in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": request.model, "usage": usage}


def _encoded(vector: Vector, form: str | None) -> str | list[float]:
    if form == "base64":
        return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()
    found: list[float] = vector.tolist()
    return found
