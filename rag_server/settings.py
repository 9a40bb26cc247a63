"""Settings. Precedence: defaults < file < environment < command line.

The file is TOML with the tables `[serve]` and `[edge]`; in the environment, a setting is for
example `SAGE_RAG_SERVE_PORT` or `SAGE_RAG_EDGE_PORT`. Nothing is read at import.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from sage_rag.common.exceptions import InputError
from sage_rag.common.web.requests import MAX_BODY_BYTES, MAX_BODY_S
from sage_rag.common.web.serving import Serving
from sage_rag.rag_server.limits import RequestLimits

_TABLES = {"serve", "edge"}


_ORIGIN = re.compile(r"\*|[a-z][a-z0-9+.-]*://[^\s/?#@A-Z]+")
"""As browsers write an origin: scheme and host in lower case, no path and no final slash."""
_SERVICE_LINK = re.compile(r"(^|_)(service_(host|port)(_|$)|port_[0-9]+_(tcp|udp|sctp)(_|$))")
"""In variables with the addresses of a Service. Source: https://kubernetes.io/docs, "Accessing the
Service"; docker's container links have the same."""
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}@[0-9]{1,6}")


def _origin(given: str) -> str:
    if not _ORIGIN.fullmatch(given):
        message = "should be an origin as browsers send it, such as https://chat.example.org"
        raise PydanticCustomError("origin", message)
    return given


def _versioned(given: str) -> str:
    if not _VERSION.fullmatch(given):
        message = "should be a corpus and the number of its version, such as clinic@7"
        raise PydanticCustomError("version", message)
    return given


_Versioned = Annotated[str, AfterValidator(_versioned)]


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Settings(BaseSettings):
    """Load settings from command line, environment and file."""

    table: ClassVar[str]
    _file: ClassVar[dict[str, Any]] = {}

    @classmethod
    def load(
        cls,
        given: Mapping[str, Any],
        file: Path | None = None,
        flags: Mapping[str, str] = MappingProxyType({}),
    ) -> Self:
        """Return settings from all sources; `given` holds command-line values, `None` if absent.

        `flags`: the command-line option of each setting that has one.

        Raises:
            InputError: names the invalid setting, never its value.
        """
        cls._check_variables()
        values = _table(file, cls.table) if file else {}
        with_file: type[Self] = type(cls.__name__, (cls,), {"_file": values})
        try:
            return with_file(**{k: v for k, v in given.items() if v is not None})
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            name = ".".join(str(part) for part in first["loc"])
            if first["type"] == "extra_forbidden":
                raise InputError(f"there is no setting `{name}`", hint=_known(cls)) from None
            hint = cls._how_to_set(str(first["loc"][0]), flags)
            raise InputError(f"setting `{name}`: {first['msg']}", hint=hint) from None

    @classmethod
    def _check_variables(cls) -> None:
        """Refuse a variable with our prefix that sets nothing, which pydantic would ignore."""
        prefix = cls.model_config["env_prefix"]
        for variable in sorted(os.environ):
            name = variable[len(prefix) :].lower()
            if variable.upper().startswith(prefix) and name not in cls.model_fields:
                raise InputError(
                    f"the variable {variable} sets nothing", hint=cls._hint_about(name)
                )

    @classmethod
    def _hint_about(cls, name: str) -> str:
        """Return what to do about a variable that sets nothing; `name`: without the prefix."""
        if _SERVICE_LINK.search(name):
            return (
                "Kubernetes makes such variables for a Service of this name: set "
                "`enableServiceLinks: false` in the Pod, or rename the Service"
            )
        nearest = get_close_matches(name, cls.model_fields, 1, 0)[0]
        return f"nearest: {cls.model_config['env_prefix']}{nearest.upper()}; or unset it"

    @classmethod
    def _how_to_set(cls, name: str, flags: Mapping[str, str]) -> str:
        variable = f"{cls.model_config['env_prefix']}{name}".upper()
        flag = f"{flags[name]}, " if name in flags else ""
        return f"set {flag}{variable}, or `{name}` in the table [{cls.table}] of a --config file"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: command line, environment, file."""
        return init_settings, env_settings, InitSettingsSource(settings_cls, cls._file)


class ServiceSettings(_Settings):
    """What server and edge have in common: who may ask, and the limits of a request."""

    host: str = "127.0.0.1"
    port: int = Field(0, ge=0, le=65535)
    tokens: Path | None = None
    """A file of API keys, made by `sage-rag token new`."""
    insecure_no_auth: bool = False
    """Ask for no API key."""
    cors_origin: tuple[Annotated[str, AfterValidator(_origin)], ...] = ()
    """Origins of web pages whose scripts may read answers, such as `https://chat.example.org`."""
    audit_log: Path | None = None
    """A file to which a line is added for every request: who, what, when; never a text."""
    log_format: Literal["text", "json"] = "text"
    drain_s: float = Field(10.0, ge=0)
    """How long open requests may continue after SIGTERM."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    """Certificate and key in PEM files. Without them, connections are not encrypted."""

    max_body_bytes: int = Field(MAX_BODY_BYTES, ge=1024)
    max_body_s: float = Field(MAX_BODY_S, gt=0)
    """How long a client may take to send a request."""
    max_question_chars: int = Field(8_000, ge=1)
    """Characters of the last user message."""
    max_conversation_chars: int = Field(200_000, ge=1)
    """Characters of all texts of a request."""

    threads: int = Field(default_factory=_cores, ge=1)
    """Searches or recognitions at a time; each uses one core. Default: the number of cores."""
    max_waiting: int = Field(64, ge=0)
    """Requests that wait for a thread; more are refused with status 503."""
    work_timeout_s: float = Field(30.0, gt=0)
    """From a request to the end of its search or recognition, waiting included."""

    @property
    def tls(self) -> tuple[Path, Path] | None:
        """The files of certificate and key, if both are given.

        Raises:
            InputError: when only one of them is given.
        """
        if self.tls_cert is None and self.tls_key is None:
            return None
        if self.tls_cert is None or self.tls_key is None:
            raise InputError("--tls-cert and --tls-key belong together")
        return self.tls_cert, self.tls_key

    @property
    def serving(self) -> Serving:
        """Where and how the application is served; raises as `tls`."""
        return Serving(
            self.host,
            self.port,
            tls=self.tls,
            json_logs=self.log_format == "json",
            drain_s=self.drain_s,
        )

    @property
    def limits(self) -> RequestLimits:
        """The limits of a request."""
        return RequestLimits(
            body_bytes=self.max_body_bytes,
            body_s=self.max_body_s,
            question_chars=self.max_question_chars,
            conversation_chars=self.max_conversation_chars,
        )


class SearchSettings(ServiceSettings):
    """What searches and answers: in a server, or in an edge with a local index."""

    top_k: int = Field(5, ge=1, le=100)
    """Passages per answer."""
    embedder: str = "all-MiniLM-L6-v2"
    """The packaged model, or the folder of another; must be the model of the corpora."""
    reranker: str = "off"
    """`off`, `late-interaction`, or a cross-encoder of sentence-transformers: its folder, or its
    name in the local cache, for example `mixedbread-ai/mxbai-rerank-large-v1`."""
    reader: str = "shipped"
    """Reads whether a record answers: `shipped`, `off`, a weights file of `train reader`, or the
    folder of a question-answering model that `eval reader` has calibrated."""
    milvus: str | None = None
    """The address of a Milvus server that searches the vectors in place of FAISS."""
    guard: bool = False
    """Make extraction harder: end an answer that repeats a document at length, and hide a passage
    that is suspiciously near to a question."""
    answerer: Literal["extractive", "chat"] = "extractive"
    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None
    llm_api_key_file: Path | None = None
    llm_timeout_s: float = Field(60.0, gt=0)
    llm_context_tokens: int | None = Field(None, ge=1024)
    """Tokens that the chat model reads and writes; passages and history that do not fit are left
    out. Default: what the model's endpoint lists, and no limit if it lists none."""


