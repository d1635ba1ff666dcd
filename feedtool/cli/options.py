"""Options that several commands share. Precedence: option, environment, feedtool.toml, default."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from feedtool.check import Asked
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import Dialect
from feedtool.runs.config import FILE, Config, Profile, load

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.selection import Sifting

F = TypeVar("F", bound=Callable[..., Any])

SANDBOX = "http://sandbox.invalid/v2"
"""What stands for the embedded sandbox's address."""

INSECURE, INSECURE_OPTION = "insecure_http", "--insecure-http"


@dataclass
class Chosen:
    """The configuration and the profile in force, on the command's context."""

    config: Config = field(default_factory=Config)
    profile: Profile = field(default_factory=Profile)


def chosen(ctx: click.Context) -> Chosen:
    """What `--config` and `--profile` chose."""
    return ctx.ensure_object(Chosen)


def option(*names: str, **settings: Any) -> Callable[[F], F]:
    """A click option with its FEEDTOOL_… variable."""
    long = next(name for name in names if name.startswith("--")).partition("/")[0]
    variable = "FEEDTOOL_" + long.removeprefix("--").replace("-", "_").upper()
    settings.setdefault("envvar", variable)
    settings.setdefault("show_envvar", False)
    return click.option(*names, **settings)


def _load_config(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> None:
    del parameter
    state = chosen(ctx)
    own = Path(click.get_app_dir("feedtool")) / FILE
    state.config = load(path, (Path(FILE), own))
    ctx.default_map = _defaults(ctx, state.config)


def _defaults(ctx: click.Context, config: Config) -> dict[str, Any]:
    """The `[defaults]` that this command has an option for, by click's names of them.

    Raises:
        UsageProblem: no command has such an option.
    """
    own = _names(ctx.command)
    named = {name.replace("-", "_"): value for name, value in config.defaults.items()}
    if INSECURE in named:
        raise UsageProblem(
            f"{config.path}, [defaults]: {INSECURE} is not for every account",
            f"write it into the [profile.NAME] that needs it, or type {INSECURE_OPTION}",
        )
    strangers = sorted(set(named).difference(own))
    if strangers:
        from feedtool.cli import feedtool

        known = {name for command in feedtool.every() for name in _names(command)}
        _refuse_unknown(strangers, known, config)
    return {own[name]: value for name, value in named.items() if name in own}


def _refuse_unknown(names: list[str], known: set[str], config: Config) -> None:
    from difflib import get_close_matches

    for name in names:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            raise UsageProblem(
                f"{config.path}, [defaults]: nobody knows “{name}”",
                f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}",
            )


def _names(command: click.Command) -> dict[str, str]:
    """Each option as the configuration names it (`base_url`), and click's name of it."""
    return {
        name.removeprefix("--").replace("-", "_"): parameter.name
        for parameter in command.params
        for name in parameter.opts
        if name.startswith("--") and parameter.name
    }


def _choose_profile(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    del parameter
    state = chosen(ctx)
    state.profile = state.config.profile(name)
    ctx.default_map = {**(ctx.default_map or {}), **state.profile.account}
    return name


def _check_report(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """A report's form follows its name; a wrong one is told before any work is done."""
    del ctx, parameter
    if path:
        from feedtool.report import writer_for

        writer_for(path)
        if not os.access(path.parent, os.W_OK):
            raise UsageProblem(
                f"the report {path} cannot be written: its folder is missing or read-only",
                "name another file with --report",
            )
    return path


def on_command_line(ctx: click.Context, *names: str) -> dict[str, Any]:
    """The options that were typed, the others None: for what an environment must not decide."""
    return {
        name: ctx.params.get(name)
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        else None
        for name in names
    }


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for one in reversed(options):
            function = one(function)
        return function

    return decorate


def _seconds(name: str, default: float, told: str) -> Callable[[F], F]:
    return option(
        name,
        type=click.FloatRange(min=0, min_open=True),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=told,
    )


configuration = _together(
    option(
        "--config",
        type=click.Path(path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=_load_config,
        metavar="FILE",
        help=f"The configuration; default {FILE} here, then in the user's settings folder.",
    ),
    option(
        "--profile",
        metavar="NAME",
        callback=_choose_profile,  # not eager: it comes after --config wherever it is written
        help="The account, a table [profile.NAME] of the configuration.",
    ),
)
"""`--config` and `--profile`; to be declared before the options that a profile gives values."""

reading = _together(
    option("--as", "kind", metavar="KIND", help="What kind of feed the files are."),
    option("--sheet", metavar="NAME", help="The sheet to read."),
    option(
        "--channel",
        metavar="ID",
        help="The sales channel of rows that name none.  [default: the primary one]",
    ),
)


writing = _together(
    option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="Where the annotated copy goes; default NAME.result.EXT beside the file.",
    ),
    option(
        "--in-place",
        is_flag=True,
        help="Replace the file itself by its annotated copy, atomically.",
    ),
)

telling = _together(
    option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "jsonl"]),
        default="text",
        show_default=True,
        help="How the result is told on stdout.",
    ),
    option(
        "--report",
        type=click.Path(path_type=Path),
        metavar="PATH",
        callback=_check_report,
        help="Also write a report: .json, .csv or .html.",
    ),
    option("-v", "--verbose", is_flag=True, help="List every problem."),
)

