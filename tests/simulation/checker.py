"""Check the ledger's result of every row against the service's acts. See `checked`.

The ledger is checked against the service's log of applied requests, its offers, and the calls on
the network. Every request carries the mark of its row, so that the check needs no ledger.

`Unknown` is right only where the design (section 7) leaves no other result:

- purged: the commit of a package that carried the row was at least intended, and the service has
  answered, when it was old enough to have been integrated and forgotten, that it does not know
  it, so that only the offers were left to ask; or
- spent: the row went into three packages, was in doubt in each, and none named it.

A row that was applied may be Unknown only for the first reason, and only with a message that
claims nothing about whether it was.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from feedtool.areas.offers.delivery import TEXTS, PackageType
from feedtool.delivery.staged import SURELY_KEPT
from feedtool.ledger.admission import MOST_SENDS
from feedtool.model.nouns import RowResult, Status
from feedtool.model.sheet import rows_of
from tests.areas.offers.sandbox.records import Applied, applied_requests, stored_offers
from tests.simulation.network import SELLER
from tests.simulation.story import MARK, Row

if TYPE_CHECKING:
    from tests.simulation.world import World

NEVER = timedelta(0)

CANNOT_TELL = (TEXTS.changed, TEXTS.unaskable)
"""Messages that leave open whether the row was applied."""


class Wrong(AssertionError):
    """A broken rule of the simulation."""


class Findings(NamedTuple):
    """The findings of a world."""

    statuses: Counter[str]
    unknown: Counter[str]
    """Reasons, by the message."""


def checked(world: "World") -> Findings:
    """The findings of a world; Wrong for any fault."""
    court = Court(world)
    court.check_service()
    return court.check_verdicts()


class Court:
    """Checks a world by its witnesses."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.seen = world.network.seen
        self.rows = world.rows
        self.intended = world.ledger.intended
        self.applied: dict[str, list[Applied]] = defaultdict(list)
        for record in applied_requests(world.service):
            self.applied[record.body[MARK]].append(record)
        self.unknown = {
            row.mark
            for run in world.story.runs
            for row, verdict in world.results(run)
            if verdict.status is Status.UNKNOWN
        }

    # What the service did.

    def check_service(self) -> None:
        for package, references in self.seen.staged.items():
            doubled = [name for name, times in Counter(references).items() if times > 1]
            _demand(not doubled, f"{doubled} staged twice in package {package}")
        for mark, records in self.applied.items():
            outcomes = [record.outcome for record in records]
            _demand(len(records) == 1, f"row {mark} came to {outcomes} at the service")
            _demand("Duplicated" not in outcomes, f"row {mark} was Duplicated, by us")
        self._check_order()
        self._check_offers()

    def _in_force(self) -> dict[tuple[str, str], list[tuple[int, Row]]]:
        """The integrated rows of each channel and reference, in the order of their taking effect.

        Each with the number of its run; what was there before any run is left out.
        """
        records = sorted((r for found in self.applied.values() for r in found), key=_sequence)
        found: dict[tuple[str, str], list[tuple[int, Row]]] = defaultdict(list)
        for record in records:
            mark = record.body[MARK]
            if record.outcome == "Integrated" and mark in self.rows:
                row = self.rows[mark]
                found[row.key].append((_run_of(mark), row))
        return found

    def _check_order(self) -> None:
        """No older row took effect after a newer one."""
        for key, told in self._in_force().items():
            order = [number for number, _ in told]
            _demand(order == sorted(order), f"{key} was changed by the runs {order}, in that order")

    def _check_offers(self) -> None:
        """The offers are as the latest integrated row wanted them."""
        offers = {
            (offer["salesChannelId"], offer["sellerExternalReference"]): offer
            for offer in stored_offers(self.world.service, SELLER)
        }
        for key, told in self._in_force().items():
            latest = max(told, key=lambda pair: pair[0])[1]
            offer = offers.get(key)
            is_delete = latest.item.package_type == PackageType.DELETE
            _demand(is_delete == (offer is None), f"{key} is {offer} after row {latest.mark}")
            price = latest.document.get("price")
            if offer and price:
                found = offer["integrationPrice"]["price"]
                _demand(found == price["price"], f"{key} costs {found} after row {latest.mark}")

    # What we say.

    def check_verdicts(self) -> Findings:
        statuses: Counter[str] = Counter()
        unknown: Counter[str] = Counter()
        for run in self.world.story.runs:
            results = self.world.results(run)
            said = [(result.row, result.channel, result.reference) for _, result in results]
            items = rows_of(row.item for row in run.rows)
            wanted = [(row, item.channel, item.reference) for row, item in items]
            _demand(said == wanted, f"run {run.number} tells of the rows {said}, and has {wanted}")
            for row, verdict in results:
                self._check_verdict(row, verdict)
                statuses[verdict.status] += 1
                if verdict.status is Status.UNKNOWN:
                    unknown[_text(verdict)] += 1
        return Findings(statuses, unknown)

    def _check_verdict(self, row: Row, verdict: RowResult) -> None:
        records = self.applied.get(row.mark, [])
        outcomes = [record.outcome for record in records]
        say = (
            f"row {row.mark} is {verdict.status} ({_text(verdict)}), and at the service {outcomes}"
        )
        if verdict.status is Status.INTEGRATED:
            _demand(outcomes == ["Integrated"] or self._is_in_effect(row, verdict), say)
        elif verdict.status is Status.REJECTED:
            _demand(outcomes == ["Rejected"] or (not outcomes and row.is_malformed), say)
            codes = [message.code for message in verdict.messages]
            _demand(not records or codes == list(records[0].codes), f"{say}: {codes}")
        elif verdict.status is Status.SUPERSEDED:
            _demand(not outcomes and self._is_superseded(row), say)
        elif verdict.status is Status.UNKNOWN:
            _demand(self._is_undecidable(row), f"{say}, which could be told")
            is_open = _text(verdict).startswith(CANNOT_TELL)
            _demand(is_open or "Integrated" not in outcomes, say)
        else:
            raise Wrong(say)

    def _is_in_effect(self, row: Row, verdict: RowResult) -> bool:
        """Looked up after its results were purged, and found to be as it wanted to be.

        The offer was so before, or nothing was there to delete: nobody can tell that from a row
        that was applied, and the design calls it integrated. The message says how it is known.
        """
        if row.item.package_type == PackageType.DELETE:
            return _text(verdict) == TEXTS.removed and row.key in self.seen.absent
        return _text(verdict) == TEXTS.in_force and self._was_purged(row)

    def _is_superseded(self, row: Row) -> bool:
        """A later run has really sent the reference, or was killed when it was about to.

        Then it says of its own row that nobody knows.
        """
        return any(
            mark in self.seen.left or (mark in self.intended and mark in self.unknown)
            for mark in self._later(row)
        )

    def _later(self, row: Row) -> Iterator[str]:
        """The rows of later runs with the same key."""
        for other in self.rows.values():
            if other.key == row.key and _run_of(other.mark) > _run_of(row.mark):
                yield other.mark

    def _is_undecidable(self, row: Row) -> bool:
        return self._was_purged(row) or len(self.intended.get(row.mark, ())) >= MOST_SENDS

    def _was_purged(self, row: Row) -> bool:
        """True if the row was in a package that may have been integrated and then forgotten."""
        return any(
            package in self.world.ledger.meant and self.seen.gone.get(package, NEVER) >= SURELY_KEPT
            for package in self.intended.get(row.mark, ())
        )


def _demand(is_so: bool, otherwise: str) -> None:  # noqa: FBT001 - it is a sentence
    if not is_so:
        raise Wrong(otherwise)


def _sequence(record: Applied) -> int:
    return record.sequence


def _run_of(mark: str) -> int:
    return int(mark.partition("/")[0])


def _text(verdict: RowResult) -> str:
    return " ".join(message.text for message in verdict.messages)
