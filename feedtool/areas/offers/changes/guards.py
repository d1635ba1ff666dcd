"""Guards against mistakes in valid rows; their pages for users are in `problems.md`.

A row that a guard holds is sent only once the guard's code is released. Guards compare with known
offers only: without a history nothing is held.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from feedtool.areas.offers.changes.offer_state import PRICE, AcceptedOffer, OfferFields
from feedtool.feeds.rule import Problems, guard_issue
from feedtool.feeds.selection import EarlierFile
from feedtool.model.nouns import Code, Issue, Item
from feedtool.model.settings import Guards
from feedtool.model.text import MessageText, tr

PROBLEMS = Problems("feedtool.areas.offers.changes")

FILE_SHRUNK = PROBLEMS.error("file-shrunk")
MASS_REMOVAL = PROBLEMS.error("mass-removal")
PRICE_BELOW_FLOOR = PROBLEMS.error("price-below-floor")
PRICE_CHANGE = PROBLEMS.error("price-change")
PRICE_FACTOR = PROBLEMS.error("price-factor")

GUARDS: Mapping[str, Code] = {
    code.name: code
    for code in (FILE_SHRUNK, MASS_REMOVAL, PRICE_BELOW_FLOOR, PRICE_CHANGE, PRICE_FACTOR)
}


class Candidate(NamedTuple):
    """A row that would be sent."""

    item: Item
    fields: OfferFields
    offer: AcceptedOffer | None
    """The last accepted offer of its reference."""


class Removals(NamedTuple):
    """The offers or stocks that a file removes, and all that are known."""

    removed: int
    known: int
    channel: str | None
    """The channel of the offers; None for stocks, which all channels share."""
    are_deleted: bool = False
    """True if `removed` are deleted offers of all known; False if they are offers deleted or set to
    stock zero, of all that are not known to be at zero."""


class Holding(NamedTuple):
    """An issue that holds several rows."""

    issue: Issue
    channel: str | None = None
    """The channel of the rows; None for all channels."""
    only_removals: bool = False
    """True if it holds only rows that delete an offer or set its stock to zero."""


def _rounded(value: float) -> MessageText:
    """Return a number rounded to a tenth: `1,234.5`, `40`."""
    is_whole = f"{value:.1f}".endswith(".0")
    return tr("{value:,.0f}", value=value) if is_whole else tr("{value:,.1f}", value=value)


# Guards of a file.


def check_shrunk(rows: int, before: EarlierFile | None, settings: Guards) -> Iterator[Holding]:
    """Compare the number of rows with the predecessor's."""
    if not settings.fewer_rows or before is None or before.rows < max(settings.least, 1):
        return
    percent = (before.rows - rows) / before.rows * 100
    if percent > settings.fewer_rows:
        text = tr(
            "the file has {rows:,} rows, and its predecessor, of run {run}, had {before:,}:"
            " {percent} % fewer (allowed: {allowed} %)",
            rows=rows,
            run=before.run_id,
            before=before.rows,
            percent=_rounded(percent),
            allowed=settings.fewer_rows,
        )
        yield Holding(guard_issue(FILE_SHRUNK, text))


def check_removals(every: Iterable[Removals], settings: Guards) -> Iterator[Holding]:
    """Compare the removals of a file with the known offers and stocks."""
    for removals in every:
        if not settings.removals or removals.known < max(settings.least, 1):
            continue
        percent = removals.removed / removals.known * 100
        if percent > settings.removals:
            text = tr(
                "{what}, {percent} % (allowed: {allowed} %)",
                what=_describe(removals),
                percent=_rounded(percent),
                allowed=settings.removals,
            )
            yield Holding(guard_issue(MASS_REMOVAL, text), removals.channel, only_removals=True)


def _describe(removals: Removals) -> MessageText:
    count, known, channel = removals.removed, removals.known, removals.channel
    if channel is None:
        return tr(
            "{count:,} of the {known:,} stocks known above zero, which all channels share, would be"
            " set to zero",
            count=count,
            known=known,
        )
    values = {"count": count, "known": known, "channel": channel}
    if removals.are_deleted:
        return tr("{count:,} of the {known:,} offers known on {channel} would be deleted", **values)
    return tr(
        "{count:,} of the {known:,} offers known on {channel}, not counting those at stock zero,"
        " would be deleted or set to stock zero",
        **values,
    )


# Guards of a row.


def check_floor(row: Candidate, _: Guards) -> Issue | None:
    price, floor = row.fields.get(PRICE), row.item.floor
    if price is None or floor is None or price >= floor:
        return None
    message = tr("the price {price} is below its floor of {floor}", price=price, floor=floor)
    return guard_issue(PRICE_BELOW_FLOOR, message, "price.price")


def check_change(row: Candidate, settings: Guards) -> Issue | None:
    """Compare the price with the last accepted one, in percent."""
    new, old = row.fields.get(PRICE), row.offer and row.offer.last_price
    if not (settings.price_change and new and old):
        return None
    # Rounded, since a tenth less as floats may be a little more than a tenth.
    percent = round((new - old) / old * 100, 6)
    if abs(percent) <= settings.price_change:
        return None
    values = {"old": old, "new": new, "allowed": settings.price_change}
    values["percent"] = _rounded(abs(percent))
    message = (
        tr(
            "the price goes from {old}, as last accepted, to {new}: {percent} % more"
            " (allowed: {allowed} %)",
            **values,
        )
        if percent > 0
        else tr(
            "the price goes from {old}, as last accepted, to {new}: {percent} % less"
            " (allowed: {allowed} %)",
            **values,
        )
    )
    return guard_issue(PRICE_CHANGE, message, "price.price")


FACTOR_TOLERANCE = 0.95
"""Share of the factor that is enough: a price with a lost decimal sign may also differ slightly."""


def check_factor(row: Candidate, settings: Guards) -> Issue | None:
    """Compare the price with the last accepted one, by the factor between them."""
    new, old = row.fields.get(PRICE), row.offer and row.offer.last_price
    if not (settings.price_factor and new and old):
        return None
    factor = max(new / old, old / new)
    if factor < float(settings.price_factor) * FACTOR_TOLERANCE:
        return None
    values = {"old": old, "new": new, "factor": _rounded(factor)}
    message = (
        tr(
            "the price goes up from {old}, as last accepted, to {new}: by a factor of {factor}",
            **values,
        )
        if new > old
        else tr(
            "the price goes down from {old}, as last accepted, to {new}: by a factor of {factor}",
            **values,
        )
    )
    return guard_issue(PRICE_FACTOR, message, "price.price")


ROW_CHECKS: Mapping[str, Callable[[Candidate, Guards], Issue | None]] = {
    PRICE_BELOW_FLOOR.name: check_floor,
    PRICE_CHANGE.name: check_change,
    PRICE_FACTOR.name: check_factor,
}
