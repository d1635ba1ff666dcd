"""`--json-schema`: what a file of ours may hold, for editors."""

import json
from collections.abc import Callable
from typing import Any

import click

from feedtool.cli.options import option


def json_schema(of: str, make: Callable[[], dict[str, Any]]) -> click.Option:
    """`--json-schema`, which prints a schema and does nothing else."""

    def write(ctx: click.Context, parameter: click.Parameter, wanted: object) -> None:
        del parameter
        if wanted and not ctx.resilient_parsing:
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
