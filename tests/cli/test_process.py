"""Behaviour of a real process: its entry points, its pipes, its last resort."""

import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE

import click
import pytest

from feedtool import __version__, cli
from feedtool.cli import console
from tests.catalogues import BRANDS, CATEGORIES, PROPERTIES, product
from tests.cli.afresh import opened
from tests.cli.conftest import Feedtool, bring
from tests.conftest import Files, offer
from tests.forked import Child
from tests.ledger.cluster import PATIENCE
from tests.pairs import sample


def process(*arguments: str, **settings: object) -> "subprocess.CompletedProcess[str]":
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | settings
    return subprocess.run(  # type: ignore[call-overload,no-any-return]  # settings are free  # noqa: S603
        [sys.executable, "-m", "feedtool", *arguments], check=False, **pipes
    )


def forked(function: str, *arguments: object) -> tuple[int | None, str, str]:
    """The code and the output of a function of `tests.cli.afresh`."""
    name = f"tests.cli.afresh:{function}"
    with Child(name, *arguments, folder=Path.cwd(), stdout=PIPE, stderr=PIPE) as child:
        out, err = child.communicate(PATIENCE)
    return child.returncode, out, err


def telling() -> dict[str, str]:
    """The environment in which Python tells of each import on stderr."""
    return {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}


BELOW = ["feedtool.areas.registry", "feedtool.check", "feedtool.runs.submit"]
"""Modules of the lower floors, which do not import the commands; they take most of the time."""


@pytest.mark.parametrize("before", sample([BELOW, []], 1), ids=["floors below", "nothing"])
def test_each_part_can_be_imported_first(before: list[str]) -> None:
    """The other tests have long imported what a command imports at its first use."""
    modules = [found.name for found in pkgutil.iter_modules(cli.__path__, "feedtool.cli.")]
    assert forked("import_each", before, modules) == (0, "", "")


def test_a_whole_run(files: Files) -> None:
    files.csv(offer(1), offer(2))
    ran = process("submit", "offers.csv", "--sandbox", env=telling())
    assert ran.returncode == 0
    assert "Integrated" in ran.stdout
    assert "\x1b" not in ran.stdout + ran.stderr
    assert Path("offers.result.csv").exists()
    assert "feedtool.runs.submit\n" in ran.stderr
    assert "openpyxl" not in ran.stderr, "slow to import, and of use only to templates"
    assert not imported_modules(SHARING, ran.stderr)


SHARING = ("obstore", "asyncssh", "procrastinate", "psycopg", "feedtool.worker")
"""Modules of use only to machines that share a ledger, a store or a place."""


def imported_modules(modules: Sequence[str], told: str) -> list[str]:
    """The modules that Python reports as imported."""
    return [module for module in modules if f" {module}\n" in told]


def test_a_watcher_imports_no_shared_parts() -> None:
    """It imports one of our own, which shows that the test would tell of others, too."""
    words = ["watch", "w", "--create", "--once", "--sandbox"]
    code, out, _ = forked("told_imports", words, SHARING, ["feedtool.runs", *SHARING])
    assert (code, out.splitlines()[-1]) == (9, "feedtool.runs")


def test_a_check_reads_bytes_and_imports_no_database_library(files: Files) -> None:
    bring(CATEGORIES, BRANDS, PROPERTIES)
    files.csv(product(), name="products.csv")
    path = files.csv(offer(sellerExternalReference="Été"))
    with path.open("rb") as source:
        command = ("validate", "-", "products.csv", "--format", "json")
        ran = process(*command, stdin=source, encoding="utf-8", env=telling())
    assert ran.returncode == 0
    assert [sheet["kind"] for sheet in json.loads(ran.stdout)] == ["offers-upsert", "products"]
    assert "feedtool.runs" in ran.stderr
    assert not imported_modules((*SHARING, "sqlalchemy"), ran.stderr)


@pytest.mark.parametrize("form", sample(["text", "jsonl", "json"], 1))
def test_a_reader_that_leaves_does_not_change_the_result(files: Files, form: str) -> None:
    # Twice what a pipe holds, so that it still writes when nobody reads any more.
    files.csv(*(offer(number, quantity="x" * 60) for number in range(700)))
    command = [sys.executable, "-m", "feedtool", "validate", "offers.csv", "-v", "--format", form]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:  # noqa: S603
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.read(10)
        running.stdout.close()
        assert b"rror" not in running.stderr.read()
    assert running.returncode == 1


