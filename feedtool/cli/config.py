"""`feedtool config` and `feedtool explain`."""

import sys
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import asdict

from feedtool.cli import completers, feedtool
from feedtool.cli.console import CONSOLE, echo, home_path
from feedtool.cli.help import HelpfulGroup
from feedtool.cli.next_command import after_config
from feedtool.cli.options import (
    FORMAT,
    HOME,
    INSECURE_OPTION,
    ChosenProfile,
    Configuration,
    ReadingOptions,
    Showing,
    chosen,
    flag,
    json_schema,
    names_of,
)
from feedtool.cli.options_account import ConnectionOptions, Notifying
from feedtool.cli.typed import command_of
from feedtool.model.text import tr
from feedtool.report.plain import clean
from feedtool.runs.json_schema import configuration_schema
from feedtool.runs.profiles import Profile, all_settings

SECRETS = ("token", "token_command", "client_secret", "client_secret_command", "hook", "webhook")
"""A command may hold a secret as well as print one, and so may the path of an address."""

MASK = "********"
SHOWN = frozenset({"host", "port", "options", "service", "sslmode", "key", "known_hosts"})
"""Parameters of an address that are shown; any other may be a secret, or a misspelt one."""

DEFAULT = tr("default")
"""The source of a setting that nobody has set."""

Row = tuple[str, object, str]
"""A setting's name, its value, and the source of the value."""


@click.group(cls=HelpfulGroup, no_args_is_help=False)
def config() -> None:
    """Show the settings that differ from the default, and where each comes from."""


def _schema() -> dict[str, Any]:
    known: dict[str, list[dict[str, Any]]] = {}
    for parameter in (parameter for command in feedtool.every() for parameter in command.params):
        for word in parameter.opts:
            if word.startswith("--") and not parameter.is_eager and word != INSECURE_OPTION:
                known.setdefault(word.removeprefix("--"), []).append(_option_schema(parameter))
    return configuration_schema(
        {
            name.replace("-", sign): {"anyOf": forms} if len(forms) > 1 else forms[0]
            for name, every in known.items()
            for forms in [[form for nth, form in enumerate(every) if form not in every[:nth]]]
            for sign in "_-"
        }
    )


def _option_schema(parameter: click.Parameter) -> dict[str, Any]:
    """The type of an option in `[defaults]`."""
    match parameter.type:
        case click.types.BoolParamType():
            schema: dict[str, Any] = {"type": "boolean"}
        case click.Choice(choices=choices):
            schema = {"enum": list(choices)}
        case click.types.IntParamType():
            schema = {"type": "integer"}
        case click.types.FloatParamType():
            schema = {"type": "number"}
        case _:
            schema = {"type": "string"}
    if parameter.multiple:
        schema = {"type": "array", "items": schema}
    return {**schema, "description": str(getattr(parameter, "help", ""))}


SCHEMA = json_schema("feedtool.toml", _schema)


class ShowConfigOptions(Struct, frozen=True, kw_only=True):
    """Options of `config show`; it shows the settings of most of them."""

    json_schema: Annotated[None, SCHEMA] = None
    configuration: Configuration
    reading: ReadingOptions
    connection: ConnectionOptions
    notifying: Notifying
    showing: Showing
    home: Annotated[Path | None, HOME]
    form: Annotated[str, FORMAT]
    all: Annotated[
        bool, flag("--all", "Also the settings that have their default; JSON always has them.")
    ]


@command_of(ShowConfigOptions, group=config)
def show(ctx: click.Context, options: ShowConfigOptions) -> None:
    """Show the settings that differ from the default, and where each comes from.

    They are named as feedtool.toml names them; secrets are masked. Precedence: option, environment,
    feedtool.toml, default.
    """
    settings = ctx.params.keys() - {"form", "all"}
    rows = [_row(ctx, name, ctx.params[name]) for name in sorted(settings)]
    rows += [*_other_defaults(ctx), *_budget(ctx), *_dialect(ctx)]
    if options.form != "text":
        from feedtool.report.as_json import write_entries

        listed = ({"name": name, "value": value, "source": source} for name, value, source in rows)
        write_entries(listed, sys.stdout, options.form)
        return
    shown = [row for row in rows if options.all or row[2] != DEFAULT]
    if not shown:
        echo("note", tr("all settings are as they are by default; --all lists them"))
    width = max((len(name) for name, _, _ in shown), default=0)
    for name, value, source in shown:
        click.echo(f"{name:{width}}  {clean(_shown(value))}  [{clean(CONSOLE.say(source))}]")
    values = {row[0]: row[1] for row in rows}
    after_config(has_account=bool(values["base_url"] or values.get("sandbox")))


def _row(ctx: click.Context, name: str, value: object) -> Row:
    """A setting without secrets: neither a token nor a password inside an address."""
    option = next(option for option in ctx.command.params if option.name == name)
    label = max(option.opts, key=len).removeprefix("--").replace("-", "_")
    if name == "home":
        value = home_path(value if isinstance(value, Path) else None)
    shown: object = list(value) if isinstance(value, tuple) else value
    if not isinstance(shown, list | bool):
        shown = "" if value is None else str(value)
    return label, MASK if name in SECRETS and value else masked(shown), _source(ctx, name, option)


