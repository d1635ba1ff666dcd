"""What the answer to a step makes of a legacy zip: `RULES`. Pure.

Specification, part "Legacy offer routes": one POST takes a zip in, and what becomes of each offer
stands in its log, of which a page is read at a time. A zip is stage and commit in one, and the
service lists none, hence:
- after a POST of unknown outcome the offers decide: an offer that is as it was asked for, and
  touched since, is integrated; once the zip must have been integrated, one that is plainly as it
  was goes into a later zip;
- a purge is never repeated by itself, whatever the offers show;
- a refused zip goes on in halves unless the package itself is to blame, such as its channel; a
  purge does not: the second half would delete the first;
- the log is read from its first page to its last once the package is final. Entries are matched by
  the SellerProductId, then by the EAN.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from feedtool.areas.legacy.offers_xml import ATTRIBUTES
from feedtool.areas.offers.wire.packages import Meaning
from feedtool.delivery import seek
from feedtool.delivery.batches import A_SECOND, TAKEN
from feedtool.delivery.decide import Do
from feedtool.delivery.progress import Learnt, Now, closed, failed, forward, later, poll_pause
from feedtool.delivery.refusals import ABOUT_THE_CONTENT, GONE, message_of, stopped
from feedtool.ledger import Phase, Stage
from feedtool.model.nouns import Message, PackageType, Status
from feedtool.service.answers import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import timedelta

    from feedtool.areas.legacy.wire import Entry, LogPage
    from feedtool.areas.offers.wire.offers import Offer, OffersPage
    from feedtool.delivery.answer import Answer
    from feedtool.delivery.decide import Step
    from feedtool.ledger import Awaited, Fate, Package, Sought
    from feedtool.model.settings import Dialect

WRONG_KIND = 415
"""The service takes no zips sent in this way."""
OF_THE_PACKAGE = frozenset(
    ("Name", "PurgeAndReplace", "PackageType", "PublicationPool", "SalesChannelId", "Id")
)
"""Causes of a refusal that are about no offer: attributes of the root and of the pools."""
NO_REASON = "The service rejected the package and gave no reason."


# SEND.


def _sent(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    after = forward(
        package,
        now,
        phase=Phase.SUBMITTED,
        package_id=answer.value,
        state=TAKEN,
        uploads=(Stage.STAGED,),
        created_at=answer.at or now.service_time,
        pages=0,
    )
    return Learnt(replace(after, due=now.time + poll_pause(0)))


def _refused(package: Package, step: Step, answer: Answer, now: Now) -> Learnt:
    """Its rows go into later zips, in halves; a row that is alone is to blame, and any purge.

    All are refused at once where the package itself is to blame, which then has the message.
    """
    if answer.status not in ABOUT_THE_CONTENT:
        return stopped(package, step, answer, now)
    after, message = replace(package, uploads=(Stage.REFUSED,)), message_of(answer)
    said = message if _is_of_the_package(answer) else None
    return Learnt(closed(after, now, said), refused=(1, message))


def _is_of_the_package(answer: Answer) -> bool:
    """Whether a refusal is for what all halves have in common, so that they would share it."""
    causes = answer.refusal.causes if answer.refusal else frozenset()
    return answer.status == WRONG_KIND or (bool(causes) and causes <= OF_THE_PACKAGE)


def _in_doubt(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    return failed(replace(package, uploads=(Stage.DOUBTFUL,)), answer, now)


# LOG.


def _logged(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    page: LogPage = answer.value
    changed = page.state != package.state
    seen = replace(package, state=page.state)
    if page.meaning not in {Meaning.INTEGRATED, Meaning.REJECTED}:
        if not changed:
            return Learnt(later(seen, now, poll_pause(package.tries)))
        return Learnt(replace(forward(seen, now), due=now.time + poll_pause(0)))
    results = [(one.reference, one.status, one.messages) for one in page.entries]
    pages = package.pages + 1
    after = forward(
        seen,
        now,
        phase=Phase.INTEGRATED,
        pages=pages,
        finished_at=package.finished_at or answer.at or now.service_time,
        message=_said_of_all(page) or package.message,
    )
    if not _is_last(package, page, pages):
        return Learnt(after, results)
    if page.meaning is Meaning.REJECTED:
        return Learnt(closed(after, now, after.message or Message("", NO_REASON)), results)
    read = replace(after, phase=Phase.READ, pages=0, readings=package.readings + 1)
    return Learnt(read, results)


def _not_logged(package: Package, _step: Step, answer: Answer, now: Now) -> Learnt:
    """Not yet; or, once it must have been integrated, no longer: then the offers decide."""
    if answer.status not in GONE or _since(package, now) < now.settings.before_resending:
        return Learnt(later(package, now, poll_pause(package.tries), pages=0))
    text = f"The service no longer has package {package.package_id}: {answer.detail}"
    return Learnt(forward(package, now, phase=Phase.LOOKING, message=Message("", text)))


def _said_of_all(page: LogPage) -> Message | None:
    """Why a package is rejected as a whole, of all that is said the first code."""
    if not page.about_all:
        return None
    text = " ".join(message.text for message in page.about_all)
    return Message(page.about_all[0].code, text)


def _is_last(package: Package, page: LogPage, pages: int) -> bool:
    """Whether no page follows; more pages than rows are a circle."""
    if pages > package.rows:
        return True
    return pages >= page.pages if page.pages is not None else not page.entries


def matched(page: LogPage, known: set[str], awaited: Callable[[], Iterable[Awaited]]) -> LogPage:
    """A page whose entries have the references of our rows; the others are left out.

    Args:
        page: As the service gave it.
        known: Those of its references that are of the package.
        awaited: The rows of the package without a result; read where a reference is not known.
    """
    entries = [one for one in page.entries if one.reference in known]
    strange = [one for one in page.entries if one.reference not in known and one.gtin]
    if strange:
        entries += _by_gtin(strange, (row for row in awaited() if row.reference not in known))
    return page._replace(entries=entries)


def _by_gtin(entries: Sequence[Entry], rows: Iterable[Awaited]) -> Iterator[Entry]:
    """Entries of a GTIN that a single row has: of two conditions of a product nothing is known."""
    by_gtin: dict[str, list[str]] = {}
    for row in rows:
        by_gtin.setdefault(row.product.partition("|")[0].lstrip("0"), []).append(row.reference)
    for one in entries:
        references = by_gtin.get(one.gtin.lstrip("0"), [])
        if len(references) == 1:
            yield one._replace(reference=references[0])


# SEEK.


def decided(package: Package, rows: Sequence[Sought], page: OffersPage, now: Now) -> list[Fate]:
    """What the offers tell of the rows of a zip, but for those that a further page may show."""
    is_full = package.package_type is not PackageType.STOCK_AND_PRICE
    pairs = partial(_pairs if is_full else _pairs_of_stock_and_price, now.settings.dialect)
    fates = seek.decided(_since_sent(package, now), rows, page, pairs)
    if package.phase is Phase.SUBMITTING and _since(package, now) < now.settings.before_resending:
        # It may be integrated yet, so nothing speaks against any row.
        return [fate for fate in fates if fate.status is Status.INTEGRATED]
    return fates


def _since(package: Package, now: Now) -> timedelta:
    """How long ago it was sent."""
    return now.time - (package.committed_at or now.time)


def _since_sent(package: Package, now: Now) -> Package:
    """When it was sent by the service's clock; without an answer as early as it may have been."""
    if package.created_at is not None or package.committed_at is None:
        return package
    return replace(package, created_at=package.committed_at + now.skew - A_SECOND)


