"""What an export shows is remembered in the ledger, so that --changed-only knows it."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from feedtool.cli.errors import echo
from feedtool.cli.home import home_folder
from feedtool.model.errors import Interrupted, NothingToDo
from feedtool.model.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from feedtool.areas.offers.wire.offers import Offer
    from feedtool.model.settings import Dialect
    from feedtool.runs.session import Session


@contextmanager
def noting(
    given: dict[str, Any], service: "Session", channel: str, dialect: "Dialect", *, is_all: bool
) -> "Iterator[Callable[[Offer], None]]":
    """Takes the offers that come, and remembers them at the end, where it is reached.

    Args:
        given: The command's options.
        service: Where they come from.
        channel: The channel that they are on.
        dialect: The profile's.
        is_all: Whether they are all that the channel has.
    """
    from feedtool.areas.offers.changes.observed import Seen, see
    from feedtool.areas.offers.changes.projection import absorb, count_absorbed
    from feedtool.cli.home import books
    from feedtool.runs.export.seen import seen_by

    home = home_folder(given["home"])
    with books(home, given["ledger"]) as opened:
        whose = opened.ledger.engine, service.address, service.seller
        absorb(*whose)  # what was sent before comes first
        absorbed, begun = count_absorbed(*whose), service.now()
        offers: Spool[Seen] = Spool(Seen)
        seen = seen_by(dialect)
        nothing: NothingToDo | None = None
        try:
            yield lambda offer: offers.append(seen(offer))
        except NothingToDo as error:  # what there is not is worth knowing, too
            nothing = error
        try:
            is_noted = see(
                *whose,
                channel,
                offers,
                between=(begun, service.now()),
                is_all=is_all,
                absorbed=absorbed,
            )
        except Interrupted as error:
            echo("warning", f"what was exported is not remembered: {error.message}")
        else:
            if not is_noted:
                echo(
                    "note", "what was exported is not remembered, since offers were sent meanwhile"
                )
        if nothing:
            raise nothing
