"""`feedtool export`: what the service has, as files to look at, to edit and to send back."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from feedtool.cli import options
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import echo
from feedtool.cli.home import home_folder
from feedtool.cli.observed import noting
from feedtool.cli.options import refuse_two_services
from feedtool.model.errors import Exit, UsageProblem

if TYPE_CHECKING:
    from feedtool.feeds.feed import Feed
    from feedtool.report.export import Exported
    from feedtool.runs.session import Session
    from feedtool.service.fetch import Circumstances

GO_ON = "Run it again; nothing was written."

ENDINGS = (".xlsx", ".csv")

_sandbox = options.option("--sandbox", is_flag=True, help="Ask the embedded sandbox.")

_form = options.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="How the result is told on stdout.",
)


def _out(default: str) -> Callable[[options.F], options.F]:
    return options.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help=f"An .xlsx, or a .csv; default {default} here.",
    )


def _listed(name: str, metavar: str, told: str) -> Callable[[options.F], options.F]:
    return options.option(name, metavar=metavar, help=told, callback=_parts)


def _parts(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """A comma list, each of it once."""
    del ctx
    found = tuple(dict.fromkeys(one.strip() for one in (text or "").split(",") if one.strip()))
    if text is not None and not found:
        raise UsageProblem(f"{parameter.opts[0]} names nothing", "leave it out, or give a list")
    return found


class _Kinds(click.Group):
    """Names the kinds where there is none of a name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            name = Path(args[0])
            raise UsageProblem(
                f"there is no kind of export “{args[0]}”",
                f"`feedtool convert {name} {name.with_suffix('.xlsx').name}` makes a workbook of it"
                if name.suffix
                else f"kinds: {', '.join(self.commands)}",
            )
        return super().resolve_command(ctx, args)


@click.group(cls=_Kinds, no_args_is_help=False)
def export() -> None:
    """Bring what the service has into a file, to edit and send back."""


@export.command()
@options.option(
    "--as",
    "kind",
    metavar="KIND",
    default="offers-update",
    show_default=True,
    help="The shape: offers-update, offers-upsert or offers-delete.",
)
@options.option("--channel", metavar="ID", help="The sales channel.  [default: the primary one]")
@_listed("--fields", "NAME[,NAME]", "What else to show: salesChannelFeedback.isOnline, offerState.")
@options.option(
    "--since", metavar="WHEN", help="Only what was updated then or later: 2026-11-20T08:00Z."
)
@_listed("--state", "STATE[,STATE]", "Only offers of this state: active or inactive.")
@_listed("--gtin", "GTIN[,GTIN]", "Only offers of these products.")
@_listed("--reference", "TEXT[,TEXT]", "Only offers of these seller references.")
@_listed("--offer-id", "ID[,ID]", "Only these offers.")
@_out("offers.xlsx")
@_sandbox
@options.configuration
@options.connection
@_form
@options.common
@options.ledger
@click.pass_context
def offers(
    ctx: click.Context,
    /,
    kind: str,
    channel: str | None,
    since: str | None,
    out: Path | None,
    form: str,
    **given: Any,
) -> int:
    """Bring the seller's offers on a channel into a workbook of the template's shape.

    Ready to edit and to submit. The rows are Updates unless --as says otherwise, since the service
    does not give struck prices back, and an Upsert without them would remove them. Only what the
    seller delivers. The names in --fields are those of GET /offers; their columns are not sent.
    What is exported is remembered, so that `submit --changed-only` sends only what you change.
    """
    from feedtool.areas.offers.export import Wish, export_offers

    wish = Wish(
        channel="",
        feed=_shape(kind),
        fields=given["fields"],
        states=tuple(one.casefold() for one in given["state"]),
        gtins=given["gtin"],
        references=given["reference"],
        offer_ids=given["offer_id"],
        since=_moment(since) if since else None,
    )
    _check_lists(given)
    target = _target(out or Path("offers.xlsx"), may_replace=given["yes"])
    with _reaching(ctx, given, form) as (service, around, on_step):
        dialect = options.chosen(ctx).profile.dialect
        asked = on_channel(ctx, channel, given) or dialect.primary_channel
        with noting(given, service, asked, dialect, is_all=not wish.is_narrowed) as on_offer:
            exported = export_offers(
                service.client,
                around,
                replace(wish, channel=asked),
                target,
                dialect=dialect,
                language=cast("Any", given["language"]),
                service=service.address,
                on_step=lambda count: on_step(f"{count:,} offers", count),
                on_offer=on_offer,
            )
    return _tell(exported, form)