SPEAKING = {"--help": "process", "validate a.csv": "forked"} | dict.fromkeys(
    ("explain", "--version", "config show", "validate b.csv"), "process"
)
"""Commands that print much or little, and whether Python starts for each of them."""


def labels_of(command: str, stdout: str) -> tuple[int | None, list[str]]:
    """The code of a command, and the labels of its lines on stderr.

    `stdout` is the path that it writes to; empty for a pipe that nobody reads.
    """
    words = command.split()
    if SPEAKING[command] == "forked":
        code, out, err = forked("run_printing", words, stdout)
        assert out == ""
    else:
        descriptor = opened(stdout)
        try:
            ran = process(*words, stdout=descriptor)
        finally:
            os.close(descriptor)
        code, err = ran.returncode, ran.stderr
    return code, [line.partition(":")[0] for line in err.splitlines()]


@pytest.mark.parametrize("command", sample(SPEAKING, 2))
def test_a_full_output_is_no_bug_and_a_gone_reader_no_failure(files: Files, command: str) -> None:
    for name in "ab":
        files.csv(offer(), name=f"{name}.csv")
    if Path("/dev/full").exists():
        assert labels_of(command, "/dev/full") == (2, ["error", "help"])
    code, labels = labels_of(command, "")
    assert (code, labels) == (0, labels and ["next"])


CLOSED = {"all streams": "<&- >&- 2>&-", "stdin": "<&-", "stdout": ">&-", "stderr": "2>&-"}


@pytest.mark.parametrize("streams", sample(CLOSED, 1))
def test_a_stream_that_is_closed_is_an_empty_one(streams: str) -> None:
    ran = subprocess.run(  # noqa: S602  # the shell is what closes streams
        f'"{sys.executable}" -m feedtool validate - {CLOSED[streams]}',
        shell=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 3
    assert b"bug" not in ran.stdout + ran.stderr


def test_a_pipe_gets_its_own_hint(feedtool: Feedtool) -> None:
    os.mkfifo("pipe.csv")
    ran = feedtool("validate pipe.csv")
    assert ran.code == 3
    assert "`- < pipe.csv`" in ran.out


HEAVY = {"httpx", "sqlalchemy", "flask", "openpyxl", "jsonschema", "lxml", "jinja2"}


def test_help_imports_no_heavy_module() -> None:
    code = "import sys; from feedtool.cli import run; run(['--help']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert HEAVY & set(ran.stdout.split()) == set()


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--token")
@click.option("--sandbox", is_flag=True)
@click.argument("files", nargs=-1)
def failing(token: str, *, sandbox: bool, files: Sequence[str]) -> None:
    """A command with a bug."""
    del token, sandbox, files
    raise ZeroDivisionError("do-not-show")


@pytest.mark.parametrize("option", ["--token ", "--token=", "--token -", "--sandbox "])
def test_a_bug_is_one_line_and_a_report_ready_to_paste(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert console.run(failing, ["submit", *f"{option}do-not-show".split()]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    error, hint = err.splitlines()
    assert error == "error: this is a bug in feedtool: ZeroDivisionError"
    assert hint.startswith("help: ")
    report = Path(hint.rpartition(" ")[2])
    text = report.read_text("utf-8")
    report.unlink()
    assert "do-not-show" not in text + err
    assert "in failing" in text
    assert __version__ in text
    assert option.rstrip(" =-") in text


ENDINGS = {
    "Ctrl-C": (KeyboardInterrupt(), 130),
    "a file that ends too early": (EOFError(), 70),
    "out of memory": (MemoryError(), 70),
    "too deep": (RecursionError(), 70),
    "a disk that fails": (OSError(5, "Input/output error"), 2),
    "a bug with a file": (OSError(5, "Input/output error", "a.csv"), 70),
}


@pytest.mark.parametrize(("reason", "code"), ENDINGS.values(), ids=ENDINGS)
def test_no_ending_shows_a_traceback(
    capsys: pytest.CaptureFixture[str], reason: BaseException, code: int
) -> None:
    @click.command()
    def ending() -> None:
        raise reason

    assert console.run(ending, []) == code
    _, err = capsys.readouterr()
    assert "Traceback" not in err
    assert len([line for line in err.splitlines() if line.startswith("error: ")]) == 1
    if code == 70:
        Path(err.rstrip().rpartition(" ")[2]).unlink()
