"""No message of the page names an option or a command; all possible messages are tried."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from feedtool.check import ReadOptions
from feedtool.cli import COMMANDS as EVERY_COMMAND
from feedtool.cli import accounts
from feedtool.cli import feedtool as command
from feedtool.feeds.selection import ChosenRows, ReleasedGuard, SelectionOptions
from feedtool.model.text import LANGUAGES, Language, Translator, catalogue, joined, tr
from feedtool.page.texts import (
    COMMANDS,
    OTHERWISE,
    PageTranslator,
    is_of_terminal,
    without_commands,
)
from feedtool.runs.plan_file import Account, differences
from feedtool.runs.submit import PlanBasis
from tests.messages import PACKAGES, ROOT

OF_ACCOUNTS = re.findall(r"from feedtool\.cli\.(\w+) import", Path(accounts.__file__).read_text())
"""The modules of the commands that open accounts for the page."""

ELSEWHERE = (
    *("areas/legacy/conversions", "areas/offers/changes/undo", "page/access", "report/text"),
    *("runs/convert", "runs/diff", "runs/fixes", "runs/request_files", "runs/undo"),
)
"""Modules of messages that the page does not show, by their beginnings."""

TYPED = {
    "--{option} needs --dry-run",
    "--changed-only needs to know whose offers are meant",
    "--expect-removals needs --purge-and-replace",
    "--out and --in-place contradict each other",
    "--out names one file, and there are several inputs",
    "--out names one workbook, and rows of {count} files are to be corrected",
    (
        "--purge-and-replace has to be typed: it is not taken from the environment or from "
        "feedtool.toml"
    ),
    "--reason needs --release",
    "--rows selects rows of one file, and there are several files",
    "--save-plan and --plan contradict each other",
    "--save-plan needs --dry-run",
    "`validate {option}` can {do_so}.",
    "more offers would be removed than the {most:,} of --expect-removals: {text}",
    "{count:,} more, of other fields or for other reasons: see --format json",
}
"""Messages of what was typed into a terminal, or is read there."""

ADVICE = {"GO_ON", "SEARCH", "_SEARCH", "ways", "what"}
"""Names of advice; all others have `hint` in their names."""


class Said(NamedTuple):
    """A message in the code."""

    place: str
    forms: tuple[str, ...]
    is_advice: bool
    """True if it says what to do, which may be left out: then whom to ask is said."""


OF_TERMINAL = re.compile(rf"""--[a-z]|FEEDTOOL_|\bfeedtool[ "']|`({"|".join(COMMANDS)})\b|`["']""")
"""In the source of each module that has a message about an option or a command."""


def messages_in(path: Path) -> Iterator[Said]:
    """The messages of a module, each with whether it is an advice.

    None of one that has no message about the terminal, nor of a statement that has none: to look
    through all takes long.
    """
    source = path.read_text("utf-8")
    if not OF_TERMINAL.search(source) or not re.search(r"\b(tr|plural)\(", source):
        return
    nodes: list[ast.AST] = [*statements_of_terminal(ast.parse(source).body, source.splitlines())]
    parents: dict[ast.AST, ast.AST] = {}
    for node in nodes:  # which grows by those within each
        within = [*children_of(node)]
        parents.update(dict.fromkeys(within, node))
        nodes += within
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant(str(one)), *_]):
                forms: tuple[str, ...] = (one,)
            case ast.Call(
                func=ast.Name(id="plural"),
                args=[ast.Constant(str(one)), ast.Constant(str(many)), *_],
            ):
                forms = one, many
            case _:
                continue
        place = f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
        yield Said(place, forms, is_advice(node, parents))


def statements_of_terminal(body: Iterable[ast.stmt], lines: list[str]) -> Iterator[ast.stmt]:
    """The statements of a module, and of its classes, whose source has what is of the terminal."""
    for each in body:
        first = min(it.lineno for it in (each, *getattr(each, "decorator_list", ())))
        if OF_TERMINAL.search("\n".join(lines[first - 1 : each.end_lineno])):
            yield from (
                statements_of_terminal(each.body, lines)
                if isinstance(each, ast.ClassDef)
                else [each]
            )


def children_of(node: ast.AST) -> Iterator[ast.AST]:
    for child in vars(node).values():  # `ast.iter_child_nodes` takes longer
        if isinstance(child, list):
            yield from (each for each in child if isinstance(each, ast.AST))
        elif isinstance(child, ast.AST) and not isinstance(child, ast.expr_context):
            yield child


