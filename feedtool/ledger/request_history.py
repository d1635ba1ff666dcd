"""Earlier requests of a seller's runs and their results, by reference."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Engine, Executable

from feedtool.ledger import sent
from feedtool.ledger.database import reading
from feedtool.model.nouns import Item, Status

CHUNK = 500
"""References in a query."""


class RequestHistory:
    """Queries of a ledger for earlier requests."""

    engine: Engine

    def _all(self, query: Executable) -> Sequence[Any]:
        with reading(self.engine) as db:
            return db.execute(query).all()

    def sent_before(self, service: str, seller: str, run_id: int | None, item: Item) -> int | None:
        """The last other run of a seller that sent an equal request, not refused."""
        query = sent.sent_before(service, seller, run_id, item)
        return next((run for run, _ in self._all(query)), None)

    def taken_before(
        self, service: str, seller: str, run_id: int | None, item: Item
    ) -> tuple[int, str] | None:
        """The last other run with a successful request of the reference, and its product."""
        query = sent.taken_before(service, seller, run_id, item)
        return next(((run, product) for run, product in self._all(query)), None)

    def doubtful_before(
        self, service: str, seller: str, run_id: int | None, item: Item
    ) -> int | None:
        """The last other run that sent the reference, if the outcome is Unknown."""
        query = sent.sent_last(service, seller, run_id, item)
        return next((run for run, fate in self._all(query) if fate == Status.UNKNOWN), None)

    def known_references(
        self, service: str, seller: str, run_id: int | None, references: Iterable[str]
    ) -> set[str]:
        """The references, among these, that other runs of a seller have sent."""
        known: set[str] = set()
        rest = iter(references)
        while some := [*islice(rest, CHUNK)]:
            query = sent.known_references(service, seller, run_id, some)
            known.update(reference for (reference,) in self._all(query))
        return known

    def failed(self, service: str, seller: str) -> dict[int, int]:
        """The number of a seller's failed requests that were not sent again since, by run."""
        return dict(map(tuple, self._all(sent.failed(service, seller))))

    def last_status(self, service: str, seller: str, package_type: str, reference: str) -> str:
        """The last status of requests of a type and reference; a success before any other."""
        query = sent.last_status(service, seller, package_type, reference)
        return next((status for (status,) in self._all(query)), "")