class ServeSettings(SearchSettings):
    """Settings of the server."""

    model_config = SettingsConfigDict(env_prefix="SAGE_RAG_SERVE_", extra="forbid", frozen=True)
    table: ClassVar[str] = "serve"

    home: Path
    """The folder that contains `corpora/`."""
    port: int = Field(8000, ge=0, le=65535)
    workers: int = Field(1, ge=1, le=64)
    """Processes that serve. They share the files of the index, and the rates and budgets of keys;
    each has its part of `threads`, at least one, and a queue of `max_waiting`."""


class EdgeSettings(SearchSettings):
    """Settings of the edge."""

    model_config = SettingsConfigDict(env_prefix="SAGE_RAG_EDGE_", extra="forbid", frozen=True)
    table: ClassVar[str] = "edge"

    server: str | None = None
    """The server's address, with or without `/v1`."""
    local: Path | None = None
    """Instead of `server`: a folder that contains `corpora/`. No question leaves this machine."""
    sync: bool = False
    """With `server` and `local`: first pull the server's current versions into the folder."""
    keyset: Path | None = None
    """A sealed keyset or grant."""
    passphrase_file: Path | None = None
    keyset_secret: Path | None = None
    """In place of `keyset`: a file with raw keys, as secret managers mount them."""
    memory: Path | None = None
    """The file of the values that were restored, sealed, so that they are hidden when a client
    sends them back, and of the policies that indexes said. Default: `FILE.memory` next to the
    keyset `FILE`."""
    accept_rollback: tuple[_Versioned, ...] = ()
    """Corpora whose owner went back to an older version, as `clinic@7`: its lookup is used although
    this edge has seen a newer one. Give it for one start."""
    port: int = Field(8001, ge=0, le=65535)
    policy: str | None = None
    """For questions: a preset, or a file like `./mine.toml`. Default: that of the index."""
    recognizers: tuple[str, ...] = ()
    """Recognizers in addition to the default, each `KIND:MODEL`."""
    expose: bool = False
    """Allow addresses other than loopback: anyone who reaches the edge can read plain values."""
    server_api_key: SecretStr | None = None
    server_api_key_file: Path | None = None
    server_ca: Path | None = None
    """Certificates of the authorities that the server's is checked against, PEM. Default: the
    public ones."""
    timeout_s: float = Field(120.0, gt=0)
    """How long the edge waits for the next bytes of the server: for those of a whole answer, longer
    than the server waits for its model (`llm_timeout_s`)."""


def secret(value: SecretStr | None, file: Path | None) -> SecretStr | None:
    """Return a secret from its value or from its file.

    Raises:
        InputError: when the file cannot be read or is empty.
    """
    if value is not None or file is None:
        return value
    try:
        content = file.read_text("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"cannot read the key file `{file}`") from None
    if not content:
        raise InputError(f"the key file `{file}` is empty")
    return SecretStr(content)


def _known(settings: type[_Settings]) -> str:
    return f"[{settings.table}] may contain {', '.join(settings.model_fields)}"


def _table(file: Path, name: str) -> dict[str, Any]:
    try:
        parsed = tomllib.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read `{file}`: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise InputError(f"`{file}` is not valid TOML") from None
    if others := sorted(parsed.keys() - _TABLES):
        raise InputError(
            f"`{file}` has `{others[0]}` outside the tables [serve] and [edge]",
            hint=f"write the settings of this command below a line [{name}]",
        )
    table = parsed.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"`{name}` in `{file}` is not a table")
    return table