def masked(value: object) -> object:
    """A value with the secrets of all addresses in it masked."""
    if isinstance(value, list):
        return [*map(masked, value)]
    if isinstance(value, Mapping):
        return {name: masked(entry) for name, entry in value.items()}
    if not isinstance(value, str) or "://" not in value:
        return value
    scheme, _, rest = value.partition("://")
    place, mark, query = rest.partition("?")
    first = place.partition("/")[0]
    if "@" in rest and ":" in first.partition("@")[0]:
        # A password that was not escaped may contain any of these signs.
        place, mark, query = ("@" + rest.rpartition("@")[2]).partition("?")
        place = MASK + place
    elif "@" in first:
        place = f"{MASK}@{place.partition('@')[2]}"
    parts = (part.partition("=") for part in query.split("&"))
    shown = "&".join(
        "".join(part) if part[0].casefold() in SHOWN else f"{part[0] if part[1] else ''}={MASK}"
        for part in parts
    )
    return f"{scheme}://{place}{mark}{shown if mark else ''}"


def _source(ctx: click.Context, name: str, option: click.Parameter) -> str:
    state = chosen(ctx)
    match ctx.get_parameter_source(name):
        case ParameterSource.COMMANDLINE:
            return tr("option")
        case ParameterSource.ENVIRONMENT:
            return tr("environment {name}", name=option.envvar)
        case ParameterSource.DEFAULT_MAP:
            if name not in state.profile.account:
                return f"{state.config.path}, defaults"
            table = f"{state.config.path}, profile {ctx.params.get('profile')}"
            return str(state.profile.path or table)
    return DEFAULT


def _other_defaults(ctx: click.Context) -> list[Row]:
    """The settings of `[defaults]` for options that only other commands have."""
    config = chosen(ctx).config
    defaults = {name.replace("-", "_"): value for name, value in config.defaults.items()}
    options = names_of(ctx.command)
    return [
        (name, MASK if name in SECRETS else masked(value), f"{config.path}, defaults")
        for name, value in sorted(defaults.items())
        if name not in options
    ]


def _budget(ctx: click.Context) -> list[Row]:
    """The budget that the account shares with others."""
    state = chosen(ctx)
    if (budget := state.profile.budget) is None:
        return [("budget", "", DEFAULT)]
    table = f"{state.config.path}, budgets"
    limits = {"budget.per_second": budget.per_second, "budget.burst": budget.burst}
    name_row: Row = ("budget", budget.name, _of_profile(state))
    return [name_row, *((name, value, table) for name, value in limits.items())]


def _dialect(ctx: click.Context) -> list[Row]:
    """The dialect's fields; those that differ from the default come from the profile."""
    state = chosen(ctx)
    usual = _fields(all_settings(Profile().dialect))
    return [
        (name, value, DEFAULT if value == usual[name] else _of_profile(state))
        for name, value in _fields(all_settings(state.profile.dialect)).items()
    ]


def _of_profile(state: ChosenProfile) -> str:
    return str(state.profile.path or f"{state.config.path}, profile")


def _fields(settings: Mapping[str, Any], table: str = "") -> dict[str, object]:
    """Settings as the configuration writes them; a setting of a table as `table.name`."""
    values: dict[str, object] = {}
    for key, value in settings.items():
        name = f"{table}{key}"
        if isinstance(value, Struct):
            values |= _fields(asdict(value), f"{name}.")
        elif isinstance(value, tuple):
            values[name] = list(value)
        else:
            values[name] = float(value) if isinstance(value, Decimal) else value
    return values


def _shown(value: object) -> str:
    """A value as feedtool.toml writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | list) and not value:
        return CONSOLE.say(tr("none"))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_shown(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


class ExplainOptions(Struct, frozen=True, kw_only=True):
    code: Annotated[
        str | None, click.Argument(["code"], required=False, shell_complete=completers.codes)
    ]
    showing: Showing


@command_of(ExplainOptions)
def explain(_: click.Context, options: ExplainOptions) -> None:
    """Say what CODE means and how to fix it; without CODE list all problem codes and statuses.

    CODE is a problem code (gtin-checksum), a status (Rejected), a package's state, or a code of the
    service (2403, ER400-7480).
    """
    from feedtool.report.tally import SEVERITIES
    from feedtool.runs.codes import all_codes, explain_code

    if options.code:
        click.echo(explain_code(options.code, CONSOLE.say.language))
        return
    codes = all_codes(CONSOLE.say.language)
    rows = [
        (name, codes.say(SEVERITIES[page.severity]), codes.summary_of(name))
        for name, page in codes.pages.items()
    ]
    rows += [
        (name, codes.say(word.kind).split()[0], word.page.partition("\n")[0])
        for name, word in codes.words.items()
    ]
    width = max(len(kind) for _, kind, _ in rows)
    for name, kind, summary in rows:
        click.echo(f"{name:28} {kind:{width}} {summary}")
