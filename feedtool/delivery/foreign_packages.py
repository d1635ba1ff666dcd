"""Packages and rows that are not of this ledger: those that are open, and those in answers.

Somebody else is at work there. Open packages may hold the same references, and which of the two is
integrated last is anybody's guess.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from feedtool.delivery.steps import Step
from feedtool.feeds.answers import AnswerPage, ListedPackage, LogPage, Meaning
from feedtool.feeds.delivery import Endpoint, PackageLog, PackageRef, Protocol, Staged, Submitted
from feedtool.feeds.feed import Routes
from feedtool.ledger import Ledger, Package
from feedtool.model.call import Failure, OutcomeUnknown, Sender
from feedtool.model.errors import FeedtoolError, NotAuthorised
from feedtool.model.nouns import PendingRow
from feedtool.model.settings import AccountSettings
from feedtool.service.answers import AnswerKind, Unreadable, kind_of, refusal
from feedtool.service.auth import HTTP_UNAUTHORISED
from feedtool.service.calls import Answer
from feedtool.service.fetch import not_authorised

MOST = 20
"""So many are named; the others are counted."""

PAGES = 5
"""So many pages of the list are looked at; what is open is among the newest."""


def foreign_packages(
    ledger: Ledger, client: Sender, routes: Routes, meanings: Collection[Meaning] = (Meaning.OPEN,)
) -> list[str]:
    """A warning for each in such a state, up to MOST; none where the service shows no list.

    Raises:
        NotAuthorised: There is no token, or the service does not accept it. Nothing else is
            raised: a seller who may not see the list (403) may still be allowed to send.
    """
    protocols = (feed.delivery for feed in routes.values())
    listings = {protocol.listing for protocol in protocols if isinstance(protocol, Staged)}
    try:
        listed = [
            package
            for listing in listings
            for package in _listed(client, listing)
            if package.meaning in meanings
        ]
    except NotAuthorised:
        raise
    except (Unreadable, OutcomeUnknown) as error:
        return [f"open packages that were not begun here are not known: {error}"]
    except (FeedtoolError, Failure):
        return []  # whatever it is, the delivery meets it too, and tells it better
    known = ledger.known([package.package_id for package in listed])
    foreign = [package for package in listed if package.package_id not in known]
    warnings = [
        f"package {package.package_id} of this seller is open and was not begun here"
        + (f" ({package.created_at:%Y-%m-%d %H:%M} UTC)" if package.created_at else "")
        + ": offers that are in both are integrated in no certain order"
        for package in foreign[:MOST]
    ]
    if len(foreign) > MOST:
        warnings.append(f"{len(foreign) - MOST:,} more packages of this seller are open likewise")
    return warnings


def _listed(
    client: Sender, listing: Endpoint[AnswerPage[ListedPackage]]
) -> Iterator[ListedPackage]:
    ref = PackageRef("", "", "", AccountSettings())
    for _ in range(PAGES):
        call = listing.call(ref)
        reply = client.send(call)
        if reply.status == HTTP_UNAUTHORISED:
            answer = Answer(AnswerKind.AUTH, refusal(reply).text, reply.status)
            raise not_authorised(answer, "Nothing was sent.")
        if kind_of(call, reply) is not AnswerKind.DONE:
            return
        page = listing.read(reply)
        yield from page.items
        if page.next is None:
            return
        ref = ref._replace(link=page.next)


def without_foreign(
    step: Step,
    answer: Answer,
    package: Package,
    protocol: Protocol,
    ledger: Ledger,
    *,
    seen: int,
    ours: Collection[Package],
) -> Answer:
    """A success without its entries about rows and packages that it was not asked for.

    Args:
        step: The step that it answers.
        answer: As the service gave it.
        package: The one that it is about.
        protocol: The package's.
        ledger: Knows our rows and packages.
        seen: The number of results of the package that were read before.
        ours: All packages that are being delivered.
    """
    if answer.kind is not AnswerKind.DONE:
        return answer
    page, key = answer.value, package.key
    # While there are no more results than rows nobody else's can swell the ledger.
    if step is Step.GET_RESULTS and seen + len(page.items) > package.rows:
        known = ledger.references(key, [result.reference for result in page.items])
        results = [result for result in page.items if result.reference in known]
        page = page._replace(items=results)
    elif step is Step.GET_LOG and isinstance(protocol, Submitted):
        known = ledger.references(key, [entry.reference for entry in page.entries])
        page = own_entries(page, known, partial(ledger.pending, key), protocol)
    elif step is Step.FIND_REPORT:
        ids = {item.package_id for item in page.items if item.package_id}
        others = ledger.known(ids) | {other.package_id for other in ours}
        items = [item for item in page.items if item.package_id not in others]
        page = page._replace(items=items)
    return answer._replace(value=page)


def own_entries(
    page: LogPage,
    known: set[str],
    pending: Callable[[], Iterable[PendingRow]],
    protocol: Submitted,
) -> LogPage:
    """A page whose entries have the references of our rows; the others are left out.

    `known` are those of its references that are of the package. The `pending` rows, without a
    result, are read only where a reference is not known: the protocol matches them.
    """
    entries = [entry for entry in page.entries if entry.reference in known]
    strange = [entry for entry in page.entries if entry.reference not in known and entry.gtin]
    if strange and isinstance(protocol.outcome, PackageLog):
        entries += protocol.outcome.match(
            strange, (row for row in pending() if row.reference not in known)
        )
    return page._replace(entries=entries)