sifting = _together(
    option(
        "--changed-only/--all-rows",
        help="Leave out rows that change nothing of what the service last accepted, as far as is "
        "known here.  [default: --all-rows]",
    ),
    option(
        "--prefer-update",
        is_flag=True,
        help="With --changed-only: send an Upsert that changes but the price or the stock as an "
        "Update of just that.",
    ),
)
"""Which rows are sent; a profile may say so."""

release = option(
    "--release",
    metavar="CODE[,CODE]",
    default="",
    help="Send what the guards of these codes would hold.",
)

language = option(
    "--language",
    type=click.Choice(["en", "fr", "es"]),
    default="en",
    show_default=True,
    help="Of templates, and of the service's messages.",
)

home = option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where the ledger, the catalogue and the sandbox's state live.  "
    "[default: the user's state folder]",
)

ledger = option(
    "--ledger",
    metavar="URL",
    help="A database instead of the ledger in the state folder: postgresql+psycopg://…",
)

notifying = _together(
    option(
        "--hook",
        metavar="COMMAND",
        help="A command that gets what came of a run, as JSON on its stdin.",
    ),
    option("--webhook", metavar="URL", help="An address to which the same is posted."),
    _seconds("--notify-wait", 30, "The longest wait for both, once all else is done."),
    option(
        "--log",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Add what is done to this file, a JSON object a line.",
    ),
)
"""Who is told what came of a run, and where it is written."""

yes = option("--yes", is_flag=True, help="Answer every question with yes.")

common = _together(language, home, yes)
"""What every command on files takes, whether it needs it or not."""

connection = _together(
    option("--base-url", metavar="URL", help="The service's address, version segment included."),
    # Not `option`: no variable of the environment decides it.
    click.option(
        INSECURE_OPTION,
        is_flag=True,
        help="Let the token travel unencrypted, to an address that begins with http://.",
    ),
    option("--seller", metavar="ID", help="The SellerId."),
    option("--token", metavar="TOKEN", help="The bearer token; better in the environment."),
    option(
        "--token-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A file that holds the token.",
    ),
    option("--token-command", metavar="COMMAND", help="A command that prints the token."),
    option(
        "--token-url",
        metavar="URL",
        help="An OAuth2 token endpoint, which gives the token for client credentials.",
    ),
    option("--client-id", metavar="ID", help="Of the client credentials."),
    option("--client-secret", metavar="SECRET", help="Better in the environment."),
    option(
        "--client-secret-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A file that holds the client secret.",
    ),
    option(
        "--client-secret-command",
        metavar="COMMAND",
        help="A command that prints the client secret.",
    ),
    option("--token-scope", metavar="SCOPE", help="What the token endpoint is asked for."),
    option("--token-audience", metavar="NAME", help="Whom the token is asked for."),
    _seconds("--connect-timeout", 10, "The longest wait for a connection."),
    _seconds("--answer-timeout", 60, "The longest silence of the service."),
    _seconds("--call-timeout", 300, "The longest call, whatever trickles in."),
)


def sifting_of(given: Mapping[str, Any]) -> "Sifting":
    """What was said of which rows are sent.

    Raises:
        UsageProblem: there is no such guard, or the options are of no use together.
    """
    from difflib import get_close_matches

    from feedtool.areas.offers.changes.guards import all_guards
    from feedtool.areas.offers.changes.selection import Sifting

    if given["prefer_update"] and not given["changed_only"]:
        raise UsageProblem(
            "--prefer-update is about what has changed", "add --changed-only, or leave it out"
        )
    named = (
        one.strip().casefold().replace("_", "-") for one in given.get("release", "").split(",")
    )
    released = tuple(dict.fromkeys(filter(None, named)))
    for one in released:
        if one not in all_guards():
            near = get_close_matches(one, all_guards(), n=1)
            raise UsageProblem(
                f"there is no guard “{one}” to release",
                f"did you mean {near[0]}?" if near else f"guards: {', '.join(all_guards())}",
            )
    return Sifting(
        changed_only=given["changed_only"],
        prefer_update=given["prefer_update"],
        released=released,
    )


def how_to_read(
    ctx: click.Context,
    *,
    kind: str | None,
    sheet: str | None,
    channel: str | None,
    as_row: str | None = None,
    **more: Any,
) -> Asked:
    """How files are to be read, from the options and the profile.

    Raises:
        UsageProblem: there is no such kind of feed, or the profile maps a header to no column.
    """
    from feedtool.areas.registry import load
    from feedtool.cli.catalog_option import catalogue

    if kind is not None and kind not in load().feeds:
        raise UsageProblem(
            f"there is no kind of feed “{kind}”", f"kinds: {', '.join(load().feeds)}"
        )
    dialect, catalog = chosen(ctx).profile.dialect, catalogue(ctx)
    _check_columns(dialect)
    as_rows = tuple(map(int, as_row.split(","))) if as_row else ()
    return Asked(
        dialect, channel or dialect.primary_channel, kind, sheet, as_rows, catalog=catalog, **more
    )


def _check_columns(dialect: Dialect) -> None:
    from difflib import get_close_matches

    from feedtool.areas.registry import load

    if not dialect.columns:
        return
    feeds = load().feeds.values()
    keys = {column.key for feed in feeds for column in feed.understood(dialect)}
    for header, key in dialect.columns.items():
        if key not in keys and not any(feed.may_have(key) for feed in feeds):
            near = get_close_matches(key, sorted(keys), n=1)
            raise UsageProblem(
                f"the profile's [columns] maps “{header}” to “{key}”, which is no column",
                f"did you mean {near[0]}?" if near else "the template names the columns",
            )
