"""The root command `sage-rag`. Packages register its verbs as entry points."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.unicode_text import without_controls

GROUP = "sage_rag.commands"
ORDER = (
    *("keys", "protect", "restore"),
    *("index", "review", "rekey", "serve", "edge", "ask"),
    *("synthesize", "train", "attack", "demo", "doctor"),
)
DEBUG = "SAGE_RAG_DEBUG"
_INTERRUPTED = 130
"""The exit code after Ctrl-C, as of a program that SIGINT ends; typer exits with it, too."""

_SUMMARY = """Chat with private documents over an index that an untrusted server can hold.

Start with: sage-rag demo
"""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with 0 or the failure's exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _refuse_core_dumps()
    sys.exit(run(arguments, metadata.entry_points(group=GROUP)))


def _refuse_core_dumps() -> None:
    """Write no memory to the disk when a process crashes: it holds keys, or plain values."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def run(arguments: Sequence[str], verbs: Iterable[metadata.EntryPoint]) -> int:
    """Run one command line over the given verbs and return the exit code."""
    try:
        try:
            _command(verbs, arguments).main(list(arguments), prog_name="sage-rag")
        finally:
            _flush()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        return _interrupted() if code == _INTERRUPTED else code
    except SageRagError as error:
        return _report(error, error.message, error.hint, error.exit_code)
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:  # noqa: BLE001 - messages and tracebacks may hold private text
        kind = type(error).__name__
        hint = f"run again with {DEBUG}=1 for the traceback; it may show private text"
        return _report(error, f"unexpected {kind}", hint, 1)
    return 0


def build(verbs: Iterable[metadata.EntryPoint], only: str | None = None) -> typer.Typer:
    """Return the root command with its verbs; with `only`, load that verb alone."""
    app = typer.Typer(
        cls=_OrderedGroup,
        help=_SUMMARY,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        pretty_exceptions_show_locals=False,
    )
    app.callback()(_root)
    for verb in verbs:
        if only is None or verb.name == only:
            _add(app, verb)
    return app


def _command(verbs: Iterable[metadata.EntryPoint], arguments: Sequence[str]) -> Any:
    found = list(verbs)
    asked = next((argument for argument in arguments if not argument.startswith("-")), None)
    only = asked if asked in {verb.name for verb in found} else None
    return typer.main.get_command(build(found, only))


def _rank(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def _add(app: typer.Typer, verb: metadata.EntryPoint) -> None:
    try:
        loaded = verb.load()
    except Exception as error:  # noqa: BLE001 - the other verbs still work
        loaded = _broken(verb.name, error)
    if isinstance(loaded, typer.Typer):
        app.add_typer(loaded, name=verb.name)
        return
    text, example = _split_example(inspect.getdoc(loaded) or "")
    settings = getattr(loaded, "context_settings", None)
    kind = getattr(loaded, "command_class", TyperCommand)
    app.command(verb.name, cls=kind, help=text, epilog=example, context_settings=settings)(loaded)


def _split_example(text: str) -> tuple[str, str | None]:
    """Return a docstring's paragraphs, each on one line, and its example separately."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    example = paragraphs.pop() if paragraphs[-1].startswith("Example:") else None
    return "\n\n".join(paragraphs), example


def _broken(name: str, error: Exception) -> Callable[[], None]:
    """Return a verb that accepts any arguments and reports why it cannot be loaded."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    reason = f"`{missing}` is not installed" if missing else f"{type(error).__name__} on import"

    def verb() -> None:
        hint = "reinstall sage-rag, then see: sage-rag doctor"
        raise SageRagError(f"`{name}` cannot be loaded: {reason}", hint=hint) from error

    verb.__doc__ = f"(cannot be loaded: {reason})"
    tolerant = {"allow_extra_args": True, "ignore_unknown_options": True}
    verb.context_settings = tolerant  # type: ignore[attr-defined]
    return verb


class _OrderedGroup(TyperGroup):
    """List verbs in the order of `ORDER`; typer lists groups after plain commands."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=_rank)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"sage-rag {metadata.version('sage-rag')}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Accept the options before a verb."""


def _report(error: Exception, message: str, hint: str | None, code: int) -> int:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    for kind, text in (("error", message), ("hint", hint or "")):
        if line := " ".join(without_controls(text).split()):  # a server may have written it
            typer.echo(f"{kind}: {line}", err=True)
    return code


def _interrupted() -> int:
    typer.echo("stopped", err=True)
    return _INTERRUPTED


def _flush() -> None:
    """Flush stdout; a reader that has closed the pipe is not an error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
