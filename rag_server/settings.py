"""Settings. Precedence: defaults < file < environment < command line.

The file is TOML with a table per verb, `[serve]` and `[edge]`; in the environment a setting is
`SAGE_RAG_SERVE_PORT` or `SAGE_RAG_EDGE_PORT`. Nothing here is read at import.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from sage_rag.common.exceptions import InputError


class _Settings(BaseSettings):
    """What both verbs share: how values are found."""

    table: ClassVar[str]
    _file: ClassVar[dict[str, Any]] = {}

    @classmethod
    def load(cls, given: Mapping[str, Any], file: Path | None = None) -> Self:
        """Return settings from all sources; `given` are command-line values, `None` if absent.

        Raises:
            InputError: naming the setting that does not fit, never its value.
        """
        values = _table(file, cls.table) if file else {}
        with_file: type[Self] = type(cls.__name__, (cls,), {"_file": values})
        try:
            return with_file(**{k: v for k, v in given.items() if v is not None})
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            name = ".".join(str(part) for part in first["loc"])
            hint = f"give --{name.replace('_', '-')}, or set it in the environment or a file"
            if first["type"] == "extra_forbidden":
                raise InputError(f"there is no setting `{name}`", hint=_known(cls)) from None
            raise InputError(f"setting `{name}`: {first['msg']}", hint=hint) from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put the file below environment and command line."""
        return init_settings, env_settings, InitSettingsSource(settings_cls, cls._file)


class ServeSettings(_Settings):
    """Settings of the server."""

    model_config = SettingsConfigDict(env_prefix="SAGE_RAG_SERVE_", extra="forbid", frozen=True)
    table: ClassVar[str] = "serve"

    home: Path
    """Where `corpora/` lies."""
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    top_k: int = Field(5, ge=1, le=100)
    """Passages per answer."""
    embedder: str = "all-MiniLM-L6-v2"
    """The packaged model, or the folder of another; must be the one that corpora were made with."""
    answerer: Literal["extractive", "chat"] = "extractive"
    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None
    llm_api_key_file: Path | None = None
    llm_timeout_s: float = Field(60.0, gt=0)
    max_body_bytes: int = Field(1024 * 1024, ge=1024)


class EdgeSettings(_Settings):
    """Settings of the edge."""

    model_config = SettingsConfigDict(env_prefix="SAGE_RAG_EDGE_", extra="forbid", frozen=True)
    table: ClassVar[str] = "edge"

    server: str
    """The server's address, with or without `/v1`."""
    keyset: Path | None = None
    """A sealed keyset or grant."""
    passphrase_file: Path | None = None
    keyset_secret: Path | None = None
    """Instead of a sealed file: raw keys, as a secret manager mounts them."""
    host: str = "127.0.0.1"
    port: int = Field(8001, ge=0, le=65535)
    policy: str = "sage"
    """A preset, or a file like `./mine.toml`."""
    recognizers: tuple[str, ...] = ()
    """Recognizers beside the default, each `KIND:MODEL`."""
    expose: bool = False
    """Allow addresses other than loopback: whoever reaches the edge reads plain values."""
    server_api_key: SecretStr | None = None
    server_api_key_file: Path | None = None
    timeout_s: float = Field(120.0, gt=0)
    max_body_bytes: int = Field(1024 * 1024, ge=1024)


def secret(value: SecretStr | None, file: Path | None) -> SecretStr | None:
    """Return a secret from its value or the file that holds it.

    Raises:
        InputError: when the file cannot be read or is empty.
    """
    if value is not None or file is None:
        return value
    try:
        content = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"cannot read the key file `{file}`") from None
    if not content:
        raise InputError(f"the key file `{file}` is empty")
    return SecretStr(content)


def _known(settings: type[_Settings]) -> str:
    return f"[{settings.table}] may hold {', '.join(settings.model_fields)}"


def _table(file: Path, name: str) -> dict[str, Any]:
    try:
        parsed = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read `{file}`: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise InputError(f"`{file}` is not valid TOML") from None
    table = parsed.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"`{name}` in `{file}` is not a table")
    return table
