"""`feedtool catalog`: brings brands, categories and their properties, and looks there."""

import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import options
from feedtool.cli.catalog_cache import (
    base_url,
    elsewhere,
    from_sandbox,
    looking,
    sync_command,
)
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import echo
from feedtool.cli.home import home_folder
from feedtool.model.errors import Exit, NothingToDo, UsageProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from feedtool.areas.products.catalog.sync import SyncStep
    from feedtool.runs.session import Session

SHOWN_LACKS = 10
"""Categories without properties that are named one by one."""

_form = options.choice("--format form", ("text", "json"), "How it is told on stdout.")


@click.group(no_args_is_help=False)
def catalog() -> None:
    """Bring brands, categories and their properties, and look there."""


@catalog.command()
@options.text(
    "--category only",
    "CODE[,CODE]",
    "Bring the properties of these alone, or of all in them.  [default: all of level 3]",
)
@options.count("--page-size", "Entries that a page is asked for.", None, default=100)
@options.flag("--sandbox", "Ask the embedded sandbox.")
@options.configuration
@options.connection
@options.language
@options.home
@_form
@click.pass_context
def sync(ctx: click.Context, /, only: str | None, page_size: int, form: str, **given: Any) -> int:
    """Bring the catalogue of the service into the local cache.

    Only what has changed is written. When it is interrupted, the next one goes on. Needs a token
    and no SellerId. The exit code is 1 when the properties of some categories cannot be had.
    """
    from feedtool.areas.products.catalog.cache import FILE, Cache
    from feedtool.areas.products.catalog.report import write_synced
    from feedtool.areas.products.catalog.sync import GO_ON
    from feedtool.areas.products.catalog.sync import sync as bring
    from feedtool.service.fetch import FetchContext

    options.refuse_two_services(ctx, given)
    codes = _codes(only)
    home = home_folder(given["home"])
    with (
        _reaching(ctx, home, given) as service,
        Cache(home / FILE) as cache,
        _progress() as on_step,
    ):
        synced = bring(
            service.client,
            cache,
            FetchContext(
                service.now,
                service.sleep,
                pool=service.pool,
                stopping=service.stopping,
                go_on=GO_ON,
                on_unreachable=partial(echo, "warning"),
                ahead=service.ahead,
            ),
            service=service.address,
            language=service.language,
            only=codes,
            page_size=page_size,
            on_step=on_step,
        )
    for warning in synced.warnings:
        echo("warning", warning)
    for lack in synced.lacks[:SHOWN_LACKS]:
        echo("error", f"the properties of {lack.category} cannot be had: {lack.reason}")
    if synced.lacks:
        echo("help", "`feedtool catalog sync` tries again; the rest can be used")
    write_synced(synced, sys.stdout, form)
    return Exit.ROWS if synced.lacks else Exit.OK


@catalog.command()
@click.argument("text", metavar="TEXT")
@from_sandbox
@options.configuration
@base_url
@options.language
@options.home
@_form
@click.pass_context
def search(ctx: click.Context, /, text: str, form: str, **given: Any) -> None:
    """Find categories by code, label or path, and brands by name.

    Looks in the local cache, the best first. Case and accents do not count.
    """
    from feedtool.areas.products.catalog.report import write_results
    from feedtool.areas.products.catalog.search import meant
    from feedtool.areas.products.catalog.search import search as find

    with looking(ctx, given) as known:
        found = find(known, text)
        if found or form == "json":
            write_results(found, sys.stdout, form)
        if not found:
            near = meant(known, text)
            hint = f"did you mean {', '.join(near)}?" if near else "try a part of a word;"
            raise NothingToDo(
                f"nothing in the catalogue matches “{text}”", f"{hint} {elsewhere(known, given)}"
            )


@catalog.command()
@click.argument("code", metavar="CODE")
@options.flag("-v --verbose", "List every choice.")
@from_sandbox
@options.configuration
@base_url
@options.language
@options.home
@_form
@click.pass_context
def show(ctx: click.Context, /, code: str, form: str, *, verbose: bool, **given: Any) -> None:
    """Show one category: its properties with necessity, unit and choices.

    Looks in the local cache. Above level 3, where no products go, it lists what is below.
    """
    from feedtool.areas.products.catalog.model import DEEPEST
    from feedtool.areas.products.catalog.report import write_category
    from feedtool.areas.products.catalog.sync import unknown_category

    with looking(ctx, given) as known:
        category = known.category(code) or known.category(code.strip().upper())
        if category is None:
            raise unknown_category(code, known.categories)
        if category.level == DEEPEST and known.properties(category.reference) is None:
            raise UsageProblem(
                f"the properties of {category.reference} ({category.label}) were not brought"
                + ("" if category.is_active else ", since it is not active"),
                f"bring them with `{sync_command(known.origin.service, known.language)}"
                f" --category {category.reference}`",
            )
        write_category(known, category, sys.stdout, form, is_verbose=verbose)


# The service.


def _codes(only: str | None) -> list[str]:
    if only is None:
        return []
    codes = [code.strip().upper() for code in only.split(",") if code.strip()]
    if not codes:
        raise UsageProblem("--category names no category", "give codes: --category CODE,CODE")
    return codes


@contextmanager
def _reaching(ctx: click.Context, home: Path, given: dict[str, Any]) -> "Iterator[Session]":
    """A way to the service that stops gently."""
    from feedtool.areas.products.catalog.sync import GO_ON
    from feedtool.cli.connect import stoppable, to_catalogue, to_sandbox
    from feedtool.cli.signals import stopping

    is_sandbox = given["sandbox"]
    if is_sandbox:  # it needs nothing else, and an account's settings are not meant for it
        given |= options.on_command_line(ctx, "seller", "token")
    given |= token_options(ctx)
    way = to_sandbox(home, given) if is_sandbox else to_catalogue(given)
    with way as service, stopping(GO_ON) as stop:
        yield stoppable(service, stop, given)


@contextmanager
def _progress() -> "Iterator[Callable[[SyncStep], None]]":
    from feedtool.cli.progress import COUNTED, on_stderr
    from feedtool.delivery.events import Event

    lines = on_stderr(time.monotonic)

    def tell(step: "SyncStep") -> None:
        lines.tell(Event(COUNTED[0], step.text, "", 0, None, None, step.done, step.total))

    try:
        yield tell
    finally:
        lines.close()
