"""What a language model and the server before it can do wrong, each under one name."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from sage_rag.agents.testing.role_play import ASPECTS, FINE, record_in
from sage_rag.privacy.tokens import PLACEHOLDER

BEHAVES = "behaves"
INVENTED_NAME = "Peregrine Wolstenholme"
"""Stands in no corpus: whatever holds it, a model made it up."""
OLD_SERVER = "old-server"
"""The one behaviour that looks at the request: 400 where it holds a `response_format`."""
INVENTED_PLACEHOLDER = "[PERSON_77]"
_REFUSAL = "I'm sorry, but I can't help with requests about somebody's private records."
_OBJECTION = {"suggestion": "Say it in other words.", "quote": None}
_DROPS_AT_ONCE, _DRIP_S = 8, 0.001
_ENDLESS_PIECE, _ENDLESS_PAUSE_S = b"la " * 300, 0.01
_RETRY_AFTER_S = "1"


@dataclass(frozen=True)
class Call:
    """One call as a behaviour sees it: the role, what was asked, and the competent answer."""

    role: str
    user: str
    answer: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The competent answer as it is sent."""
        return json.dumps(self.answer, ensure_ascii=False)


@dataclass(frozen=True)
class Said:
    """What the model says in place of the competent answer."""

    text: str
    finish_reason: str = "stop"


def _refuses(call: Call) -> Said:
    return Said(_REFUSAL)


def _rambles(call: Call) -> Said:
    return Said(f"Of course {{with pleasure}}! Here it is:\n\n{call.text}\n\nShall I go on :-}} ?")


def _truncates(call: Call) -> Said:
    return Said(call.text[: len(call.text) // 2], "length")


def _breaks_json(call: Call) -> Said:
    return Said(call.text.replace('": ', '" ').replace('"', "'", 1))


def _wrong_fields(call: Call) -> Said:
    return Said(json.dumps({f"my_{name}": value for name, value in call.answer.items()}))


def _empty(call: Call) -> Said:
    return Said("")


def _never_safe(call: Call) -> Said:
    if call.role != "review":
        return Said(call.text)
    return Said(json.dumps({**call.answer, "recovery": _OBJECTION}))


def _copies(call: Call) -> Said:
    """Hand on every word in its order, call it safe, and rewrite nothing."""
    if call.role == "review":
        return Said(json.dumps(dict.fromkeys(ASPECTS, FINE)))
    shown = record_in(call.user)
    if "information" in call.answer:
        facts = _copied_facts(call.answer["information"], shown)
        copied = {"information": facts, "record": shown}
        return Said(json.dumps({name: copied[name] for name in call.answer}, ensure_ascii=False))
    if call.role == "identify" or not shown:
        return Said(call.text)
    return Said(json.dumps(shown, ensure_ascii=False))


def _copied_facts(facts: Mapping[str, list[str]], shown: Mapping[str, str]) -> dict[str, list[str]]:
    """Give the first attribute of each field the whole field."""
    names = list(facts)
    step = max(1, len(names) // len(shown))
    return {names[i * step]: [text] for i, text in enumerate(shown.values())}


def _puts_name(call: Call) -> Said:
    return _in_drafts(call, lambda text: PLACEHOLDER.sub(rf"\g<0> {INVENTED_NAME}", text))


def _loses_placeholder(call: Call) -> Said:
    return _in_drafts(call, lambda text: PLACEHOLDER.sub("somebody", text))


def _invents_placeholder(call: Call) -> Said:
    return _in_drafts(call, lambda text: f"{text} {INVENTED_PLACEHOLDER} agrees.")


def _in_drafts(call: Call, change: Callable[[str], str]) -> Said:
    """Change the answers that are records, and those that hold facts for one."""
    if call.role in ("identify", "review", "infer", "recognize"):
        return Said(call.text)
    return Said(json.dumps(_changed(call.answer, change), ensure_ascii=False))


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _changed(inner, change) for name, inner in value.items()}
    if isinstance(value, list):
        return [*map(str, value[:-1]), *(change(str(last)) for last in value[-1:])]
    return change(value) if isinstance(value, str) else value


def _storms(body: bytes) -> Response:
    error = {"error": {"message": "Rate limit reached", "type": "rate_limit_error"}}
    return JSONResponse(error, 429, headers={"retry-after": _RETRY_AFTER_S})


def _denies(body: bytes) -> Response:
    error = {"message": "Incorrect API key provided", "code": "invalid_api_key"}
    return JSONResponse({"error": error}, 401)


def _fails(body: bytes) -> Response:
    return JSONResponse({"error": {"message": "CUDA out of memory", "type": "server_error"}}, 500)


def _drips(body: bytes) -> Response:
    async def drops() -> AsyncIterator[bytes]:
        for at in range(len(body)):
            yield body[at : at + 1]
            await asyncio.sleep(0 if at % _DROPS_AT_ONCE else _DRIP_S)

    return StreamingResponse(drops(), media_type="application/json")


def _drops(body: bytes) -> Response:
    async def half() -> AsyncIterator[bytes]:
        yield body[: len(body) // 2]
        raise ConnectionAbortedError("as asked for")

    length = {"content-length": str(len(body))}
    return StreamingResponse(half(), media_type="application/json", headers=length)


def _latin_1(body: bytes) -> Response:
    return _json(_accented(body).encode("latin-1", "replace"))


def _broken_utf8(body: bytes) -> Response:
    return _json(_accented(body).encode().replace("é".encode(), b"\xc3\x28"))


def _accented(body: bytes) -> str:
    return re.sub(r'("content": ?")', r"\1Voilà, café: ", body.decode())


def _bom(body: bytes) -> Response:
    return _json(b"\xef\xbb\xbf" + body)


def _gzip_garbage(body: bytes) -> Response:
    return Response(
        b"\x1f\x8b\x08\x00" + body[::-1], 200, {"content-encoding": "gzip"}, "application/json"
    )


def _html_page(body: bytes) -> Response:
    return HTMLResponse("<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>")


def _no_choices(body: bytes) -> Response:
    return _json(json.dumps({**json.loads(body), "choices": []}).encode())


def _endless(body: bytes) -> Response:
    async def for_ever() -> AsyncIterator[bytes]:
        yield body[: body.find(b'"content"')] + b'"content": "'
        while True:
            yield _ENDLESS_PIECE
            await asyncio.sleep(_ENDLESS_PAUSE_S)

    return StreamingResponse(for_ever(), media_type="application/json")


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


SAYING: Mapping[str, Callable[[Call], Said]] = {
    "refuses": _refuses,
    "rambles": _rambles,
    "truncates": _truncates,
    "breaks-json": _breaks_json,
    "wrong-fields": _wrong_fields,
    "empty": _empty,
    "never-safe": _never_safe,
    "copies": _copies,
    "puts-name": _puts_name,
    "loses-placeholder": _loses_placeholder,
    "invents-placeholder": _invents_placeholder,
}
"""What a model says wrong."""

SENDING: Mapping[str, Callable[[bytes], Response]] = {
    "storms": _storms,
    "denies": _denies,
    "fails": _fails,
    "drips": _drips,
    "drops": _drops,
    "latin-1": _latin_1,
    "broken-utf8": _broken_utf8,
    "bom": _bom,
    "gzip-garbage": _gzip_garbage,
    "html-page": _html_page,
    "no-choices": _no_choices,
    "endless": _endless,
}
"""What a server sends wrong, given the body that it should have sent."""

BEHAVIOURS = (BEHAVES, *SAYING, *SENDING, OLD_SERVER)
