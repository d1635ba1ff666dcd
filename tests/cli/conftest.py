"""The command line in-process: arguments in, exit code, stdout and stderr out."""

import fcntl
import io
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import sandbox_parts
from feedtool.catalog import Brand, Category, Property
from feedtool.catalog.cache import FILE, Cache
from feedtool.catalog.model import Validators
from feedtool.cli import run
from feedtool.sandbox import Sandbox
from feedtool.sandbox.server import Server
from tests.areas.offers.sandbox.records import applied_requests, stored_offers
from tests.buckets import bucket, s3, store
from tests.catalogues import AT, SERVICE
from tests.clocks import quick_clock
from tests.ledger.cluster import SHARED
from tests.service.test_network import LOOPBACK

__all__ = ["bucket", "s3", "store"]

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
STATE = Path("home/sandbox.sqlite")
SAID = "said.txt"
"""The output of the command that downloaded the catalogue, in its home."""
OURS = ["feedtool status", "feedtool message", "feedtool code"]


class Ran(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The parsed output of `--format json`."""
        return json.loads(self.out)

    @property
    def only(self) -> dict[str, Any]:
        """The only object of the list that `--format json` printed."""
        (found,) = self.json
        assert isinstance(found, dict)
        return found

    @property
    def events(self) -> list[dict[str, Any]]:
        """The parsed output of `--format jsonl`."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def statuses(self) -> list[str]:
        """The status of each row of the only sheet, by `--format json`."""
        return [row["status"] for row in self.only["results"]]

    @property
    def counts(self) -> list[int]:
        """The only sheet's rows, valid, invalid and skipped ones, and warnings."""
        return [self.only[name] for name in ("rows", "valid", "invalid", "skipped", "warnings")]

    @property
    def settings(self) -> dict[str, tuple[object, str]]:
        """The value and the source of each setting, by `config show --format json`."""
        assert self.code == 0, self
        return {entry["name"]: (entry["value"], entry["source"]) for entry in self.json}

    @property
    def next(self) -> str:
        """The text of the last `next:` line, with its command, or ""."""
        last = self.err.rstrip("\n").rpartition("\n")[2]
        label, _, text = last.partition(": ")
        return text if label in {"next", "ensuite\u00a0", "después"} else ""

    @property
    def said(self) -> str:
        """The lines on stderr before the `next:` line."""
        return self.err.removesuffix(f"next: {self.next}\n")

    def error(self) -> tuple[str, str]:
        """The one line that says what stopped it, and the one that says what to do."""
        assert "Traceback" not in self.err + self.out
        errors, helps = (
            [line.partition(": ")[2] for line in self.err.splitlines() if line.startswith(label)]
            for label in (("error: ", "erreur\u00a0: "), ("help: ", "aide\u00a0: ", "ayuda: "))
        )
        assert len(errors) == len(helps) == 1, self.err
        return errors[0], helps[0]


class Feedtool(Protocol):
    """`feedtool ARGUMENTS`; the first of them may be several words."""

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> Ran: ...


def enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all further commands in this folder, with its own home and environment."""
    for name in [name for name in os.environ if name.startswith("FEEDTOOL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FEEDTOOL_HOME", str(folder / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "settings"))
    monkeypatch.setenv("COLUMNS", "200")
    # All usual certificates take a tenth of a second to read, for each address with TLS.
    monkeypatch.setenv("SSL_CERT_FILE", str(LOOPBACK))
    monkeypatch.chdir(folder)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)


def made_by(folder: Path, *commands: str, code: int = 0) -> Path:
    """The home that commands of one exit code leave in a folder, to be copied by many tests."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        enter(folder, monkeypatch)
        for command in commands:
            assert run(command.split(), quick_clock()) == code
    return folder / "home"


@pytest.fixture(scope="session")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sandbox's whole catalogue in English, which takes seconds to load.

    All processes of a run of the tests share it. A dry run has downloaded it.
    """
    place = Path(os.environ[SHARED]) / "synced"
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            submit = f"submit {SAMPLES}/products.xlsx --sandbox --dry-run --language en"
            with redirect_stderr(io.StringIO()) as said:
                home = made_by(tmp_path_factory.mktemp("synced"), submit)
            (home / SAID).write_text(said.getvalue(), "utf-8")
            shutil.move(home, place)
    return place


@pytest.fixture
def catalogue(synced: Path, tmp_path: Path) -> Path:
    """The cache in the test's own home, as `catalog sync --sandbox` leaves it."""
    home = tmp_path / "home"
    home.mkdir()
    return Path(shutil.copy(synced / FILE, home))


def bring(
    categories: Iterable[Category],
    brands: Iterable[Brand],
    properties: Mapping[str, Iterable[Property]],
    *,
    language: str = "en",
    service: str = SERVICE,
    is_whole: bool = True,
) -> Path:
    """The test's own home, with a small catalogue as if it had been brought."""
    home, categories, brands = Path("home").absolute(), list(categories), list(brands)
    home.mkdir(exist_ok=True)
    with Cache(home / FILE) as cache:
        key = cache.begin(service, language, (), AT).catalog
        cache.save(key, categories)
        cache.save(key, brands)
        for code, listed in properties.items():
            cache.save_properties(key, code, list(listed), Validators(), AT)
        if is_whole:
            cache.finish(key, references(categories), references(brands), AT)
    return home


def references(listed: Iterable[Category | Brand]) -> frozenset[str]:
    return frozenset(item.reference for item in listed)


@pytest.fixture
def feedtool(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Ran]:
    if "FEEDTOOL_HOME" not in os.environ:  # in a test that stands elsewhere
        enter(tmp_path, monkeypatch)

    def command(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        words = shlex.split(str(arguments[0])) if arguments else []
        code = run([*words, *map(str, arguments[1:])], quick_clock())
        return Ran(code, *capsys.readouterr())

    return command


class Terminal(io.TextIOWrapper):
    """A terminal or a pipe, which keeps its output."""

    def __init__(self, typed: str = "", *, is_terminal: bool = True) -> None:
        super().__init__(io.BytesIO(typed.encode()), "utf-8", "backslashreplace", newline="")
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    def shown(self) -> str:
        self.flush()
        return bytes(self.buffer.getvalue()).decode()  # type: ignore[attr-defined]  # a BytesIO


OnTerminal = Callable[..., tuple[int, str]]


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> OnTerminal:
    """Runs a command on a terminal, where somebody types an answer: exit code and stderr."""

    def command(answer: str, *arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        stderr = Terminal()
        with redirect_stderr(stderr):
            return run(list(arguments), quick_clock()), stderr.shown()

    return command


@pytest.fixture
def account() -> Iterator[tuple[str, ...]]:
    """The options of an account at a service on loopback."""
    with Server(sandbox_parts()) as server:
        yield ("--base-url", server.base, "--token", "sandbox")


def sandbox_offers(state: Path = STATE) -> list[dict[str, Any]]:
    with Sandbox(sandbox_parts(), state) as sandbox:
        return list(stored_offers(sandbox))


def applied() -> list[tuple[str | None, str]]:
    """Reference and type of each request that the embedded sandbox has applied."""
    if not STATE.exists():
        return []
    with Sandbox(sandbox_parts(), STATE) as sandbox:
        return [
            (request.reference, str(request.package_type)) for request in applied_requests(sandbox)
        ]


def rows_of(
    path: Path | str | io.BytesIO, sheet: str = "", header: int = 2
) -> list[dict[str, Any]]:
    """The rows of a sheet, or of the first, by the keys of a row; blank cells left out.

    Our own headings stand in the row above, where people read the header.
    """
    book = load_workbook(path)
    return rows_in(book[sheet] if sheet else book.worksheets[0], header)


def rows_in(sheet: Any, header: int = 2) -> list[dict[str, Any]]:
    """The rows of a sheet of an open workbook, by their keys."""
    found = sheet.iter_rows(max(header - 1, 1), values_only=True)
    labels = next(found) if header > 1 else ()
    keys = [key or label for key, label in zip_longest(next(found), labels)]
    return [
        {str(key): cell for key, cell in zip(keys, row, strict=True) if cell is not None}
        for row in found
    ]


def coloured(path: Path | str, sheet: str = "") -> set[str]:
    """The cells of a sheet, or of the first, that are marked."""
    book = load_workbook(path)
    ranges = (book[sheet] if sheet else book.worksheets[0]).conditional_formatting
    return {cell for entry in ranges for cell in str(entry.sqref).split()}
