"""README.md says what is so: its examples run here, and its commands are those that CI runs."""

import os
import re
import shutil
import subprocess
import sysconfig
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.model.nouns import Status
from feedtool.runs import config
from tests.forked import forking

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
ANYTHING = "..."
Shell = Callable[[str], str]


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, without their indentation."""
    found = re.finditer(rf"^( *)```{language}\n(.*?)^ *```$", README, re.DOTALL | re.MULTILINE)
    return [re.sub(f"^{match[1]}", "", match[2], flags=re.MULTILINE) for match in found]


def examples() -> list[tuple[str, str]]:
    """Each command of the console blocks, with the output that is shown under it."""
    session = "".join(blocks("console"))
    parts = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def as_pattern(shown: str) -> str:
    """The output as a pattern: `...` alone stands for any lines or none, blanks for any blanks."""
    return "".join(
        r"(?:.*\n)*?" if line == ANYTHING else re.sub(r"(?:\\ )+", " +", re.escape(line)) + r"\n"
        for line in shown.splitlines()
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader stands who follows the page from its top to its end."""
    place = tmp_path_factory.mktemp("reader")
    shutil.copytree(ROOT / "samples", place / "samples")
    return place


@pytest.fixture(scope="module")
def shell(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """The reader's shell: runs a command there, and gives what it printed."""
    tools = tmp_path_factory.mktemp("bin")
    path = (str(tools), sysconfig.get_path("scripts"), os.environ["PATH"])
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("FEEDTOOL_")},
        "PATH": os.pathsep.join(path),
        "FEEDTOOL_HOME": str(folder / "home"),
        "COLUMNS": "80",
        "PYTHONUNBUFFERED": "1",
    }

    def run(command: str) -> str:
        done = subprocess.run(  # noqa: S603  # the page's own commands
            ["/bin/bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=600,
        )
        return done.stdout

    with forking(tools, environment):
        yield run


def test_examples_are_as_shown(shell: Shell) -> None:
    for command, shown in examples():
        printed = shell(command)
        is_as_shown = re.fullmatch(as_pattern(shown), printed) is not None
        assert is_as_shown, f"README.md shows\n{shown}\nof `{command}`, which says\n{printed}"


def test_the_nightly_job_does_its_work(folder: Path, shell: Shell) -> None:
    (job,) = (block for block in blocks("bash") if block.startswith("for file in outbox/"))
    folders = [folder / name for name in ("answers", "done", "outbox", "to-correct")]
    for one in folders:
        one.mkdir()
    shutil.copy(ROOT / "samples" / "offers-upsert.xlsx", folder / "outbox")
    shell(job.replace("--profile shop", "--sandbox"))
    assert sorted(
        path.relative_to(folder).as_posix() for one in folders for path in one.iterdir()
    ) == [
        "answers/offers-upsert.xlsx",
        "answers/offers-upsert.xlsx.html",
        "to-correct/offers-upsert.xlsx",
    ]


def test_statuses_are_those_of_the_annotated_copy() -> None:
    table = README.partition("| Status | ")[2].partition("\n\n")[0]
    assert set(re.findall(r"^ *\| `(\w+)`", table, re.MULTILINE)) <= {
        status.value for status in Status
    }


def test_ci_runs_the_command_of_all_tests_and_checks() -> None:
    section = README.partition("## Run all tests and checks\n\n```bash\n")[2]
    command = section.partition("\n")[0]
    assert command.endswith("tests/run.py")
    assert command in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()


def test_the_configuration_shown_is_one(tmp_path: Path) -> None:
    (shown,) = blocks("toml")
    file = tmp_path / config.FILE
    file.write_text(shown, "utf-8")
    profile = config.load(file).profile("shop")
    assert profile.account == {
        name: text
        for name, text in tomllib.loads(shown)["profile"]["shop"].items()
        if name != "columns"
    }
    columns = load().feeds["offers-upsert"].understood(profile.dialect)
    assert set(profile.dialect.columns.values()) <= {column.key for column in columns}


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