@export.command()
@_listed("--category", "CODE[,CODE]", "Only products of these categories.")
@_out("products.xlsx")
@_sandbox
@options.configuration
@options.connection
@_form
@options.common
@click.pass_context
def products(
    ctx: click.Context, /, category: tuple[str, ...], out: Path | None, form: str, **given: Any
) -> int:
    """Bring the seller's products into a workbook of the template's shape.

    Ready to edit and to submit. Its columns are those of the categories that occur, from the local
    catalogue (`feedtool catalog sync`), in its language. Only products that the seller has
    created: of others the service does not show all. The exit code is 1 when some cannot be
    brought because the catalogue lacks their category.
    """
    from feedtool.areas.products.export import Wish, export_products
    from feedtool.cli.catalog_cache import catalogue

    refuse_two_services(ctx, given)
    target = _target(out or Path("products.xlsx"), may_replace=given["yes"])
    with _reaching(ctx, given, form) as (service, around, on_step):
        exported = export_products(
            service.client,
            around,
            Wish(service.seller, tuple(code.upper() for code in category)),
            target,
            dialect=options.chosen(ctx).profile.dialect,
            known=catalogue(ctx),
            service=service.address,
            on_step=lambda count: on_step(f"{count:,} products", count),
        )
    return _tell(exported, form)


@export.command("competing-offers")
@_listed("--product", "EAN[,EAN]", "Of these products.  [default: all that the seller offers]")
@options.option(
    "--channel", metavar="ID", help="Whose offers say which products.  [default: the primary one]"
)
@_out("competing-offers.xlsx")
@_sandbox
@options.configuration
@options.connection
@_form
@options.common
@click.pass_context
def competing_offers(
    ctx: click.Context,
    /,
    product: tuple[str, ...],
    channel: str | None,
    out: Path | None,
    form: str,
    **given: Any,
) -> int:
    """Bring what other sellers offer of the same products into a table.

    A row for each of their offers. The account needs to be opened for that, by special request.
    """
    from feedtool.areas.competition.export import CLOSED, Wish, export_competing_offers
    from feedtool.areas.competition.wire import fits

    refuse_two_services(ctx, given)
    if unfit := [one for one in product if not fits(one)]:
        raise UsageProblem(
            f"“{unfit[0]}” is neither an EAN nor a product_id", "give --product EAN,EAN"
        )
    target = _target(out or Path("competing-offers.xlsx"), may_replace=given["yes"])
    dialect = options.chosen(ctx).profile.dialect
    asked = on_channel(ctx, channel, given) or dialect.primary_channel
    with _reaching(ctx, given, form, CLOSED) as (service, around, on_step):
        exported = export_competing_offers(
            service.client,
            around,
            Wish(asked, product),
            target,
            dialect=dialect,
            language=cast("Any", given["language"]),
            on_step=lambda count: on_step(f"{count:,} products", count),
        )
    return _tell(exported, form)


@export.command("competing-offer-changes")
@_out("competing-offer-changes.xlsx")
@_sandbox
@options.configuration
@options.connection
@_form
@options.common
@click.pass_context
def competing_offer_changes(
    ctx: click.Context, /, out: Path | None, form: str, **given: Any
) -> int:
    """Bring what has changed of other sellers' offers into a table.

    Of the products that the seller offers, in the service's order. The account needs to be opened
    for that, by special request.
    """
    from feedtool.areas.competition.export import CLOSED, export_competing_changes

    refuse_two_services(ctx, given)
    target = _target(out or Path("competing-offer-changes.xlsx"), may_replace=given["yes"])
    with _reaching(ctx, given, form, CLOSED) as (service, around, on_step):
        exported = export_competing_changes(
            service.client,
            around,
            target,
            dialect=options.chosen(ctx).profile.dialect,
            language=cast("Any", given["language"]),
            on_step=lambda count: on_step(f"{count:,} products", count),
        )
    return _tell(exported, form)


def on_channel(ctx: click.Context, channel: str | None, given: dict[str, Any]) -> str | None:
    """The channel that was named; an account's setting is not meant for the sandbox."""
    if given["sandbox"]:
        return cast("str | None", options.on_command_line(ctx, "channel")["channel"])
    return channel


# What was asked for.


