"""Open packages of the seller that are not of this ledger: somebody else is at work.

They may hold the same references, and which of the two is integrated last is anybody's guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.errors import FeedtoolError, NotAuthorised
from feedtool.service import wire
from feedtool.service.answers import Kind, kind_of
from feedtool.service.auth import HTTP_UNAUTHORISED
from feedtool.service.fetch import not_authorised
from feedtool.service.offers import packages_page
from feedtool.service.packages import STATES, Meaning, Unreadable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from feedtool.ledger import Ledger
    from feedtool.service.offers import ListedPackage
    from feedtool.service.wire import Sender

PAGES = 5
"""So many pages of the list are looked at; what is open is among the newest."""


def strangers(
    ledger: Ledger, client: Sender, meanings: Collection[Meaning] = (Meaning.OPEN,)
) -> list[str]:
    """A warning for each in such a state; none where the service does not show the list.

    Raises:
        NotAuthorised: There is no token, or the service does not accept it. Nothing else is
            raised: a seller who may not see the list (403) may still be allowed to send.
    """
    try:
        found = [one for one in _listed(client) if STATES.get(one.state) in meanings]
    except NotAuthorised:
        raise
    except (FeedtoolError, Unreadable, wire.Failure):
        return []  # whatever it is, the delivery meets it too, and tells it better
    known = ledger.known([one.package_id for one in found])
    return [
        f"package {one.package_id} of this seller is open and was not begun here"
        + (f" ({one.created_at:%Y-%m-%d %H:%M} UTC)" if one.created_at else "")
        + ": offers that are in both are integrated in no certain order"
        for one in found
        if one.package_id not in known
    ]


def _listed(client: Sender) -> Iterator[ListedPackage]:
    link: str | None = None
    for _ in range(PAGES):
        call = wire.read_packages(link)
        reply = client.send(call)
        if reply.status == HTTP_UNAUTHORISED:
            raise not_authorised(reply, "Nothing was sent.")
        if kind_of(call, reply) is not Kind.DONE:
            return
        page = packages_page(reply)
        yield from page.packages
        link = page.next
        if link is None:
            return
