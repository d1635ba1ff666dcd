"""`feedtool catalog`: download brands, categories and their properties, and search them."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.cli import completers
from feedtool.cli.console import CATALOG, CONSOLE, echo, stopping
from feedtool.cli.help import HelpfulGroup
from feedtool.cli.home import home_folder, local_catalog, other_languages, sync_command
from feedtool.cli.options import (
    CATEGORY,
    FORMAT,
    HOME,
    VERBOSE,
    Configuration,
    Records,
    Showing,
    count,
)
from feedtool.cli.options_account import BASE_URL, SANDBOX_OPTION, ConnectionOptions
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, NothingToDo, UsageProblem
from feedtool.model.text import joined, tr

SHOWN_LACKS = 10
"""The most categories without properties that are listed."""


class SyncOptions(Struct, frozen=True, kw_only=True):
    category: Annotated[str | None, CATEGORY]
    page_size: Annotated[
        int, count("--page-size", "The number of entries in a page.", None, default=100)
    ]
    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    connection: ConnectionOptions
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records
    form: Annotated[str, FORMAT]


class LocalCatalog(Struct, frozen=True, kw_only=True):
    """The catalogue that is searched, and the form of the output."""

    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    base_url: Annotated[str | None, BASE_URL]
    showing: Showing
    home: Annotated[Path | None, HOME]
    form: Annotated[str, FORMAT]


class SearchOptions(Struct, frozen=True, kw_only=True):
    words: Annotated[
        tuple[str, ...], click.Argument(["words"], metavar="TEXT...", nargs=-1, required=True)
    ]
    local: LocalCatalog


class ShowCategoryOptions(Struct, frozen=True, kw_only=True):
    code: Annotated[
        str, click.Argument(["code"], metavar="CODE", shell_complete=completers.category)
    ]
    verbose: Annotated[bool, VERBOSE]
    local: LocalCatalog


@click.group(cls=HelpfulGroup, no_args_is_help=False)
def catalog() -> None:
    """Download brands, categories and their properties, and search them."""


@command_of(SyncOptions, group=catalog)
def sync(ctx: click.Context, options: SyncOptions) -> int:
    """Download the catalogue of the service.

    Fetches the properties of --category, else of all categories of level 3. Only changes are
    written. If it is interrupted, the next one goes on. Needs a token and no SellerId. The
    exit code is 1 when the properties of some categories are missing.
    """
    from feedtool.catalog.cache import Cache
    from feedtool.catalog.report import write_synced
    from feedtool.catalog.sync import GO_ON
    from feedtool.catalog.sync import sync as fetch
    from feedtool.cli.output import counting
    from feedtool.cli.session import chosen_account, connect
    from feedtool.runs.workspace import fetch_context_of

    account = chosen_account(ctx)
    codes = _codes(options.category)
    home = home_folder(options.home)
    with (
        stopping(GO_ON) as stop,
        connect(home, account, stop, needs_seller=False) as session,
        Cache(home / CATALOG) as cache,
        counting("text") as on_count,
    ):
        synced = fetch(
            session.client,
            cache,
            fetch_context_of(session, go_on=GO_ON, on_unreachable=partial(echo, "warning")),
            service=session.address,
            language=session.language,
            only=codes,
            page_size=options.page_size,
            on_step=on_count,
        )
    for warning in synced.warnings:
        echo("warning", warning)
    for missing in synced.missing_properties[:SHOWN_LACKS]:
        echo(
            "error",
            tr(
                "the properties of {category} could not be read: {reason}",
                category=missing.category,
                reason=missing.reason,
            ),
        )
    if synced.missing_properties:
        echo("help", tr("`feedtool catalog sync` tries again; the rest can be used"))
    write_synced(synced, sys.stdout, options.form, CONSOLE.say)
    return Exit.ROWS if synced.missing_properties else Exit.OK


@command_of(SearchOptions, group=catalog)
def search(ctx: click.Context, options: SearchOptions) -> None:
    """Find categories by code, label or path, and brands by name.

    Looks in the local catalogue; the best match comes first. Case, accents and the order of words
    do not count. Where nothing has all words, what has the most of them is listed.
    """
    from feedtool.catalog.lookup import search as find
    from feedtool.catalog.lookup import similar_names
    from feedtool.catalog.report import write_results

    text, form = " ".join(options.words), options.local.form
    with local_catalog(ctx) as local:
        results = find(local, text)
        if results or form != "text":
            write_results(results, sys.stdout, form, CONSOLE.say)
        if not results:
            near = similar_names(local, text)
            hint = (
                tr("did you mean {choice}?", choice=", ".join(near))
                if near
                else tr("try a part of a word")
            )
            raise NothingToDo(
                tr("nothing in the catalogue matches “{text}”", text=text),
                joined((hint, other_languages(ctx, local)), "; "),
            )


@command_of(ShowCategoryOptions, group=catalog)
def show(ctx: click.Context, options: ShowCategoryOptions) -> None:
    """Show one category: its properties with necessity, unit and choices.

    Looks in the local catalogue. Above level 3, where no products go, it lists what is below.
    """
    from feedtool.catalog.model import DEEPEST
    from feedtool.catalog.report import write_category
    from feedtool.catalog.sync import unknown_category

    code, form = options.code, options.local.form
    with local_catalog(ctx) as local:
        category = local.category(code) or local.category(code.strip().upper())
        if category is None:
            raise unknown_category(code, local.categories)
        if category.level == DEEPEST and local.properties(category.reference) is None:
            raise UsageProblem(
                tr(
                    "the properties of {reference} ({label}) were not downloaded",
                    reference=category.reference,
                    label=category.label,
                )
                if category.is_active
                else tr(
                    "the properties of {reference} ({label}) were not downloaded, since it "
                    "is not active",
                    reference=category.reference,
                    label=category.label,
                ),
                tr(
                    "download them with `{command} --category {reference}`",
                    command=sync_command(local.origin.service, local.language),
                    reference=category.reference,
                ),
            )
        write_category(local, category, sys.stdout, form, CONSOLE.say, is_verbose=options.verbose)


def _codes(only: str | None) -> list[str]:
    codes = [code.strip().upper() for code in (only or "").split(",") if code.strip()]
    if only is not None and not codes:
        raise UsageProblem(
            tr("--category names no category"), tr("give codes: --category CODE,CODE")
        )
    return codes
