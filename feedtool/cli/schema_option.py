"""`--json-schema`: print the schema of a file of feedtool, for editors."""

import json
from collections.abc import Callable
from typing import Any

import click

from feedtool.cli.options import option


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
