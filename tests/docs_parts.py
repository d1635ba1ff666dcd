"""The parts of README.md and docs/ that are generated from the code; cog inserts them."""

import inspect
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib import import_module
from itertools import takewhile
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import asdict

from feedtool.areas.registry import load
from feedtool.check.fixes import all_fixes
from feedtool.check.recipes import recipe
from feedtool.check.recipes.functions import FUNCTIONS
from feedtool.cli import feedtool
from feedtool.ledger.sellers import Figures
from feedtool.model.call import Budget
from feedtool.model.errors import Exit, FileProblem
from feedtool.model.settings import ROOM_SETTINGS, AccountSettings
from feedtool.report.codes import BOTH, ROW, words_in
from feedtool.runs import profiles
from feedtool.runs.codes import all_codes
from feedtool.runs.config import BUDGET_BOUNDS, PageRights
from feedtool.runs.json_schema import field_docs
from feedtool.runs.sellers import families
from tests import decisions_drawn

ROOT = Path(__file__).resolve().parent.parent
TOY = ROOT / "tests/areas/toy"
ON_EVERY_COMMAND = {"help", "version"}


def exit_codes() -> str:
    """The exit codes, each with its docstring."""
    meanings = {
        Exit.OK.name: "Every row accepted; where nothing is sent, every row valid.",
        **field_docs(Exit),
    }
    return markdown_table(
        ("Exit code", "Meaning"), ((str(int(code)), meanings[code.name]) for code in Exit)
    )


def statuses() -> str:
    """The statuses of a row, each with its first line of `feedtool explain`."""
    rows = (
        (f"`{name}`", word.page)
        for name, word in words_in("en").items()
        if word.kind in {ROW, BOTH}
    )
    return markdown_table(("Status", "Meaning"), ((name, _first_line(page)) for name, page in rows))


def areas() -> str:
    """The areas: the title of the page, the kinds of sheets and the exports of each."""
    rows = []
    for area in load().areas:
        page = f"feedtool/areas/{area.name}/README.md"
        title = (ROOT / page).read_text("utf-8").partition("\n")[0].removeprefix("# ")
        kinds, exports = ((entry.kind for entry in part) for part in (area.feeds, area.exports()))
        rows.append((f"[{title}]({page})", listed(kinds), listed(exports)))
    return markdown_table(("Page", "Kinds of sheets", "Exports"), rows)


def kinds(area: str) -> str:
    """The kinds of sheet of an area, each with its summary."""
    feeds = next(known.feeds for known in load().areas if known.name == area)
    rows = ((f"`{feed.kind}`", feed.summary) for feed in feeds)
    return markdown_table(("Kind", "What its rows are"), rows)


def columns(kind: str) -> str:
    """The columns of a kind's template, in their order."""
    columns = load().feeds[kind].sheet.columns(profiles.Profile().dialect)
    rows = (
        (f"`{column.key}`", column.labels[0], column.help[0], column.example) for column in columns
    )
    return markdown_table(("Key", "Label", "What belongs in it", "Example"), rows)


def problems_of_rows() -> str:
    """The pages of the codes of cells, rows and sheets."""
    codes = all_codes().pages
    of_files = _codes_of_files(FileProblem)
    return _pages(name for name in codes if name not in of_files)


def problems_of_files() -> str:
    """The pages of the codes of files that cannot be read at all."""
    codes = all_codes().pages  # first, since it imports the modules that declare codes
    of_files = _codes_of_files(FileProblem)
    return _pages(name for name in codes if name in of_files)


def fixes() -> str:
    """The fixes, each with the option that makes it."""
    rows = (
        (f"`{fix.option}`", fix.summary)
        for fix in sorted(all_fixes(load()), key=lambda fix: not fix.is_safe)
    )
    return markdown_table(("Option", "What it does"), rows)


def commands() -> str:
    """Every command: its usage, its help, and the options that no other command has."""
    return "\n\n".join(_command(words, command) for words, command in every_command())


