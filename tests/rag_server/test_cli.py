import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
import typer

from sage_rag.privacy.exceptions import KeysetError
from sage_rag.rag_server.cli import GROUP, run

group = typer.Typer(help="A group.")


@group.command()
def inner() -> None:
    typer.echo("inner")


@group.command()
def other() -> None:
    typer.echo("other")


def plain(name: str = "x") -> None:
    """Do a plain thing
    over two lines.

    Example: sage-rag plain --name y
    """
    typer.echo(f"plain {name}")


def known_failure() -> None:
    raise KeysetError("the keyset\ndoes not open", hint="try again")


def unknown_failure() -> None:
    private = "Maria Keller"
    raise RuntimeError(f"cannot analyse {private}")


def interrupted() -> None:
    raise KeyboardInterrupt


def verb(name: str, attribute: str | None = None) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{attribute or name}", GROUP)


VERBS = [
    verb("zebra", "plain"),
    verb("ask", "plain"),
    verb("keys", "group"),
    verb("absent", "not_there"),
    EntryPoint("broken", "sage_rag.rag_server.no_such_module:verb", GROUP),
    verb("known", "known_failure"),
    verb("unknown", "unknown_failure"),
    verb("interrupted"),
]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])


def test_help_lists_every_verb_in_order_though_one_is_broken(capsys):
    assert run(["--help"], VERBS) == 0
    shown = capsys.readouterr().out
    names = ["keys", "ask", "absent", "broken", "interrupted", "known", "unknown", "zebra"]
    places = [shown.index(f"│ {name} ") for name in names]
    assert places == sorted(places)


def test_groups_and_functions_both_run(capsys):
    assert run(["keys", "inner"], VERBS) == 0
    assert run(["ask", "--name", "y"], VERBS) == 0
    assert capsys.readouterr().out == "inner\nplain y\n"


def test_the_example_of_a_docstring_stands_at_the_end_of_its_help(capsys):
    run(["ask", "--help"], VERBS)
    shown = capsys.readouterr().out
    assert "Do a plain thing over two lines." in shown
    assert shown.rstrip().endswith("Example: sage-rag plain --name y")


def test_a_known_failure_is_one_line_a_hint_and_its_exit_code(capsys):
    assert run(["known"], VERBS) == 3
    assert capsys.readouterr().err == "error: the keyset does not open\nhint: try again\n"


def test_an_unknown_failure_names_its_type_only(capsys, monkeypatch):
    monkeypatch.delenv("SAGE_RAG_DEBUG", raising=False)
    assert run(["unknown"], VERBS) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("error: unexpected RuntimeError\nhint: ")
    assert "SAGE_RAG_DEBUG=1" in shown
    assert "Keller" not in shown


def test_the_traceback_shows_when_asked_for_but_never_local_variables(capsys, monkeypatch):
    monkeypatch.setenv("SAGE_RAG_DEBUG", "1")
    assert run(["unknown"], VERBS) == 1
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "private =" not in shown.replace('private = "Maria Keller"', "")


def test_a_broken_verb_says_what_is_missing(capsys):
    assert run(["broken", "--any", "option"], VERBS) == 1
    shown = capsys.readouterr().err
    assert "`broken` cannot be loaded" in shown
    assert "sage_rag.rag_server.no_such_module" in shown
    assert run(["broken", "--help"], VERBS) == 0


@pytest.mark.parametrize("line", [["nope"], ["ask", "--nope"], ["keys", "nope"], []])
def test_a_usage_error_exits_with_2(line, capsys):
    assert run(line, VERBS) == 2


def test_an_interrupt_exits_with_130(capsys):
    assert run(["interrupted"], VERBS) == 130
    assert capsys.readouterr().err == "stopped\n"


def test_the_version_is_printed(capsys):
    assert run(["--version"], VERBS) == 0
    assert capsys.readouterr().out.startswith("sage-rag ")


@pytest.mark.parametrize("module", ["sage_rag.rag_server", "sage_rag.rag_server.cli"])
def test_the_modules_run_the_command(module):
    line = [sys.executable, "-m", module, "no-such-verb"]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "no-such-verb" in ended.stderr


def test_a_reader_that_goes_away_makes_no_noise():
    program = "import sys; from sage_rag.rag_server.cli import main; main(['--help'])"
    line = f'{sys.executable} -c "{program}" | true'
    ended = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)
    assert ended.stderr == ""


def test_a_process_that_crashes_leaves_no_core_dump() -> None:
    code = """
import resource, sys
_, most = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (most, most))
from sage_rag.rag_server.cli import main
try:
    main(["--version"])
finally:
    print(resource.getrlimit(resource.RLIMIT_CORE)[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0"
