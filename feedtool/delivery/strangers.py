"""What is not of this ledger: open packages of the seller, and what answers say of other rows.

Somebody else is at work there. Open packages may hold the same references, and which of the two is
integrated last is anybody's guess.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from feedtool.areas.offers.wire.offers import packages_page, read_packages
from feedtool.areas.offers.wire.packages import STATES, Meaning
from feedtool.delivery.decide import Do
from feedtool.delivery.zips import matched
from feedtool.model.call import Failure, OutcomeUnknown
from feedtool.model.errors import FeedtoolError, NotAuthorised
from feedtool.service.answers import Kind, kind_of
from feedtool.service.auth import HTTP_UNAUTHORISED
from feedtool.service.bodies import Unreadable
from feedtool.service.fetch import not_authorised

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from feedtool.areas.offers.wire.offers import ListedPackage
    from feedtool.delivery.answer import Answer
    from feedtool.ledger import Ledger, Package
    from feedtool.model.call import Sender

MOST = 20
"""So many are named; of the others it is said how many there are."""

PAGES = 5
"""So many pages of the list are looked at; what is open is among the newest."""


def strangers(
    ledger: Ledger, client: Sender, meanings: Collection[Meaning] = (Meaning.OPEN,)
) -> list[str]:
    """A warning for each in such a state, up to MOST; none where the service shows no list.

    Raises:
        NotAuthorised: There is no token, or the service does not accept it. Nothing else is
            raised: a seller who may not see the list (403) may still be allowed to send.
    """
    try:
        listed = [one for one in _listed(client) if STATES.get(one.state) in meanings]
    except NotAuthorised:
        raise
    except (Unreadable, OutcomeUnknown) as error:
        return [f"open packages that were not begun here are not known: {error}"]
    except (FeedtoolError, Failure):
        return []  # whatever it is, the delivery meets it too, and tells it better
    known = ledger.known([one.package_id for one in listed])
    found = [one for one in listed if one.package_id not in known]
    warnings = [
        f"package {one.package_id} of this seller is open and was not begun here"
        + (f" ({one.created_at:%Y-%m-%d %H:%M} UTC)" if one.created_at else "")
        + ": offers that are in both are integrated in no certain order"
        for one in found[:MOST]
    ]
    if len(found) > MOST:
        warnings.append(f"{len(found) - MOST:,} more packages of this seller are open likewise")
    return warnings


def _listed(client: Sender) -> Iterator[ListedPackage]:
    link: str | None = None
    for _ in range(PAGES):
        call = read_packages(link)
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


def without_strangers(
    do: Do,
    answer: Answer,
    package: Package,
    ledger: Ledger,
    *,
    seen: int,
    ours: Collection[Package],
) -> Answer:
    """A success without what it says of rows and packages that are not those it was asked for.

    Args:
        do: The step that it answers.
        answer: As the service gave it.
        package: The one that it is about.
        ledger: Which knows our rows and packages.
        seen: How many results of the package were read before.
        ours: All packages that are being delivered.
    """
    if answer.kind is not Kind.DONE:
        return answer
    page, key = answer.value, package.key
    # While there are no more results than rows nobody else's can swell the ledger.
    if do is Do.FETCH and seen + len(page.results) > package.rows:
        known = ledger.references(key, [result.reference for result in page.results])
        results = [result for result in page.results if result.reference in known]
        page = page._replace(results=results)
    elif do is Do.LOG:
        known = ledger.references(key, [entry.reference for entry in page.entries])
        page = matched(page, known, partial(ledger.awaited, key))
    elif do is Do.FIND:
        ids = {item.package_id for item in page.items if item.package_id}
        others = ledger.known(ids) | {one.package_id for one in ours}
        items = [item for item in page.items if item.package_id not in others]
        page = page._replace(items=items)
    return answer._replace(value=page)