def shared_options() -> str:
    """The options that several commands have, grouped by these commands."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for option, names in _options().items():
        groups.setdefault(tuple(names), []).append(option)
    return "\n\n".join(
        f"Of {listed(names)}:\n\n{markdown_table(('Option', 'Meaning'), groups[names])}"
        for names in sorted(groups, key=len, reverse=True)
        if len(names) > 1
    )


def account_settings() -> str:
    """The settings of a profile that are options, too."""
    return f"{listed((*profiles.ACCOUNT, *profiles.TIMEOUTS, *profiles.FLAGS))}."


def budget_settings() -> str:
    """The settings of a budget that accounts share."""
    meanings = field_docs(Budget)
    rows = (
        (f"`{name}`", f"{least} to {most}", meanings[name])
        for name, (least, most) in BUDGET_BOUNDS.items()
    )
    return markdown_table(("Setting", "Bounds", "Meaning"), rows)


def service_settings() -> str:
    """The settings of a profile for differences of its service."""
    records = (kind for kind in load().settings if not kind.TABLE)
    kinds: tuple[type[Struct], ...] = (AccountSettings, *ROOM_SETTINGS, *records)
    meanings = {name: text for kind in kinds for name, text in field_docs(kind).items()}
    settings = profiles.all_settings(AccountSettings())
    keys = {name: value for name, value in settings.items() if not isinstance(value, Struct)}
    return _settings(keys, meanings)


def setting_tables() -> str:
    """The settings of a profile that are in tables of the configuration."""
    return "\n\n".join(
        f"## [profile.NAME.{name}]\n\n{_first_line(inspect.getdoc(table) or '')}\n\n"
        f"{_settings(asdict(table), field_docs(type(table)))}"
        for name, table in profiles.all_settings(AccountSettings()).items()
        if isinstance(table, Struct)
    )


def page_rights() -> str:
    """The settings of a user of a shared page."""
    return _settings(asdict(PageRights()), field_docs(PageRights))


def code_of_toy(name: str) -> str:
    """A module of the smallest area."""
    return f"```python\n{(TOY / name).read_text('utf-8')}```"


def metrics() -> str:
    """The figures of `/metrics`."""
    no_figures = Figures(0, None, 0, 0, 0, 0, 0, 0, {}, {})
    rows = (
        (
            f"`{family.sample}{{{family.label}}}`" if family.label else f"`{family.sample}`",
            family.kind,
            family.help,
        )
        for family in families(no_figures, datetime.now(UTC))
    )
    return markdown_table(("Figure", "Kind", "What it is"), rows)


def recipe_tables() -> str:
    """The tables of a recipe, and the keys of tables whose keys are fixed."""
    meanings = field_docs(recipe.RecipeFile)
    tables = ((f"`[{name}]`", meaning) for name, meaning in meanings.items())
    keys = (
        (f"`[{table}] {name}`", meaning)
        for table, kind in (("match", recipe.Match), ("join.NAME", recipe.Join))
        for name, meaning in field_docs(kind).items()
    )
    return markdown_table(("Place", "What stands there"), (*tables, *keys))


def functions() -> str:
    rows = ((f"`{function.example}`", function.meaning) for function in FUNCTIONS.values())
    return markdown_table(("Function", "What it gives"), rows)


def presets() -> str:
    """The recipes in the package, each with the first comment of its file."""
    folder = ROOT / "feedtool/check/recipes/presets"
    rows = (
        (f"`preset:{path.stem}`", _first_comment(path.read_text("utf-8")))
        for path in sorted(folder.glob("*.toml"))
    )
    return markdown_table(("Preset", "The export that it fits"), rows)


def preset_rules() -> str:
    """The rules about rows of each recipe in the package, one table a recipe."""
    results = {
        recipe.SKIP_ROWS: "left out",
        recipe.NOT_FOR_SALE: "left out; quantity 0 where the offer was accepted before",
        recipe.OUT_OF_STOCK: "sent with quantity 0",
        recipe.WARN: "sent, with a warning",
    }
    parts = []
    for path in sorted((ROOT / "feedtool/check/recipes/presets").glob("*.toml")):
        tables = tomllib.loads(path.read_text("utf-8"))
        rows = ((reason, text) for name, text in results.items() for reason in tables.get(name, {}))
        parts.append(f"`preset:{path.stem}`\n\n{markdown_table(('Rows', 'What is done'), rows)}")
    return "\n\n".join(parts)


def _first_comment(text: str) -> str:
    lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line.removeprefix("#").strip() for line in lines)


def rooms() -> str:
    """The layers of the package from the top, and the purpose of each folder in them."""
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = configuration["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    rows = (
        (str(len(layers) - number), f"`{room}`", _purpose(f"feedtool.{room}"))
        for number, layer in enumerate(layers)
        for room in layer.split(" | ")
    )
    return markdown_table(("Floor", "Room", "What it holds"), rows)


def packages() -> str:
    return _decisions(decisions_drawn.PACKAGES)


def batches() -> str:
    return _decisions(decisions_drawn.BATCHES)


def zips() -> str:
    return _decisions(decisions_drawn.ZIPS)


def requests() -> str:
    return _decisions(decisions_drawn.REQUESTS)


def _decisions(machine: decisions_drawn.Machine) -> str:
    headings = ("Phase", "Step", "Answer → next phase")
    return markdown_table(headings, decisions_drawn.table(machine))


def _pages(names: Iterable[str]) -> str:
    codes = all_codes()
    return "\n\n".join(
        f"### {name}\n\n*{codes.pages[name].severity.value}:* {codes.page_of(name)}"
        for name in names
    )


def _codes_of_files(problem: type[FileProblem]) -> set[str]:
    below = (_codes_of_files(child) for child in problem.__subclasses__())
    return {problem.code}.union(*below)


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Each command with the words that call it; for a group its commands."""
    context = click.Context(feedtool)
    for name in feedtool.list_commands(context):
        command = feedtool.get_command(context, name)
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                subcommand = command.get_command(context, below)
                assert subcommand
                yield f"{name} {below}", subcommand
        elif command:
            yield name, command


