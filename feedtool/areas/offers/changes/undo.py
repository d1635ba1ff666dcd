"""The rows that undo a run: its offers as accepted before.

They contain only values that the run has changed, of offers that have not changed since as far as
known: by no later run, and by no export that showed other values.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Engine, Row, func, select

from feedtool.areas.offers import columns
from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.accepted import (
    AcceptedOffers,
    EarlierOffer,
    read_earlier,
    scope_of,
)
from feedtool.areas.offers.changes.effects import KnownOffer, money
from feedtool.areas.offers.changes.offer_state import OfferFields
from feedtool.areas.offers.changes.projection import FAILED, NEVER_SENT, read_rows
from feedtool.areas.offers.delivery import LEGACY_TYPES, PackageType, exact
from feedtool.areas.offers.rows import OfferRows
from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.offers.wire.offers import DeliveryMode, Offer
from feedtool.feeds.memory import UndoOptions, UndoRow
from feedtool.ledger import tables as t
from feedtool.ledger.database import reading
from feedtool.ledger.records import Run
from feedtool.ledger.row_results import RowFacts, row_result
from feedtool.model.cells import Value
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item, Status
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, tr

NOT_KNOWN = tr("its state before the run is not known here")
MAYBE_CREATED = tr(
    "its state before the run is not known here; if the run created it, --delete-created removes it"
)
CREATED = tr("the run created it; --delete-created removes it")
REMOVED = tr("the run removed it; send its row again to sell it")
IN_DOUBT = tr("its result in the run is not known")
ON_ITS_WAY = tr("a row of it is on its way, or its last one failed")
SHOWN_OTHERWISE = tr("it was changed since, as an export has shown")
STOCK_MOVED = tr("its stock was changed since")
ONLY_STOCK = tr("the run changed its stock alone; --stock restores it")
TWICE = tr("the run sent it more than once")
STRUCK = tr("it had no strike-through price before, and an update cannot remove one")
NO_CELL = tr("it had taxes or delivery modes that the profile does not know")


def undo_rows(
    engine: Engine, run: Run, known: AcceptedOffers, settings: AccountSettings, options: UndoOptions
) -> Iterator[UndoRow]:
    """Yield a row for each offer that a run has changed, or may have changed.

    Raises UsageProblem for a run of legacy packages, whose codes the rows of a sheet do not have.
    """
    with reading(engine) as db:
        is_of_run = t.runs.c.run_id == run.run_id
        packages = db.execute(
            select(t.packages)
            .select_from(t.package_runs)
            .where(is_of_run, t.packages.c.package_type.in_([*PackageType]))
            .order_by(t.packages.c.package)
        ).all()
        names = (t.packages.c.channel, t.requests.c.reference)
        sent_twice = (
            select(*names)
            .select_from(
                t.package_runs.join(t.requests, t.requests.c.package == t.packages.c.package)
            )
            .where(is_of_run)
            .group_by(*names)
            .having(func.count() > 1)
        )
        repeated = {(channel, reference) for channel, reference in db.execute(sent_twice)}
    if any(package.package_type in LEGACY_TYPES for package in packages):
        raise UsageProblem(
            tr("run {run} sent legacy packages, which undo does not take back", run=run.run_id),
            tr("send a file with the values that are to be in force"),
        )
    undo = _Undo(run, settings, options, repeated)
    for package in packages:
        scope = scope_of(run.service, run.seller, package.channel)
        with reading(engine) as db:
            batches = [*read_rows(db, package.file, package.package)]
        for batch in batches:
            references = [row.reference for row in batch]
            with reading(engine) as db:
                before = read_earlier(db, scope, run.run_id, references)
            yield from undo.rows(package, batch, known, before)


class _Undo:
    """Decides for each row of a run how to undo it."""

    def __init__(
        self,
        run: Run,
        settings: AccountSettings,
        options: UndoOptions,
        repeated: set[tuple[str, str]],
    ) -> None:
        self._run, self._options, self._repeated = run, options, repeated
        self._vat = settings.of(OfferSettings).tax_codes["VAT"]
        self._maker = OfferRows(settings, None)

    def rows(
        self,
        package: Row[Any],
        batch: Sequence[Row[Any]],
        known: AcceptedOffers,
        earlier: Mapping[str, EarlierOffer],
    ) -> Iterator[UndoRow]:
        """Yield the undo rows of some rows of a package."""
        kind, channel = package.package_type, package.channel
        items = [
            Item(row.row, kind, channel, row.reference, row.product, row.body) for row in batch
        ]
        created = self._created(package, items, earlier)
        for row, item, now in zip(batch, items, known.look_up(items), strict=True):
            status = row_result(RowFacts._make(row[:-2])).status
            if status in FAILED | NEVER_SENT:
                continue
            outcome: Mapping[str, Value] | MessageText
            if status is not Status.INTEGRATED:
                outcome = IN_DOUBT
            elif (channel, item.reference) in self._repeated:
                outcome = TWICE
            elif reason := self._changed_since(item, now):
                outcome = reason
            elif item.reference in created:
                outcome = {columns.ACTION: str(PackageType.DELETE)}
            else:
                outcome = self._restored(item, now, earlier.get(item.reference))
            identity = {columns.REFERENCE: item.reference, columns.CHANNEL: channel}
            if isinstance(outcome, MessageText):
                yield UndoRow(item.row, item.reference, channel, identity, outcome)
            elif outcome:
                yield UndoRow(item.row, item.reference, channel, {**identity, **outcome})

    def _created(
        self, package: Row[Any], items: Sequence[Item], earlier: Mapping[str, EarlierOffer]
    ) -> frozenset[str]:
        """Return the references of offers that the run created and undo deletes."""
        if self._options.created_since is None or package.package_type != PackageType.UPSERT:
            return frozenset()
        before = {reference: offer.fields for reference, offer in earlier.items()}
        deleted = {reference for reference, fields in before.items() if fields is None}
        unknown = [item.reference for item in items if not before.get(item.reference, {})]
        if unknown and package.created_at:
            deleted |= self._options.created_since(package.channel, unknown, package.created_at)
        return frozenset(deleted)

    def _changed_since(self, item: Item, now: KnownOffer) -> MessageText | None:
        """Return the reason why an offer differs from the run's result, or None."""
        offer = now[0]
        if offer is not None and offer.run_id != self._run.run_id:
            return tr("run {run} has sent it since", run=offer.run_id)
        if offer is None or not offer.is_sure:
            return ON_ITS_WAY
        if item.package_type == PackageType.DELETE:
            return REMOVED
        known = offer.fields or {}
        sent = state.offer_fields(item.package_type, item.body)
        sent.pop(state.QUANTITY, None)
        is_same = all(known.get(name) == value for name, value in sent.items())
        # An export shows no struck prices: once it shows a different offer, the price is unknown.
        return None if is_same else SHOWN_OTHERWISE

    def _restored(
        self, item: Item, now: KnownOffer, before: EarlierOffer | None
    ) -> Mapping[str, Value] | MessageText:
        """Return the cells of an Update that restores an offer; none if the run changed nothing."""
        is_whole = item.package_type == PackageType.UPSERT
        if before is None or not before.fields:
            is_new = before is not None and before.fields is None
            return CREATED if is_new else MAYBE_CREATED if is_whole else NOT_KNOWN
        sent, old = state.offer_fields(item.package_type, item.body), before.fields
        if sent.get(state.ORIGIN) is None and state.ORIGIN not in old:
            sent.pop(state.ORIGIN, None)  # a struck price before is unknown, and never shown
        changed = {name for name in RESTORED if name in sent and old.get(name) != sent[name]}
        if not changed <= old.keys() or (state.ORIGIN in changed and old[state.ORIGIN] is None):
            return STRUCK if changed <= old.keys() else NOT_KNOWN
        is_moved = state.QUANTITY in sent and sent[state.QUANTITY] != before.quantity
        if is_moved and not self._options.with_stock and not changed:
            return ONLY_STOCK
        if is_moved and self._options.with_stock:
            if before.quantity is None or now[2] != sent[state.QUANTITY]:
                return NOT_KNOWN if before.quantity is None else STOCK_MOVED
            return self._cells(old, changed, before.quantity)
        return self._cells(old, changed, None)

    def _cells(
        self, old: OfferFields, changed: set[str], quantity: int | None
    ) -> Mapping[str, Value] | MessageText:
        """Return the cells that restore some fields and a quantity, or the reason against it."""
        if not changed and quantity is None:
            return {}
        if state.ORIGIN in changed:
            changed.add(state.PRICE)  # an update needs both to be checked
        if state.MODES in changed:
            changed.add(state.PREPARATION)  # required with delivery modes
        if not changed <= old.keys():
            return NOT_KNOWN
        values = {name: old[name] if name in changed else None for name in RESTORED}
        taxes, modes = values[state.TAXES], values[state.MODES]
        offer = Offer(
            *(None, None, None, None, None),
            price=money(values[state.PRICE]),
            taxes=None
            if taxes is None
            else {code: exact(value) for code, value in {self._vat: 0, **taxes}.items()},
            preparation_time=values[state.PREPARATION],
            delivery_modes=modes
            and {code: DeliveryMode(*map(exact, costs)) for code, costs in modes.items()},
            quantity=quantity,
            updated_at=None,
        )
        row = self._maker.row(offer, "", Counter())
        row["price.originPrice"] = money(values[state.ORIGIN])
        cells = {key: value for key, value in row.items() if value not in (None, "")}
        is_whole = all(
            any(key.startswith(prefix) for key in cells)
            for name, prefix in PREFIXES.items()
            if name in changed
        )
        return {columns.ACTION: str(PackageType.UPDATE), **cells} if is_whole else NO_CELL


RESTORED = (state.PRICE, state.ORIGIN, state.TAXES, state.MODES, state.PREPARATION)
"""The fields of an offer that are restored."""
PREFIXES = {state.TAXES: "taxes.", state.MODES: "deliveryModes."}
"""Key prefixes of the columns that an Update replaces as a whole."""
