"""Packages and rows that this ledger does not know: open packages, and entries in answers."""

from collections.abc import Collection, Iterator
from contextlib import suppress

from feedtool.delivery.steps import Step
from feedtool.feeds.delivery import (
    AnswerPage,
    Endpoint,
    ListedPackage,
    LogEntry,
    Meaning,
    PackageLog,
    Staged,
    Submitted,
)
from feedtool.feeds.feed import Routes, Travel
from feedtool.feeds.package_ref import PackageRef
from feedtool.ledger import Ledger, Package
from feedtool.model.call import Failure, OutcomeUnknown, Sender
from feedtool.model.errors import FeedtoolError, NotAuthorised
from feedtool.model.nouns import Message, Status
from feedtool.model.settings import AccountSettings
from feedtool.model.text import plural, tr
from feedtool.service.answers import AnswerKind, Unreadable, kind_of, refusal
from feedtool.service.auth import HTTP_UNAUTHORISED
from feedtool.service.calls import Answer
from feedtool.service.fetch import not_authorised

MOST = 20
"""Packages that warnings name; others are counted."""

NO_ERROR = Message("", tr("The service counts no error in the package, and does not list it all."))

PAGES = 5
"""The most pages that are read of a list."""

OPEN = frozenset({Meaning.OPEN, Meaning.SETTLING})


def foreign_packages(
    ledger: Ledger, client: Sender, routes: Routes, meanings: Collection[Meaning] = OPEN
) -> list[str]:
    """A warning for each foreign package in one of these states, up to MOST; none without a list.

    Only NotAuthorised is raised: a seller who may not see the list (403) may be allowed to send.
    """
    protocols = (feed.travel.protocol for feed in routes.values())
    staged = {item.listing: item for item in protocols if isinstance(item, Staged)}.values()
    try:
        shown = {
            package.package_id: package
            for protocol in staged
            for package in _in_states(client, protocol, meanings)
        }
    except NotAuthorised:
        raise
    except (Unreadable, OutcomeUnknown) as error:
        return [tr("open packages that were not begun here are not known: {error}", error=error)]
    except (FeedtoolError, Failure):
        return []  # the delivery meets the same error, and reports it better
    listed = [package for package in shown.values() if package.meaning in meanings]
    known = ledger.known([package.package_id for package in listed])
    foreign = [package for package in listed if package.package_id not in known]
    warnings: list[str] = [
        tr(
            "package {id}{at} of this seller is open and was not begun here: offers that are in"
            " both are integrated in no certain order",
            id=package.package_id,
            at=f" ({package.created_at:%Y-%m-%d %H:%M} UTC)" if package.created_at else "",
        )
        for package in foreign[:MOST]
    ]
    if len(foreign) > MOST:
        warnings.append(
            plural(
                "{count:,} more package of this seller is open likewise",
                "{count:,} more packages of this seller are open likewise",
                len(foreign) - MOST,
            )
        )
    return warnings


def _in_states(
    client: Sender, protocol: Staged, meanings: Collection[Meaning]
) -> Iterator[ListedPackage]:
    """Packages by state, since open ones may be far behind; of all states if that is refused."""
    is_refused = False
    for state in protocol.states:
        if protocol.meaning(state) in meanings:
            try:
                yield from _listed(client, protocol.listing, state)
            except _ListRefused:  # another state's list may be shown
                is_refused = True
    if is_refused:
        with suppress(_ListRefused):
            yield from _listed(client, protocol.listing)


class _ListRefused(Exception):
    """The service does not show this list."""


def _listed(
    client: Sender, listing: Endpoint[AnswerPage[ListedPackage]], state: str = ""
) -> Iterator[ListedPackage]:
    ref = PackageRef("", "", "", AccountSettings(), state=state)
    for _ in range(PAGES):
        call = listing.call(ref)
        reply = client.send(call)
        if reply.status == HTTP_UNAUTHORISED:
            answer = Answer(AnswerKind.AUTH, refusal(reply).text, reply.status)
            raise not_authorised(answer, tr("Nothing was sent."))
        if kind_of(call, reply) is not AnswerKind.DONE:
            raise _ListRefused
        page = listing.read(reply)
        yield from page.items
        if page.next is None:
            return
        ref = ref._replace(link=page.next)


def without_foreign(
    step: Step,
    answer: Answer,
    package: Package,
    travel: Travel,
    ledger: Ledger,
    *,
    read_before: int,
    delivered: Collection[Package],
) -> Answer:
    """A successful answer without entries about rows and packages that it should not have.

    `read_before` is the number of the package's results that were read before, `delivered` are all
    packages of the delivery.
    """
    if answer.kind is not AnswerKind.DONE:
        return answer
    page, key = answer.value, package.key
    # As long as there are no more results than rows, foreign ones cannot swell the ledger.
    if step is Step.GET_RESULTS and read_before + len(page.items) > package.rows:
        known = ledger.references(key, [result.reference for result in page.items])
        page = page._replace(items=[item for item in page.items if item.reference in known])
    elif step is Step.GET_LOG:
        known = ledger.references(key, [entry.reference for entry in page.entries])
        entries = [entry for entry in page.entries if entry.reference in known]
        unmatched = [entry for entry in page.entries if entry.reference not in known and entry.gtin]
        protocol = travel.protocol
        outcome = protocol.outcome if isinstance(protocol, Submitted) else None
        if unmatched and isinstance(outcome, PackageLog):
            # Their references are foreign: the area matches them with the rows.
            pending = (row for row in ledger.pending(key) if row.reference not in known)
            entries += outcome.match(unmatched, pending)
        if page.meaning is Meaning.INTEGRATED and page.is_other(package.pages + 1):
            # No further page can be read: if the package has no error, no other row has one.
            left = (row.reference for row in ledger.pending(key) if page.errors == 0)
            entries += [LogEntry(name, "", Status.INTEGRATED, (NO_ERROR,)) for name in left]
        page = page._replace(entries=entries)
    elif step is Step.FIND_REPORT:
        ids = {item.package_id for item in page.items if item.package_id}
        others = ledger.known(ids) | {other.package_id for other in delivered}
        items = [item for item in page.items if item.package_id not in others]
        page = page._replace(items=items)
    return answer._replace(value=page)
