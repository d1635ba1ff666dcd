"""The pages are true: their examples run here, their links and commands exist."""

import io
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from itertools import chain
from pathlib import Path
from unittest import mock

import click
import pytest
from packaging.requirements import Requirement

from feedtool import cli
from feedtool.areas.registry import load
from feedtool.cli import feedtool, output
from feedtool.model.call import Budget
from feedtool.model.text import read_po
from feedtool.runs import config
from tests import run
from tests.clocks import quick_clock
from tests.forked import forking

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for pattern in ("README.md", "docs/**/*.md", "feedtool/areas/*/README.md")
    for path in sorted(ROOT.glob(pattern))
}
README = PAGES["README.md"]
TASKS = "README.md#tasks"
LONGEST_README = 12 * 1024
LARGEST_PICTURE = 150 * 1024
OTHERS = {"--unix-socket", "--help", "--help-all", "--version", "--shuffle", *run.OWN}
"""Options of curl, of all commands, and of tests/run.py."""
ANYTHING = "..."
Shell = Callable[[str, Path], str]
PLAIN = re.compile(r"""feedtool ([^;|<>"'$*\n]+?)(?: > (\S+))?(; echo "exit code \$\?")?""")
"""A command of feedtool without anything that only a shell can do; its file, its exit code."""


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.DOTALL | re.MULTILINE)


def examples(page: str) -> list[tuple[str, str]]:
    """Each command of the console blocks, with the output that is shown under it."""
    session = "".join(blocks(page, "console"))
    parts = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def as_pattern(shown: str) -> str:
    """The output as a pattern: `...` alone on a line matches any lines, blanks match any blanks."""
    return "".join(
        r"(?:.*\n)*?" if line == ANYTHING else re.sub(r"(?:\\ )+", " +", re.escape(line)) + r"\n"
        for line in shown.splitlines()
    )


def links(page: str) -> Iterator[str]:
    """The targets of a page's links as `PATH#ANCHOR`, from the root of the repository."""
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        path, _, anchor = target.partition("#")
        place = os.path.normpath(Path(page).parent / path) if path else page
        yield f"{place}#{anchor}" if anchor else place


@cache
def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def leads_somewhere(link: str) -> bool:
    path, _, anchor = link.partition("#")
    return anchor in anchors(path) if anchor else (ROOT / path).exists()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a reader who follows a page from its beginning to its end."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    return tmp_path


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """The reader's shell: runs a command in the reader's folder and returns what it printed.

    A plain command of feedtool runs in this process, which has imported all, any other in bash.
    """
    tools = tmp_path_factory.mktemp("bin")
    path = (str(tools), sysconfig.get_path("scripts"), os.environ["PATH"])
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("FEEDTOOL_")},
        "PATH": os.pathsep.join(path),
        "COLUMNS": "80",
        "PYTHONUNBUFFERED": "1",
    }

    def run(command: str, folder: Path) -> str:
        home = {**environment, "FEEDTOOL_HOME": str(folder / "home")}
        if plain := PLAIN.fullmatch(command):
            with mock.patch.dict(os.environ, home, clear=True), chdir(folder):
                return printed_by(*plain.groups())
        done = subprocess.run(  # noqa: S603  # the page's own commands
            ["/bin/bash", "-c", command],
            cwd=folder,
            env=home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=600,
        )
        return done.stdout

    with forking(tools, "tests.resume.runner:in_quick_time"):
        yield run


def printed_by(words: str, file: str | None, code: str | None) -> str:
    """The output of a plain command: of feedtool, and of the `echo` of its exit code."""
    printed, kept = io.BytesIO(), io.BytesIO()
    errors = io.TextIOWrapper(printed, "utf-8", write_through=True)
    out = io.TextIOWrapper(kept, "utf-8", write_through=True) if file else errors
    with (
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
        redirect_stdout(out),
        redirect_stderr(errors),
        # Progress is shown only if a command takes long.
        mock.patch.object(output, "LINE_INTERVAL", math.inf),
    ):
        ended = cli.run(shlex.split(words), quick_clock())
    if file:
        Path(file).write_bytes(kept.getvalue())
    shown = printed.getvalue().decode()
    return f"{shown}exit code {ended}\n" if code else shown


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)])
def test_examples_are_as_shown(page: str, folder: Path, shell: Shell) -> None:
    for command, shown in examples(page):
        printed = shell(command, folder).replace("\u00a0", " ")
        is_as_shown = re.fullmatch(as_pattern(shown), printed) is not None
        assert is_as_shown, f"{page} shows\n{shown}\nof `{command}`, which says\n{printed}"


