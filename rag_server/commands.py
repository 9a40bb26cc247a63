"""The verbs `serve`, `edge` and `ask`. They import what they need when they run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.common.unicode_text import without_controls
from sage_rag.privacy.cli.options import KeysetSecret, PassphraseFile, Recognizers
from sage_rag.rag_server.options import (
    AcceptRollback,
    AuditLog,
    Config,
    CorsOrigin,
    EdgeKeyset,
    Expose,
    Local,
    Memory,
    NoAuth,
    Server,
    ServerApiKeyFile,
    ServerCa,
    Sync,
    TimeoutS,
    TlsCert,
    TlsKey,
    Tokens,
    Workers,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

    from sage_rag.rag_server.client import Client
    from sage_rag.rag_server.settings import ServeSettings, ServiceSettings


def _say(line: str) -> None:
    _print(line, sys.stderr)


def _print(text: str, stream: TextIO, *, nl: bool = True) -> None:
    """Print a text that a server may have written: it must not drive the user's terminal."""
    typer.echo(without_controls(text) if stream.isatty() else text, stream, nl=nl)


def _announce(address: str) -> None:
    _say(f"listening on {address}")


def _run(app_of: Callable[[int], FastAPI], settings: ServiceSettings, workers: int = 1) -> None:
    """Serve with one process or several; `app_of` makes the application of each, from 1."""
    from sage_rag.common.web.serving import (
        configure_logging,
        is_loopback,
        run_server,
        run_workers,
    )

    configure_logging(as_json=settings.serving.json_logs)  # making an application logs, too
    first = app_of(1) if workers == 1 else None
    if settings.tls is None and not is_loopback(settings.host):
        _say(
            f"WARNING: {settings.host} is served without encryption: give --tls-cert and"
            " --tls-key, or put a proxy with TLS in front"
        )
    if first is not None:
        run_server(first, settings.serving, _announce)
    else:
        run_workers(workers, app_of, settings.serving, _announce)


def _given(ctx: typer.Context) -> dict[str, Any]:
    """Return the options of a verb by the names of their settings; `None` if absent."""
    given = {name: value for name, value in ctx.params.items() if name != "config"}
    return {name: None if value == () else value for name, value in given.items()}


def _flags(ctx: typer.Context) -> dict[str, str]:
    """Return the options of a verb by the names of its parameters."""
    return {str(parameter.name): parameter.opts[0] for parameter in ctx.command.params}


def serve(
    ctx: typer.Context,
    home: Annotated[
        Path | None, typer.Option(help="The folder that contains corpora/.", show_default=False)
    ] = None,
    host: Annotated[str | None, typer.Option(help="Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Default: 8000; 0 picks a free one.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Passages per answer. Default: 5.")] = None,
    reranker: Annotated[
        str | None,
        typer.Option(help="off (default), late-interaction, or a cross-encoder's folder or name."),
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(
            help="shipped (default), off, a file, a folder: reads whether a record answers."
        ),
    ] = None,
    milvus: Annotated[
        str | None, typer.Option(help="Milvus server that searches vectors. Default: FAISS here.")
    ] = None,
    guard: Annotated[bool | None, typer.Option("--guard", help="Make extraction harder.")] = None,
    answerer: Annotated[
        str | None, typer.Option(help="extractive (default; no model) or chat.")
    ] = None,
    llm_base_url: Annotated[
        str | None, typer.Option(help="OpenAI-compatible endpoint for chat, ending in /v1.")
    ] = None,
    llm_model: Annotated[
        str | None, typer.Option(help="Model there, or transformers:FOLDER in this process.")
    ] = None,
    llm_api_key_file: Annotated[
        Path | None, typer.Option("--api-key-file", help="File with the endpoint's API key.")
    ] = None,
    workers: Workers = None,
    tokens: Tokens = None,
    insecure_no_auth: NoAuth = None,
    cors_origin: CorsOrigin = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    audit_log: AuditLog = None,
    config: Config = None,
) -> None:
    """Serve published corpora as an OpenAI-compatible API, without any keyset.

    Each corpus is a model. Clients need an API key (sage-rag token new), on loopback not with
    --insecure-no-auth. The server refuses to start if it can read a keyset or passphrase. Settings
    also come from SAGE_RAG_SERVE_... variables and from --config.

    Example: sage-rag serve --home home --port 8000
    """
    from sage_rag.rag_server.settings import ServeSettings

    settings = ServeSettings.load(_given(ctx), config, _flags(ctx))
    _run(_server_apps(settings), settings, settings.workers)


