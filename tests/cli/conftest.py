"""The command line in-process: arguments in, exit code, stdout and stderr out."""

import io
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest

from feedtool.cli import run


class Ran(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What `--format json` printed."""
        return json.loads(self.out)

    @property
    def only(self) -> dict[str, Any]:
        """The only object of the list that `--format json` printed."""
        (found,) = self.json
        assert isinstance(found, dict)
        return found

    def error(self) -> tuple[str, str]:
        """The one line that says what stopped it, and the one that says what to do."""
        assert "Traceback" not in self.err + self.out
        errors, helps = (
            [line.removeprefix(label) for line in self.err.splitlines() if line.startswith(label)]
            for label in ("error: ", "help: ")
        )
        assert len(errors) == len(helps) == 1, self.err
        return errors[0], helps[0]


class Feedtool(Protocol):
    """`feedtool ARGUMENTS`; the first of them may be several words."""

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> Ran: ...


def enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on commands run in this folder, with a home and an environment of its own."""
    for name in [name for name in os.environ if name.startswith("FEEDTOOL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FEEDTOOL_HOME", str(folder / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "settings"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(folder)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)


def made_by(folder: Path, *commands: str) -> Path:
    """The home that commands leave which run in a folder, to be copied by many tests."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        enter(folder, monkeypatch)
        for command in commands:
            assert run(command.split()) == 0
    return folder / "home"


@pytest.fixture(scope="session")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with all of the sandbox's catalogue, which takes seconds to bring."""
    home = made_by(tmp_path_factory.mktemp("synced"), "catalog sync --sandbox")
    return home / "catalog.sqlite"


@pytest.fixture
def catalogue(synced: Path, tmp_path: Path) -> None:
    """The test's own home is as `catalog sync --sandbox` leaves it."""
    (tmp_path / "home").mkdir()
    shutil.copy(synced, tmp_path / "home")


@pytest.fixture
def feedtool(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    def command(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        words = shlex.split(str(arguments[0])) if arguments else []
        code = run([*words, *map(str, arguments[1:])])
        return Ran(code, *capsys.readouterr())

    return command
