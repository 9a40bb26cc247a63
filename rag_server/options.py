"""Options of the verbs `serve` and `edge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[
    Path | None, typer.Option(help="TOML file with the tables serve and edge.", show_default=False)
]
Tokens = Annotated[
    Path | None,
    typer.Option(
        help="File of API keys (sage-rag token). A server's default: HOME/access/tokens.json.",
        show_default=False,
    ),
]
NoAuth = Annotated[
    bool | None, typer.Option("--insecure-no-auth", help="Ask for no API key.", show_default=False)
]
CorsOrigin = Annotated[
    list[str] | None,
    typer.Option(help="A web page that may read answers. Repeatable.", show_default=False),
]
TlsCert = Annotated[
    Path | None, typer.Option(help="Certificate chain, PEM; with --tls-key.", show_default=False)
]
TlsKey = Annotated[Path | None, typer.Option(help="Its key, PEM.", show_default=False)]
AuditLog = Annotated[
    Path | None,
    typer.Option(help="Add a line per request: who, what, when; no text.", show_default=False),
]
Workers = Annotated[int | None, typer.Option(help="Processes that serve. Default: 1.")]
Server = Annotated[
    str | None,
    typer.Option(help="The server, for example http://host:8000.", show_default=False),
]
Local = Annotated[
    Path | None,
    typer.Option(
        help="Instead: a folder with corpora/. No question leaves this machine.",
        show_default=False,
    ),
]
Sync = Annotated[
    bool | None,
    typer.Option("--sync", help="Pull the versions of --server into --local first."),
]
EdgeKeyset = Annotated[
    Path | None,
    typer.Option(
        help="The sealed keyset, or a grant.", envvar="SAGE_RAG_KEYSET", show_default=False
    ),
]
Memory = Annotated[
    Path | None,
    typer.Option(
        help="File of restored values, sealed. Default: KEYSET.memory.", show_default=False
    ),
]
AcceptRollback = Annotated[
    list[str] | None,
    typer.Option(
        help="A corpus whose owner went back to an older version, as clinic@7. Repeatable.",
        show_default=False,
    ),
]
ServerApiKeyFile = Annotated[
    Path | None, typer.Option(help="File with the server's API key.", show_default=False)
]
ServerCa = Annotated[
    Path | None,
    typer.Option(
        help="PEM file of the authority that signed the server's certificate.", show_default=False
    ),
]
TimeoutS = Annotated[
    float | None, typer.Option(help="Longest wait for the next bytes of --server. Default: 120.")
]
Expose = Annotated[
    bool | None, typer.Option("--expose", help="Allow a --host that other machines can reach.")
]