def _command(words: str, command: click.Command) -> str:
    context = click.Context(command)
    usage = " ".join(("feedtool", words, *command.collect_usage_pieces(context)))
    only_here = [option for option in _options_of(command) if len(_options()[option]) == 1]
    shared = [option for option in _options_of(command) if len(_options()[option]) > 1]
    parts = [f"## feedtool {words}", f"`{usage}`", inspect.cleandoc(command.help or "")]
    if only_here:
        parts.append(markdown_table(("Option", "Meaning"), only_here))
    if shared:
        names = [re.findall(r"--[\w-]+", shown)[0] for shown, _ in shared]
        parts.append(f"[Shared options](#shared-options): {listed(names)}.")
    return "\n\n".join(parts)


@cache
def _options() -> Mapping[tuple[str, str], list[str]]:
    """Every option with its explanation → the commands that have it."""
    users: dict[tuple[str, str], list[str]] = {}
    for words, command in every_command():
        for option in _options_of(command):
            users.setdefault(option, []).append(words)
    return users


def _options_of(command: click.Command) -> Iterator[tuple[str, str]]:
    context = click.Context(command)
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name not in ON_EVERY_COMMAND:
            shown = parameter.get_help_record(context)
            if shown:
                yield f"`{shown[0]}`", shown[1]


def _settings(defaults: Mapping[str, object], meanings: Mapping[str, str]) -> str:
    rows = ((f"`{name}`", _toml(value), meanings.get(name, "")) for name, value in defaults.items())
    return markdown_table(("Setting", "Default", "Meaning"), rows)


def _toml(value: object) -> str:
    """A default in the notation of the configuration; empty for None."""
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return f"`{value}`"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{name} = {json.dumps(text)}" for name, text in value.items())
        return f"`{{ {pairs} }}`" if pairs else "`{}`"
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _purpose(module: str) -> str:
    """The first paragraph of a module's docstring, on one line."""
    paragraph = (inspect.getdoc(import_module(module)) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


def _first_line(page: str) -> str:
    return page.strip().partition("\n")[0]


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def markdown_table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in cells)} |" for cells in lines)


def _cell(text: str) -> str:
    # A bar would begin the next cell.
    return text.replace("|", r"\|")
