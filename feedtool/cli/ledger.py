"""`feedtool ledger`: check the ledger, and copy it while other commands use it."""

from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.cli.console import CONSOLE, LEDGER, echo, home_path
from feedtool.cli.help import HelpfulGroup
from feedtool.cli.options import CONFIG_FILE, DATABASE, HOME, Showing
from feedtool.cli.typed import command_of
from feedtool.ledger import integrity
from feedtool.ledger.migrations import VERSION
from feedtool.model.errors import CannotWrite, UsageProblem
from feedtool.model.text import tr
from feedtool.sheets.atomic_write import atomic_write


class LedgerOptions(Struct, frozen=True, kw_only=True):
    """The options that select the ledger."""

    config: Annotated[None, CONFIG_FILE] = None
    showing: Showing
    home: Annotated[Path | None, HOME]
    ledger: Annotated[str | None, DATABASE]


class BackupOptions(Struct, frozen=True, kw_only=True):
    file: Annotated[
        Path | None, click.Argument(["file"], required=False, type=click.Path(path_type=Path))
    ]
    source: LedgerOptions


@click.group(cls=HelpfulGroup, no_args_is_help=False)
def ledger() -> None:
    """See whether the ledger is whole, or copy it while others work.

    The ledger remembers what was sent, and the answers of the service.
    """


@command_of(LedgerOptions, group=ledger)
def check(_: click.Context, options: LedgerOptions) -> None:
    """See whether the ledger is whole.

    SQLite's own check reads all of its file. Of PostgreSQL only version and tables are looked at.
    Nothing is changed, and others work meanwhile. The exit code is 2 where something is wrong.
    """
    look = integrity.check(options.ledger or home_path(options.home) / LEDGER)
    values = {"shown": look.shown, "version": look.version}
    if look.is_file:
        text = tr("The ledger {shown} is whole. It is of version {version}.", **values)
    else:
        text = tr("The ledger {shown} is of version {version}, and has its tables.", **values)
    click.echo(CONSOLE.say(text))
    if look.version < VERSION:
        later = tr("the next command that uses it makes it version {version}", version=VERSION)
        echo("note", later)


@command_of(BackupOptions, group=ledger)
def backup(_: click.Context, options: BackupOptions) -> None:
    """Copy the ledger's file while others work.

    The copy has the ledger of one moment. It is FILE, which must not be there yet, or
    ledger-TIME.sqlite here, and is there once it is whole and checked. A damaged ledger is not
    copied. For PostgreSQL use pg_dump.
    """
    source = options.source
    target = options.file or Path(f"ledger-{CONSOLE.clock.now():%Y-%m-%dT%H%M%SZ}.sqlite")

    def refuse_existing(_: Path) -> None:
        if target.exists():
            raise UsageProblem(
                tr("{target} exists already", target=target), tr("name another FILE")
            )

    refuse_existing(target)
    try:
        with atomic_write(target, refuse_existing, is_private=True) as copy:
            integrity.back_up(source.ledger or home_path(source.home) / LEDGER, copy)
    except CannotWrite as error:
        hint = tr("name another FILE, in a folder that is there and has room")
        raise CannotWrite(error.message, hint) from error
    echo("made", str(target))
