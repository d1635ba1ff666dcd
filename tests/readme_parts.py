"""The parts of README.md that are made from the code; cog puts them there, and checks them."""

import ast
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import click
from click.testing import CliRunner

from feedtool.cli import feedtool
from feedtool.model import errors
from feedtool.model.errors import Exit, FileProblem
from feedtool.report.codes import all_codes
from tests import decisions_drawn

WIDTH = 80


def helps() -> str:
    """What `--help` says of every command."""
    return "\n".join(
        f"### {' '.join(words)}\n\n```text\n{_help(words)}\n```\n"
        for words in _commands(feedtool, ("feedtool",))
    )


def exit_codes() -> str:
    """The exit codes, each with what its docstring says."""
    meanings = {
        Exit.OK: "Every row accepted; where nothing is sent, every row valid.",
        **_meanings(),
    }
    return _table(("Exit code", "Means"), ((str(int(code)), meanings[code]) for code in Exit))


def zips() -> str:
    """The decisions on a legacy zip."""
    return _table(("Phase", "Step", "Answer → then"), decisions_drawn.zips())


def batches() -> str:
    """What follows on each answer, phase by phase, of a batch of products."""
    return _table(("Phase", "Step", "Answer → then"), decisions_drawn.batches())


def requests() -> str:
    """What follows on each answer, phase by phase, of a single request."""
    return _table(("Phase", "Step", "Answer → then"), decisions_drawn.requests())


def decisions() -> str:
    """What is done with a package in each phase, and what each answer makes of it."""
    return _table(("Phase", "Step", "Answer → then"), decisions_drawn.table())


def codes_of_files() -> str:
    """The codes of files that cannot be read at all."""
    codes = all_codes()  # first, since it imports what declares them
    of_files = _of_files(FileProblem)
    return _codes(name for name in codes if name in of_files)


def codes_of_rows() -> str:
    """The codes of cells, rows and sheets."""
    codes = all_codes()
    of_files = _of_files(FileProblem)
    return _codes(name for name in codes if name not in of_files)


def _codes(names: Iterable[str]) -> str:
    rows = (
        (f"`{name}`", all_codes()[name].severity.value, _summary(all_codes()[name].page))
        for name in names
    )
    return _table(("Code", "Severity", "Means"), rows)


def _summary(page: str) -> str:
    return page.strip().partition("\n")[0]


def _of_files(problem: type[FileProblem]) -> set[str]:
    below = (_of_files(child) for child in problem.__subclasses__())
    return {problem.code}.union(*below)


def _commands(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The command and those below it, each as the words that call it."""
    yield words
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child:
                yield from _commands(child, (*words, name))


def _help(words: tuple[str, ...]) -> str:
    told = CliRunner().invoke(
        feedtool, [*words[1:], "--help"], prog_name="feedtool", terminal_width=WIDTH
    )
    return told.output.rstrip()


def _meanings() -> dict[Exit, str]:
    """The docstring below each exit code; Python forgets them, so they are read from the source."""
    tree = ast.parse(Path(errors.__file__).read_text("utf-8"))
    body = next(
        node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Exit"
    )
    return {
        Exit[name.id]: text
        for assigned, below in pairwise(body)
        if isinstance(assigned, ast.Assign) and isinstance(name := assigned.targets[0], ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(text := below.value.value, str)
    }


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
