"""Options that several commands share. Precedence: option, environment, feedtool.toml, default."""

import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import click
from click.core import ParameterSource
from msgspec import Struct, field

from feedtool.cli import completers, feedtool
from feedtool.cli.console import CONSOLE, settings_folder, terminal_language
from feedtool.model.errors import UsageProblem
from feedtool.model.text import LANGUAGES, Language, LanguageChoice, Translator, option_name, tr
from feedtool.runs.config import FILE, Config, load
from feedtool.runs.config_tables import refuse_unknown
from feedtool.runs.profiles import Profile

SANDBOX, SANDBOX_SELLER = "http://sandbox.invalid/v2", "sandbox"
"""The embedded sandbox's address, which exists nowhere else, and its seller."""

INSECURE, INSECURE_OPTION = "insecure_http", "--insecure-http"

SOURCES = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)


class ChosenProfile(Struct):
    """The configuration and the profile in force, on the command's context."""

    config: Config = field(default_factory=Config)
    profile: Profile = field(default_factory=Profile)
    folder: Path | None = None
    """The folder of further profiles."""
    is_shown: bool = True
    """False if the options do not decide the language on the terminal."""


def chosen(ctx: click.Context) -> ChosenProfile:
    return ctx.ensure_object(ChosenProfile)


def option(*names: str, **settings: Any) -> click.Option:
    """A click option with its FEEDTOOL_… variable."""
    long = next(name for name in names if name.startswith("--")).partition("/")[0]
    variable = "FEEDTOOL_" + long.removeprefix("--").replace("-", "_").upper()
    settings.setdefault("envvar", variable)
    settings.setdefault("show_envvar", False)
    return click.Option(names, **settings)


