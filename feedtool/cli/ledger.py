"""`feedtool ledger`: whether the ledger is whole, and a copy of it while others work."""

from pathlib import Path

import click

from feedtool.cli import options
from feedtool.cli.errors import CONSOLE, echo
from feedtool.cli.help import HelpfulCommand, HelpfulGroup
from feedtool.cli.home import LEDGER, home_path
from feedtool.ledger import integrity
from feedtool.ledger.migrations import VERSION
from feedtool.model.errors import CannotWrite, UsageProblem
from feedtool.model.text import tr
from feedtool.sheets.atomic_write import atomic_write

_which = options.group(options.config_file, options.showing_alone, options.home, options.database)


@click.group(cls=HelpfulGroup, no_args_is_help=False)
def ledger() -> None:
    """See whether the ledger is whole, or copy it while others work.

    The ledger remembers what was sent, and the answers of the service.
    """


@ledger.command(cls=HelpfulCommand)
@_which
def check(home: Path | None, ledger: str | None) -> None:
    """See whether the ledger is whole.

    SQLite's own check reads all of its file. Of PostgreSQL only version and tables are looked at.
    Nothing is changed, and others work meanwhile. The exit code is 2 where something is wrong.
    """
    look = integrity.check(ledger or home_path(home) / LEDGER)
    values = {"shown": look.shown, "version": look.version}
    if look.is_file:
        text = tr("The ledger {shown} is whole. It is of version {version}.", **values)
    else:
        text = tr("The ledger {shown} is of version {version}, and has its tables.", **values)
    click.echo(CONSOLE.say(text))
    if look.version < VERSION:
        later = tr("the next command that uses it makes it version {version}", version=VERSION)
        echo("note", later)


@ledger.command(cls=HelpfulCommand)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@_which
def backup(file: Path | None, home: Path | None, ledger: str | None) -> None:
    """Copy the ledger's file while others work.

    The copy has the ledger of one moment. It is FILE, which must not be there yet, or
    ledger-TIME.sqlite here, and is there once it is whole and checked. A damaged ledger is not
    copied. For PostgreSQL use pg_dump.
    """
    target = file or Path(f"ledger-{CONSOLE.clock.now():%Y-%m-%dT%H%M%SZ}.sqlite")

    def refuse_existing(_: Path) -> None:
        if target.exists():
            raise UsageProblem(
                tr("{target} is there already", target=target), tr("name another FILE")
            )

    refuse_existing(target)
    try:
        with atomic_write(target, refuse_existing, is_private=True) as copy:
            integrity.back_up(ledger or home_path(home) / LEDGER, copy)
    except CannotWrite as error:
        hint = tr("name another FILE, in a folder that is there and has room")
        raise CannotWrite(error.message, hint) from error
    echo("made", str(target))