def is_advice(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """True of the second argument of an error, and of what is called a hint."""
    above = node
    while not isinstance(above, ast.stmt):
        child, above = above, parents[above]
        if isinstance(above, ast.Call) and child in above.args:
            name = above.func.id if isinstance(above.func, ast.Name) else ""
            if name[:1].isupper():
                return above.args.index(child) > 0  # it is among them
    names = {it.id for it in ast.walk(above) if isinstance(it, ast.Name)}
    return bool(names & ADVICE) or any("hint" in name.casefold() for name in names)


@cache
def reachable() -> list[Said]:
    """The messages in the code that the page may say, with all that are of the terminal."""
    return [*every_said()]


def every_said() -> Iterator[Said]:
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            is_of_command = package.name == "cli" and path.stem not in OF_ACCOUNTS
            is_elsewhere = package.name in {"watch", "worker"} or place.startswith(ELSEWHERE)
            if not is_of_command and not is_elsewhere:
                yield from messages_in(path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_fits_a_page_without_a_terminal(language: Language) -> None:
    say, usual = PageTranslator(language), Translator(language)
    tried, failed = 0, []
    for place, forms, is_only_advice in reachable():
        if not any(map(is_of_terminal, (*forms, *usual.forms(forms)))):
            continue
        tried += 1
        told = say.forms(forms)
        is_lost = not all(told) and not is_only_advice and forms[0] not in TYPED
        if is_lost or any(map(is_of_terminal, told)):
            failed.append((place, forms, told))
    assert failed == []
    assert tried > 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_names_a_command_only_where_the_message_does(language: Language) -> None:
    """So the English source of a module tells whether it has messages about the terminal."""
    for message, forms in catalogue(language).items():
        assert is_of_terminal(message) or not any(map(is_of_terminal, forms)), message


def test_no_module_that_is_left_out_is_one_of_the_page() -> None:
    modules = {place.replace("/", ".") for place in ELSEWHERE}
    for path in (ROOT / "page").rglob("*.py"):
        imported = re.findall(r"from feedtool\.([\w.]+) import", path.read_text("utf-8"))
        others = [name for name in imported if any(name.startswith(it) for it in modules)]
        assert others in ([], ["page.access"]), path


def test_each_command_and_option_is_known() -> None:
    assert set(COMMANDS) == {name.split()[0] for name in EVERY_COMMAND}
    options = {
        option
        for each in command.every()
        for parameter in each.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert OTHERWISE.keys() <= options | catalogue("fr").keys()
    assert not any(map(is_of_terminal, OTHERWISE.values()))


CUT = {
    "Make room, or write elsewhere with --out.": "Make room",
    "leave it out, or name the guard with --release": "leave it out",
    "name another with --home, or move the file away": "move the file away",
    "look at --seller; nothing was written": "nothing was written",
    "It was; `feedtool status` counts. See the page.": "It was. See the page.",
    "`runs` lists them": "",
    "FEEDTOOL_TOKEN in the environment": "",
    # Fields of an export's form are called so beside them.
    "--open and --closed do not go together": "--open and --closed do not go together",
    "It is gone: feedtool keeps nothing else.": "It is gone: feedtool keeps nothing else.",
    "Write 2-5,9 or a--b.": "Write 2-5,9 or a--b.",
}


@pytest.mark.parametrize("text", CUT)
def test_parts_for_a_terminal_are_cut_out(text: str) -> None:
    assert without_commands(text) == CUT[text]


def test_values_are_shown_unchanged() -> None:
    say = PageTranslator("fr")
    text = tr("{name} has no header in row {row}", name="my --rows.csv", row=3)
    assert "my --rows.csv" in say(text)
    inner = tr("if it is meant: submit it with --release {code}", code="price-factor")
    assert say(joined(("--price", inner), "; ")) == (
        "--price\u00a0; si c'est voulu, elle peut être envoyée quand même"
    )


MARK = (
    "let feedtool map write a recipe that leaves such rows out by [not_for_sale], or says"
    ' "{header}" = false'
)


@pytest.mark.parametrize(
    "before", ["", "name the column action, with Upsert, Update or Delete; or "]
)
def test_a_column_that_says_what_is_for_sale_is_explained_here(before: str) -> None:
    assert PageTranslator("en")(tr(before + MARK, header="Actif")) == (
        f"{before}say under “Columns” what it is"
    )


def test_the_reasons_of_an_unfit_plan_use_the_page_s_words() -> None:
    reading = ReadOptions(
        kind="offers-upsert",
        channel="B",
        purges=True,
        sheets=("A",),
        as_rows=(4,),
        defaults={"preparationTime": "2"},
    )
    selection = SelectionOptions(
        changed_only=True,
        prefer_update=True,
        released=(ReleasedGuard("price-factor"),),
        rows=(ChosenRows("a.csv", None, "2"),),
    )
    whole = PlanBasis(reading, selection, Account("a", "1", "shop"), True, "list.toml")
    bare = PlanBasis(ReadOptions(), SelectionOptions(), Account("b", "2", "mall"))
    reasons = [*differences(whole.conditions([]), bare.conditions([]))]
    assert sum("--" in reason for reason in reasons) == 12
    for language in LANGUAGES:
        told = [PageTranslator(language)(reason) for reason in reasons]
        assert [text for text in told if "--" in text or not text.strip()] == []
    assert "--rows was 2, and is not set" in reasons
    assert "the choice of rows was 2, and is not set" in map(PageTranslator("en"), reasons)
    assert "le vendeur était 1, et est 2" in map(PageTranslator("fr"), reasons)