def _server_apps(settings: ServeSettings) -> Callable[[int], FastAPI]:
    """Return what makes the application of each process of a server."""
    import os

    from sage_rag.rag_server.access.meters import Meters
    from sage_rag.rag_server.observability.worker_metrics import WorkerMetrics

    meters, metrics = Meters(), WorkerMetrics(settings.workers)

    def app_of(worker: int) -> FastAPI:
        # Imported in the worker: the threads of a library do not survive a fork.
        from sage_rag.rag_server.app import create_app
        from sage_rag.rag_server.wiring import build_server, warnings

        services = build_server(settings, os.environ, meters)
        if worker == 1:
            for warning in warnings(services, settings.home):
                _say(warning)
        if settings.workers > 1:
            services.metrics.share(metrics, worker)
        return create_app(services)

    return app_of


def edge(
    ctx: typer.Context,
    server: Server = None,
    local: Local = None,
    sync: Sync = None,
    keyset: EdgeKeyset = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    memory: Memory = None,
    accept_rollback: AcceptRollback = None,
    host: Annotated[str | None, typer.Option(help="Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Default: 8001; 0 picks a free one.")] = None,
    policy: Annotated[
        str | None, typer.Option(help="A preset, or a file like ./mine.toml. Default: the index's.")
    ] = None,
    recognizer: Recognizers = None,
    server_api_key_file: ServerApiKeyFile = None,
    server_ca: ServerCa = None,
    timeout_s: TimeoutS = None,
    tokens: Tokens = None,
    insecure_no_auth: NoAuth = None,
    cors_origin: CorsOrigin = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    audit_log: AuditLog = None,
    expose: Expose = None,
    config: Config = None,
) -> None:
    """Connect chat clients on this machine to a server: hide names in questions, restore answers.

    Clients use http://127.0.0.1:8001/v1 in place of the server. No value that is recognised as
    private leaves in clear; if recognition fails, nothing is sent.

    Example: sage-rag edge --server http://127.0.0.1:8000 --keyset keys/clinic.keyset
    """
    from sage_rag.common.web.serving import is_loopback
    from sage_rag.rag_server.settings import EdgeSettings

    given, flags = _given(ctx), _flags(ctx)
    given["recognizers"], flags["recognizers"] = given.pop("recognizer"), flags.pop("recognizer")
    settings = EdgeSettings.load(given, config, flags)
    if not settings.expose and not is_loopback(settings.host):
        raise InputError(
            f"{settings.host} can be reached from other machines, which would read plain values",
            hint="use --host 127.0.0.1, or add --expose to allow it",
        )

    from sage_rag.rag_server.edge.app import create_edge_app
    from sage_rag.rag_server.wiring import build_edge

    _run(lambda _: create_edge_app(build_edge(settings)), settings)


def ask(
    question: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    url: Annotated[str, typer.Option(help="The edge, or a server.")] = "http://127.0.0.1:8001/v1",
    model: Annotated[str | None, typer.Option(help="The corpus. Default: the only one.")] = None,
    api_key_file: Annotated[
        Path | None,
        typer.Option(
            help="File with the API key, where one is needed.",
            envvar="SAGE_RAG_API_KEY_FILE",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the completion as JSON.")] = False,
    show_sent: Annotated[
        bool,
        typer.Option(
            "--show-sent", help="First print to stderr what the edge sends to the server."
        ),
    ] = False,
) -> None:
    """Ask one question; print the answer while it is written, then its sources.

    Example: sage-rag ask "What did Maria Keller complain about?"
    """
    import asyncio

    from sage_rag.rag_server.client import Client
    from sage_rag.rag_server.settings import secret

    if not question.strip():
        raise InputError("the question is empty", hint='sage-rag ask "What helps against a cough?"')
    key = secret(None, api_key_file)
    client = Client(url, api_key=key.get_secret_value() if key else "none")
    asyncio.run(_ask(client, question, model, as_json=as_json, show_sent=show_sent))


async def _ask(
    client: Client, question: str, model: str | None, *, as_json: bool, show_sent: bool
) -> None:
    import json

    async with client:
        corpus = model or await client.only_model()
        if show_sent:
            _say(f"sent: {await client.pseudonymize(corpus, question)}")
        if as_json:
            completion = await client.complete(corpus, question)
            _print(json.dumps(completion, ensure_ascii=False, indent=2), sys.stdout)
            return
        async for piece in client.stream(corpus, question):
            _print(piece, sys.stdout, nl=False)
        _print("", sys.stdout)
        for citation in client.citations:
            _print(f"[{citation['index']}] {citation['source']}", sys.stdout)
