"""`feedtool template`."""

from pathlib import Path
from typing import Any, cast

import click

from feedtool.cli import options
from feedtool.cli.endings import say
from feedtool.cli.looking import base_url, from_sandbox, looking
from feedtool.errors import UsageProblem


@click.command()
@click.argument("kind", metavar="KIND")
@options.option(
    "--category",
    metavar="CODE[,CODE]",
    help="Of products: the categories that the workbook is for.",
)
@options.option(
    "--out", type=click.Path(path_type=Path), metavar="PATH", help="Default KIND.xlsx here."
)
@from_sandbox
@options.configuration
@base_url
@options.common
@click.pass_context
def template(
    ctx: click.Context, /, kind: str, category: str | None, out: Path | None, **given: Any
) -> None:
    """Make an empty workbook of a KIND to fill.

    Kinds are offers-upsert, offers-update and offers-delete, and products, whose workbook is made
    for some categories from the local catalogue: bring that with `feedtool catalog sync`.
    """
    from feedtool.feeds import all_feeds
    from feedtool.template import PRODUCTS, write_products_template, write_template

    if kind not in all_feeds():
        raise UsageProblem(
            f"there is no kind of feed “{kind}”", f"kinds: {', '.join(sorted(all_feeds()))}"
        )
    codes = _codes(ctx, category, is_for_products=kind == PRODUCTS)
    target = out or Path(f"{kind}.xlsx")
    _check_target(target, may_replace=given["yes"])
    dialect = options.chosen(ctx).profile.dialect
    try:
        if kind == PRODUCTS:
            with looking(ctx, given) as catalog:
                write_products_template(catalog, codes, target, dialect)
        else:
            write_template(all_feeds()[kind], target, cast("Any", given["language"]), dialect)
    except OSError as error:
        raise UsageProblem(
            f"{target} cannot be written: {error.strerror}", "choose another place with --out"
        ) from error
    say("template", str(target))


def _codes(ctx: click.Context, category: str | None, *, is_for_products: bool) -> list[str]:
    """The categories that were named: by products alone, and by them always."""
    if not is_for_products:
        if options.on_command_line(ctx, "category")["category"]:
            raise UsageProblem(
                "--category is for products: an offer has no category", "leave it out"
            )
        return []
    codes = [code.strip() for code in (category or "").split(",") if code.strip()]
    if not codes:
        raise UsageProblem(
            "a workbook for products is made for its categories: none is named",
            "give --category CODE,CODE; `feedtool catalog search TEXT` finds codes",
        )
    return codes


def _check_target(target: Path, *, may_replace: bool) -> None:
    if target.suffix.lower() != ".xlsx":
        raise UsageProblem(f"{target} would be no workbook", "let the name end with .xlsx")
    if target.exists() and not may_replace:
        raise UsageProblem(
            f"{target} is there already", "choose another name with --out, or replace it with --yes"
        )