def _load_config(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> None:
    del parameter
    state = chosen(ctx)
    state.config = load(path, (Path(FILE), settings_folder() / FILE))
    ctx.default_map = _defaults(ctx, state.config)


def _defaults(ctx: click.Context, config: Config) -> dict[str, Any]:
    """The `[defaults]` of this command's options; UsageProblem for a name that no command has."""
    options = names_of(ctx.command)
    defaults = {name.replace("-", "_"): value for name, value in config.defaults.items()}
    if INSECURE in defaults:
        raise UsageProblem(
            tr(
                "{path}, [defaults]: {name} is not for every account",
                path=config.path,
                name=INSECURE,
            ),
            tr(
                "write it into the [profile.NAME] that needs it, or type {option}",
                option=INSECURE_OPTION,
            ),
        )
    others = dict.fromkeys(sorted(set(defaults).difference(options)))
    if others:
        known = {name for command in feedtool.every() for name in names_of(command)}
        refuse_unknown(others, sorted(known), f"{config.path}, [defaults]")
    return {options[name]: value for name, value in defaults.items() if name in options}


def names_of(command: click.Command) -> dict[str, str]:
    """Name of an option in the configuration (`base_url`) → its name in click."""
    return {
        name.removeprefix("--").replace("-", "_"): parameter.name
        for parameter in command.params
        for name in parameter.opts
        if name.startswith("--") and parameter.name
    }


def _choose_folder(
    ctx: click.Context, parameter: click.Parameter, folder: Path | None
) -> Path | None:
    del parameter
    chosen(ctx).folder = folder
    return folder


def _choose_profile(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    del parameter
    state = chosen(ctx)
    state.config = state.config.with_folder(state.folder)
    name = name or None  # `--profile ''` selects none, even if the environment names one
    state.profile = state.config.profile(name)
    ctx.default_map = {**(ctx.default_map or {}), **state.profile.account}
    return name


def _profiles(ctx: click.Context, start: str) -> completers.Words:
    """Profiles with their addresses; only the files of the shown profiles are read."""
    profiles = chosen(ctx).config.profiles
    for name in islice((name for name in profiles if name.startswith(start)), completers.MOST):
        address = ""
        with suppress(UsageProblem):
            address = str(profiles[name].account.get("base_url", ""))
        yield name, address


def _check_report(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """UsageProblem, before any work is done, if the report's ending or its folder is wrong."""
    del ctx, parameter
    if path:
        from feedtool.report.file import writer_for

        writer_for(path)
        if not os.access(path.parent, os.W_OK):
            raise UsageProblem(
                tr(
                    "the report {path} cannot be written: its folder is missing or read-only",
                    path=path,
                ),
                tr("name another file with --report"),
            )
    return path


def on_command_line(ctx: click.Context, *names: str) -> dict[str, Any]:
    """The options that were typed, the others None: for options that no environment may set."""
    typed = {name for name in names if ctx.get_parameter_source(name) is SOURCES[0]}
    return {name: ctx.params.get(name) if name in typed else None for name in names}


def text(name: str, metavar: str, help_: str, **settings: Any) -> click.Option:
    # `--as kind` is an option whose parameter is named `kind`.
    return option(*name.split(), metavar=metavar, help=help_, **settings)


def flag(name: str, help_: str) -> click.Option:
    return option(*name.split(), is_flag=True, help=help_)


def path(name: str, metavar: str, help_: str, *, may_be: str = "", **more: Any) -> click.Option:
    """An option with a path; `may_be` is `file` or `folder` to allow only this."""
    other = {"": {}, "file": {"dir_okay": False}, "folder": {"file_okay": False}}[may_be]
    return option(
        name, type=click.Path(path_type=Path, **other), metavar=metavar, help=help_, **more
    )


def choice(name: str, choices: Sequence[str], help_: str) -> click.Option:
    """An option with one of these words, by default the first."""
    kind = click.Choice(choices)
    return option(*name.split(), type=kind, default=choices[0], show_default=True, help=help_)


def count(name: str, help_: str, metavar: str | None = "N", **more: Any) -> click.Option:
    """An option with an integer from `min` (by default 1) to `max`."""
    bounds = click.IntRange(min=more.pop("min", 1), max=more.pop("max", None))
    if "default" in more:
        more["show_default"] = True
    return option(name, type=bounds, metavar=metavar, help=help_, **more)


def seconds(name: str, default: float, help_: str, longest: float | None = None) -> click.Option:
    """An option with a number of seconds above 0."""
    return option(
        name,
        type=click.FloatRange(min=0, min_open=True, max=longest),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=help_,
    )


CONFIG_FILE = path(
    "--config",
    "FILE",
    f"The configuration.  [default: {FILE} here, then in the user's settings folder]",
    is_eager=True,
    expose_value=False,
    callback=_load_config,
)
PROFILES = path(
    "--profiles",
    "DIR",
    "A folder of further profiles, a file NAME.toml for each.",
    may_be="folder",
    is_eager=True,
    callback=_choose_folder,
)
# Not eager: so it is read after the two, in any order on the command line.
PROFILE = text(
    "--profile",
    "NAME",
    "The account, a table [profile.NAME] of the configuration, or a file of --profiles.",
    shell_complete=completers.completer(_profiles),
    callback=_choose_profile,
)


class Configuration(Struct, frozen=True, kw_only=True):
    """The options that select the account; declared before options with a profile's defaults."""

    config: Annotated[None, CONFIG_FILE] = None
    profiles: Annotated[Path | None, PROFILES]
    profile: Annotated[str | None, PROFILE]


KIND = text(
    "--as kind",
    "KIND",
    "The kind of the files, such as offers-upsert.",
    shell_complete=completers.kinds,
)
CHANNEL = text(
    "--channel", "ID", "The sales channel, where a row names none.  [default: the primary one]"
)
CATEGORY = text(
    "--category",
    "CODE[,CODE]",
    "Of products: these categories alone; a higher category includes all below it.",
    shell_complete=completers.categories,
)


class ReadingOptions(Struct, frozen=True, kw_only=True):
    """Options for reading files."""

    kind: Annotated[str | None, KIND]
    sheet: Annotated[
        tuple[str, ...],
        text(
            "--sheet", "NAME", "The sheet to read; may be given again, or be `all`.", multiple=True
        ),
    ]
    recipe: Annotated[
        str | None,
        text(
            "--recipe",
            "PATH",
            "The recipe that reads your own sheet: a file, or preset:NAME.",
            shell_complete=completers.files,
        ),
    ]
    default: Annotated[
        tuple[str, ...],
        text(
            "--default",
            "FIELD=VALUE",
            "The value of a field where its cell is blank or its column absent.",
            multiple=True,
        ),
    ]
    channel: Annotated[str | None, CHANNEL]


class Writing(Struct, frozen=True, kw_only=True):
    """Options for the annotated copy."""

    out: Annotated[
        Path | None,
        path("--out", "PATH", "The annotated copy.  [default: NAME.result.EXT beside the file]"),
    ]
    in_place: Annotated[
        bool, flag("--in-place", "Replace the file itself by its annotated copy, atomically.")
    ]
    plain: Annotated[
        bool, flag("--plain", "Put neither notes on cells nor a filter into the annotated copy.")
    ]


FORMAT = choice("--format form", ("text", "json", "jsonl"), "The form of the result on stdout.")
VERBOSE = flag("-v --verbose", "Leave nothing out: every problem with its field, every choice.")


class Reporting(Struct, frozen=True, kw_only=True):
    """Options for the result on stdout and in a report file."""

    form: Annotated[str, FORMAT] = "text"
    report: Annotated[
        Path | None,
        path(
            "--report", "PATH", "Also write a report: .json, .csv or .html.", callback=_check_report
        ),
    ] = None
    verbose: Annotated[bool, VERBOSE] = False


def _set_language(ctx: click.Context, parameter: click.Parameter, name: Language) -> Language:
    del parameter
    if chosen(ctx).is_shown:
        CONSOLE.say, CONSOLE.is_settled = Translator(name), True
        CONSOLE.language = _choice(ctx, name)
    return name


def language_of(ctx: click.Context) -> LanguageChoice:
    return _choice(ctx, ctx.params["language"])


def _choice(ctx: click.Context, name: Language) -> LanguageChoice:
    is_asked = ctx.get_parameter_source("language") in SOURCES[:2]
    return LanguageChoice(name if is_asked else None, name)


def _set_quiet(ctx: click.Context, parameter: click.Parameter, is_set: object) -> None:
    del ctx, parameter
    CONSOLE.is_quiet = CONSOLE.is_quiet or bool(is_set)


class Showing(Struct, frozen=True, kw_only=True):
    """Options for the language of the output, and its amount."""

    language: Annotated[
        Language,
        option(
            "--language",
            type=click.Choice(LANGUAGES),
            default=terminal_language,
            show_default="the terminal's, else en",
            callback=_set_language,
            help="The language of all that is shown, of templates, and of the service's messages.",
        ),
    ]
    quiet: Annotated[
        None,
        option(
            "-q",
            "--quiet",
            is_flag=True,
            expose_value=False,
            callback=_set_quiet,
            help="Only errors on stderr: no progress, no notes, no next command.",
        ),
    ] = None


HOME = path(
    "--home",
    "DIR",
    "The folder of the ledger, the catalogue and the sandbox's state.  [default: the user's state "
    "folder]",
    may_be="folder",
)
DATABASE = text(
    "--ledger", "URL", "A database in place of the ledger's file: postgresql+psycopg://…"
)


class Records(Struct, frozen=True, kw_only=True):
    """Options for the places of records that machines share."""

    ledger: Annotated[str | None, DATABASE] = None
    store: Annotated[
        str | None,
        text("--store", "PLACE", "Another place for snapshots: a folder, or s3://BUCKET/PREFIX."),
    ] = None


NO_WAIT = flag("--no-wait", "Do not wait for results that are not there yet.")
YES = flag("--yes", "Answer every question with yes, and replace a file that is there.")


class Common(Struct, frozen=True, kw_only=True):
    """Options that every command on files accepts, even if it does not use them."""

    showing: Showing
    home: Annotated[Path | None, HOME]
    yes: Annotated[bool, YES]


def refuse_two_services(ctx: click.Context) -> None:
    """UsageProblem if the sandbox is chosen and an account was typed, too."""
    typed = on_command_line(ctx, "base_url", "profile", "sandbox")
    # With a typed --sandbox, --profile only lends its columns, to try them there.
    is_account = typed["profile"] and not typed["sandbox"]
    if ctx.params["sandbox"] and (typed["base_url"] or is_account):
        words = "--base-url" if typed["base_url"] else "--profile"
        hint = tr("choose one of them; look for `sandbox` in feedtool.toml, too")
        message = tr("--sandbox and {option} contradict each other", option=option_name(words))
        raise UsageProblem(message, hint)


# Lengths of time as they are typed.


UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
TYPED = re.compile(r"([1-9][0-9]{0,5})([smhd])")


def duration(ctx: click.Context, parameter: click.Parameter, text: str | None) -> timedelta | None:
    """Read an option's length of time, as a callback of click; None if the option is not set."""
    del ctx
    if text is None:
        return None
    match = TYPED.fullmatch(text.strip())
    if match is None:
        raise UsageProblem(
            tr("{option} {time} is not a time", option=parameter.opts[0], time=text),
            tr("write it like 90s, 10m, 2h or 90d"),
        )
    return timedelta(**{UNITS[match[2]]: int(match[1])})


def json_schema(of: str, make: Callable[[], dict[str, Any]]) -> click.Option:
    """The option that prints the schema of `of` and ends the command."""

    def write(ctx: click.Context, parameter: click.Parameter, is_set: object) -> None:
        del parameter
        if is_set and not ctx.resilient_parsing:
            click.echo(json.dumps(make(), indent=2, ensure_ascii=False, default=float))
            ctx.exit()

    return option(
        "--json-schema",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=write,
        help=f"Print the JSON Schema of {of}, for editors, and do nothing else.",
    )
