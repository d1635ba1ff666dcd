"""`feedtool config`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from feedtool.cli import options


@click.group(no_args_is_help=False)
def config() -> None:
    """Show the settings in force and where each comes from."""


@config.command()
@options.configuration
@options.reading
@options.connection
@options.language
@options.home
@options.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the settings are told.",
)
@click.pass_context
def show(ctx: click.Context, /, form: str, **settings: Any) -> None:
    """Show the settings in force and where each comes from; secrets are masked.

    Precedence: option, environment, feedtool.toml, default.
    """
    rows = [_row(ctx, name, value) for name, value in sorted(settings.items())]
    rows += _dialect(ctx)
    if form == "json":
        from feedtool.report.fields import dumped

        listed = ({"name": name, "value": value, "source": source} for name, value, source in rows)
        click.echo("[\n  " + ",\n  ".join(map(dumped, listed)) + "\n]")
        return
    from feedtool.report.plain import clean

    width = max(len(name) for name, _, _ in rows)
    for name, value, source in rows:
        click.echo(f"{name:{width}}  {clean(value)}  [{clean(source)}]")


def _row(ctx: click.Context, name: str, value: object) -> tuple[str, str, str]:
    option = next(one for one in ctx.command.params if one.name == name)
    label = max(option.opts, key=len).removeprefix("--")
    if name == "home":
        value = options.home_path(value if isinstance(value, Path) else None)
    shown = "" if value is None else options.masked(name, value)
    return label, shown, _source(ctx, name, option)


def _source(ctx: click.Context, name: str, option: click.Parameter) -> str:
    state = options.chosen(ctx)
    match ctx.get_parameter_source(name):
        case ParameterSource.COMMANDLINE:
            return "option"
        case ParameterSource.ENVIRONMENT:
            return f"environment {option.envvar}"
        case ParameterSource.DEFAULT_MAP:
            profile = ctx.params.get("profile")
            is_profiles = name in state.profile.account
            return f"{state.config.path}, {f'profile {profile}' if is_profiles else 'defaults'}"
        case _:
            return "default"


def _dialect(ctx: click.Context) -> list[tuple[str, str, str]]:
    """The dialect's fields; those that differ from the default come from the profile."""
    from feedtool.dialect import Dialect

    state = options.chosen(ctx)
    default = dict(_fields(Dialect()))
    rows = []
    for name, value in _fields(state.profile.dialect):
        source = "default" if value == default[name] else f"{state.config.path}, profile"
        rows.append((name, str(value), source))
    return rows


def _fields(record: Any, table: str = "") -> Iterator[tuple[str, object]]:
    """The fields of a dialect by name; those of its tables as `reading.parts`."""
    from dataclasses import fields, is_dataclass

    for field in fields(record):
        name, value = table + field.name, getattr(record, field.name)
        if is_dataclass(value):
            yield from _fields(value, f"{name}.")
        else:
            yield name, value
