"""`feedtool template`."""

from contextlib import nullcontext
from pathlib import Path
from shlex import join
from typing import Annotated

import click
from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.cli import completers
from feedtool.cli.console import echo
from feedtool.cli.files import refuse_ending, refuse_target
from feedtool.cli.home import local_catalog, sync_command
from feedtool.cli.next_command import after_writing
from feedtool.cli.options import CATEGORY, Common, Configuration, chosen, on_command_line, path
from feedtool.cli.options_account import BASE_URL, SANDBOX_OPTION
from feedtool.cli.typed import command_of
from feedtool.feeds.template import Basis
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import tr
from feedtool.sheets.atomic_write import cannot_write


class TemplateOptions(Struct, frozen=True, kw_only=True):
    kind: Annotated[
        str | None,
        click.Argument(["kind"], metavar="[KIND]", required=False, shell_complete=completers.kinds),
    ]
    category: Annotated[str | None, CATEGORY]
    out: Annotated[
        Path | None, path("--out", "PATH", "The workbook to write.  [default: KIND.xlsx here]")
    ]
    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    base_url: Annotated[str | None, BASE_URL]
    common: Common


@command_of(TemplateOptions)
def template(ctx: click.Context, options: TemplateOptions) -> None:
    """Make an empty workbook of a KIND to fill.

    Without KIND all kinds are listed. The workbook for products is made for some categories of the
    local catalogue: download it with `feedtool catalog sync`.
    """
    from feedtool.runs.template import for_categories, template_feed
    from feedtool.templates import write_template

    kind = options.kind
    if kind is None:
        for feed in load().templates.values():
            echo(feed.kind, feed.summary)
        raise UsageProblem(
            tr("KIND is missing"), tr("choose one, as in `feedtool template offers-upsert`")
        )
    feed = template_feed(kind)
    codes = _codes(ctx, options.category, has_categories=feed.sheet.by_category is not None)
    target = options.out or Path(f"{kind}.xlsx")
    refuse_ending(target)
    refuse_target(target, may_replace=options.common.yes)
    name = options.configuration.profile
    words = ["--profile", name] if name else []
    if options.sandbox or not (name or options.base_url):
        words.append("--sandbox")
    context = Context(chosen(ctx).profile.dialect)
    basis = Basis(options.common.showing.language, context, has_example=True, account=join(words))
    with nullcontext() if feed.sheet.by_category is None else local_catalog(ctx) as catalog:
        if catalog:
            sync = sync_command(catalog.origin.service, catalog.language)
            basis = for_categories(basis, catalog, codes, sync, echo)
        try:
            write_template(feed, target, basis)
        except OSError as error:
            raise cannot_write(target, error) from error
    echo("template", str(target))
    after_writing(target)


def _codes(ctx: click.Context, category: str | None, *, has_categories: bool) -> list[str]:
    """The codes of `--category`; UsageProblem if products lack it, or another kind has it."""
    if not has_categories and on_command_line(ctx, "category")["category"]:
        raise UsageProblem(
            tr("--category is for products: an offer has no category"), tr("leave it out")
        )
    codes = [code.strip() for code in (category or "").split(",") if code.strip()]
    if has_categories and not codes:
        raise UsageProblem(
            tr("a workbook for products is made for categories, and no category is given"),
            tr("give --category CODE,CODE; `feedtool catalog search TEXT` finds codes"),
        )
    return codes