def _shape(kind: str) -> "Feed":
    from feedtool.areas.offers.export import SHAPES
    from feedtool.areas.registry import load

    if kind not in SHAPES:
        raise UsageProblem(f"offers cannot be exported as “{kind}”", f"shapes: {', '.join(SHAPES)}")
    return load().feeds[kind]


def _moment(text: str) -> datetime:
    """A date, or a date-time; UTC where it does not say."""
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageProblem(
            f"--since {text} is no date and no time",
            "write it like 2026-11-20, 2026-11-20T08:00Z or 2026-11-20T09:00+01:00",
        ) from error


def _check_lists(given: dict[str, Any]) -> None:
    """What travels in one address must fit into it."""
    from feedtool.areas.offers.wire.offers import OfferState
    from feedtool.model.call import comma_lists

    states = [str(state) for state in OfferState]
    if strangers := [one for one in given["state"] if one.casefold() not in states]:
        raise UsageProblem(f"there is no state “{strangers[0]}”", f"states: {', '.join(states)}")
    names = ("fields", "gtin", "reference", "offer_id")
    if len(list(comma_lists(one for name in names for one in given[name]))) > 1:
        raise UsageProblem(
            "the lists are longer than an address can hold",
            "name fewer, in several exports; without any, all offers are exported",
        )


def _target(target: Path, *, may_replace: bool) -> Path:
    """Where the file goes, once it is known that it can go there."""
    from feedtool.sheets.annotate.place import cannot_write

    if target.suffix.lower() not in ENDINGS:
        raise UsageProblem(
            f"{target} would be neither a workbook nor a CSV",
            f"let the name end with {' or '.join(ENDINGS)}",
        )
    if target.exists():
        if not target.is_file():
            raise UsageProblem(f"{target} is no file", "choose another place with --out")
        if not may_replace:
            raise UsageProblem(
                f"{target} is there already",
                "choose another name with --out, or replace it with --yes",
            )
    if not target.parent.is_dir():
        raise cannot_write(target, FileNotFoundError())
    if not os.access(target.parent, os.W_OK):
        raise cannot_write(target, PermissionError("the folder is read-only"))
    return target


# The service.


@contextmanager
def _reaching(
    ctx: click.Context,
    given: dict[str, Any],
    form: str,
    closed: tuple[str, str] | None = None,
) -> "Iterator[tuple[Session, Circumstances, Callable[[str, int], None]]]":
    """A way to the service that stops gently, and how far it is told meanwhile."""
    from feedtool.cli.connect import to_account, to_sandbox
    from feedtool.cli.signals import stopping
    from feedtool.service.fetch import Circumstances

    refuse_two_services(ctx, given)
    is_sandbox = given["sandbox"]
    if is_sandbox:  # it needs nothing else, and an account's settings are not meant for it
        given |= options.on_command_line(ctx, "seller", "token")
    given |= token_options(ctx)
    channel = ctx.params.get("channel") or options.chosen(ctx).profile.dialect.primary_channel
    account = {**given, "channel": channel}
    home = home_folder(given["home"]) if is_sandbox else None
    way = to_sandbox(home, given) if is_sandbox else to_account(account, "ask")
    with way as service, stopping(GO_ON) as stop, _progress(form) as on_step:
        # Where time is virtual there is nothing to wake from.
        sleep = service.sleep if is_sandbox else stop.sleep
        around = Circumstances(
            service.now,
            sleep,
            pool=service.pool,
            stopping=stop.reason,
            go_on=GO_ON,
            closed=closed,
            on_unreachable=partial(echo, "warning"),
            ahead=service.ahead,
        )
        yield service, around, on_step


@contextmanager
def _progress(form: str) -> "Iterator[Callable[[str, int], None]]":
    from feedtool.cli.progress import COUNTED, on_stderr
    from feedtool.delivery.events import Event
    from feedtool.report import progress_events

    if form == "jsonl":
        told = progress_events(sys.stdout)
        yield lambda text, done: told(text, done, None, "")
        return
    lines = on_stderr(time.monotonic)
    try:
        yield lambda text, done: lines.tell(Event(COUNTED[0], text, "", 0, None, None, done, 0))
    finally:
        lines.close()


def _tell(exported: "Exported", form: str) -> int:
    """What was written; 1 where something that was asked for is not in it."""
    from feedtool.report.export import write_exported

    for note in exported.notes:
        echo("warning" if note.is_loss else "note", note.text)
        if note.hint:
            echo("help", note.hint)
    write_exported(exported, sys.stdout, form)
    return Exit.ROWS if any(note.is_loss for note in exported.notes) else Exit.OK