def _pairs_of_stock_and_price(
    _: Dialect, request: Mapping[str, Any], offer: Offer
) -> Iterator[tuple[object, object]]:
    """The price alone: the stock proves nothing, since sales move it."""
    if "Price" in request:
        yield Decimal(request["Price"]), offer.price


def _pairs(
    dialect: Dialect, request: Mapping[str, Any], offer: Offer
) -> Iterator[tuple[object, object]]:
    """What an Offer asked for, and what the offer has in its place."""
    yield from _pairs_of_stock_and_price(dialect, request, offer)
    if "ProductEan" in request:
        yield request["ProductEan"].lstrip("0"), offer.gtin and offer.gtin.lstrip("0")
    yield request["ProductCondition"], dialect.legacy_conditions.get(offer.condition or "")
    yield int(request["PreparationTime"]), offer.preparation_time
    yield _taxes(dialect, request), offer.taxes
    asked = _modes(dialect, request)
    if asked is not None:
        yield asked, offer.delivery_modes


def _taxes(dialect: Dialect, request: Mapping[str, Any]) -> dict[str, Decimal]:
    """By the codes, and on the scale, that the account's offers have."""
    family = "taxes."
    amounts = {
        one.key.removeprefix(family): Decimal(request[one.name])
        for one in ATTRIBUTES
        if one.key.startswith(family)
    }
    amounts["VAT"] = amounts["VAT"] * dialect.vat_scale / 100
    return {dialect.tax_codes[name]: amount for name, amount in amounts.items()}


def _modes(
    dialect: Dialect, request: Mapping[str, Any]
) -> dict[str, tuple[Decimal, Decimal]] | None:
    """By their names in the offers; None where one of them has none there."""
    asked = {
        dialect.legacy_modes.get(one["DeliveryMode"]): (
            Decimal(one["ShippingCharges"]),
            Decimal(one["AdditionalShippingCharges"]),
        )
        for one in request["ShippingInformation"]
    }
    named = {name: amounts for name, amounts in asked.items() if name}
    return named if len(named) == len(request["ShippingInformation"]) else None


RULES: dict[tuple[Do, Kind], Callable[[Package, Step, Answer, Now], Learnt]] = {
    (Do.SEND, Kind.DONE): _sent,
    (Do.SEND, Kind.REFUSED): _refused,
    (Do.SEND, Kind.UNKNOWN): _in_doubt,
    (Do.LOG, Kind.DONE): _logged,
    (Do.LOG, Kind.REFUSED): _not_logged,
}
"""What each kind of answer that is about zips alone makes of one; `learn.RULES` has them all."""