def test_the_nightly_job_does_its_work(folder: Path, shell: Shell) -> None:
    (job,) = blocks("docs/terminal.md", "bash")
    folders = [folder / name for name in ("answers", "done", "outbox", "to-correct")]
    for each in folders:
        each.mkdir()
    shutil.copy(ROOT / "samples" / "offers-upsert.xlsx", folder / "outbox")
    shell(job.replace("--profile shop", "--sandbox"), folder)
    assert sorted(
        path.relative_to(folder).as_posix() for each in folders for path in each.iterdir()
    ) == [
        "answers/offers-upsert.failed.xlsx",
        "answers/offers-upsert.xlsx",
        "answers/offers-upsert.xlsx.html",
        "to-correct/offers-upsert.xlsx",
    ]


def test_ci_runs_the_command_of_all_tests_and_checks() -> None:
    section = README.partition("## Run all tests and checks\n\n```bash\n")[2]
    command = section.partition("\n")[0]
    assert command.endswith("tests/run.py")
    assert command in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()


def test_every_dependency_is_locked_within_its_range() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    locked = [Requirement(line) for line in lines if not line.startswith("#")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    for text in (*project["dependencies"], *extras):
        required = Requirement(text)
        name = required.name.replace("_", "-")
        pins = [str(pin.specifier) for pin in locked if pin.name == name]
        versions = [pin.removeprefix("==") for pin in pins]
        assert versions, required.name
        assert all(version in required.specifier for version in versions), required.name


def test_the_configurations_shown_are_some(tmp_path: Path) -> None:
    shown, seller, budgets = blocks("docs/account.md", "toml")
    file, other = tmp_path / config.FILE, tmp_path / "sellers/shop-17.toml"
    file.write_text(budgets, "utf-8")
    assert config.load(file).profile("other").budget == Budget("operator-eu", 20, 5)
    file.write_text(shown, "utf-8")
    other.parent.mkdir()
    other.write_text(seller, "utf-8")
    loaded = config.load(file).with_folder(other.parent)
    assert loaded.profile("shop-17").account["token_file"] == str(other.parent / "secrets/shop-17")
    profile = loaded.profile("shop")
    assert profile.account == {
        name: text
        for name, text in tomllib.loads(shown)["profile"]["shop"].items()
        if name != "columns"
    }
    columns = load().feeds["offers-upsert"].sheet.understood(profile.dialect)
    assert set(profile.dialect.columns.values()) <= {column.key for column in columns}


def test_the_profiles_and_commands_of_many_sellers_are_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (shown,) = blocks("docs/fleet.md", "toml")
    (file := tmp_path / config.FILE).write_text(shown, "utf-8")
    loaded = config.load(file)
    accounts = {name: dict(loaded.profile(name).account) for name in loaded.profiles}
    assert accounts == tomllib.loads(shown)["profile"]
    for line in "".join(blocks("docs/fleet.md", "bash")).splitlines():
        program, name, *words = line.split()
        with click.Context(feedtool) as above:
            command = feedtool.get_command(above, name)
            assert command
            assert command.make_context(name, words, above).args == []
            assert program == "feedtool"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    assert [link for link in links(page) if not leads_somewhere(link)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != "README.md"])
def test_readme_and_page_link_to_each_other(page: str) -> None:
    assert page in links("README.md")
    assert TASKS in links(page)


@cache
def options_of_all_commands() -> set[str]:
    options = [option for command in feedtool.every() for option in command.params]
    return {name for option in options for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("page", PAGES)
def test_options_named_exist(page: str) -> None:
    options_named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGES[page]))
    assert options_named <= options_of_all_commands() | OTHERS


@pytest.mark.parametrize("page", PAGES)
def test_rows_of_tables_have_the_cells_of_their_headings(page: str) -> None:
    tables = re.findall(r"(?:^\|.*\|\n)+", PAGES[page], re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1, table


def test_pages_and_messages_keep_to_the_glossary() -> None:
    texts = {**PAGES, "glossary.toml": (ROOT / "feedtool/report/glossary.toml").read_text("utf-8")}
    for path in (*ROOT.glob("feedtool/**/locale/fr/*.po"), *ROOT.glob("feedtool/**/problems.md")):
        content = path.read_text("utf-8")
        texts[str(path)] = " ".join(map(str, read_po(content))) if path.suffix == ".po" else content
    banned = re.compile(r"\b(mend\w*|mandatory|struck price)\b", re.IGNORECASE)
    found = {name: banned.findall(text) for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_an_option_is_explained_once() -> None:
    explained = re.findall(r"^\| `-.*$", PAGES["docs/reference/commands.md"], re.MULTILINE)
    assert len(explained) == len(set(explained))


def test_readme_is_short_and_the_picture_is_small() -> None:
    assert len(README.encode()) <= LONGEST_README
    assert 0 < (ROOT / "docs" / "annotated.png").stat().st_size <= LARGEST_PICTURE
