"""`feedtool template`."""

from pathlib import Path
from typing import Any, cast

import click

from feedtool.cli import options
from feedtool.cli.endings import say
from feedtool.errors import UsageProblem


@click.command()
@click.argument("kind", metavar="KIND")
@options.option(
    "--out", type=click.Path(path_type=Path), metavar="PATH", help="Default KIND.xlsx here."
)
@options.configuration
@options.common
@click.pass_context
def template(
    ctx: click.Context, /, kind: str, out: Path | None, *, yes: bool, **given: Any
) -> None:
    """Make an empty workbook of a KIND to fill: offers-upsert, offers-update or offers-delete."""
    from feedtool.feeds import all_feeds
    from feedtool.template import write_template

    if kind not in all_feeds():
        raise UsageProblem(
            f"there is no kind of feed “{kind}”", f"kinds: {', '.join(sorted(all_feeds()))}"
        )
    target = out or Path(f"{kind}.xlsx")
    if target.suffix.lower() != ".xlsx":
        raise UsageProblem(f"{target} would be no workbook", "let the name end with .xlsx")
    if target.exists() and not yes:
        raise UsageProblem(
            f"{target} is there already", "choose another name with --out, or replace it with --yes"
        )
    dialect = options.chosen(ctx).profile.dialect
    try:
        write_template(all_feeds()[kind], target, cast("Any", given["language"]), dialect)
    except OSError as error:
        raise UsageProblem(
            f"{target} cannot be written: {error.strerror}", "choose another place with --out"
        ) from error
    say("template", str(target))
