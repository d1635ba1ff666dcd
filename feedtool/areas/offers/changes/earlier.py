"""What was accepted of an offer before a run changed it: the table `earlier`, which undo reads."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson
from sqlalchemy import Connection, select

from feedtool.areas.offers.changes.accepted import as_json, upsert
from feedtool.areas.offers.changes.offer_state import OfferFields
from feedtool.ledger import tables as t


class EarlierOffer(NamedTuple):
    """An offer as a run met it."""

    fields: OfferFields | None
    """None where it had been deleted."""
    quantity: int | None
    """Of the shared stock; None where it was not known."""


def write_earlier(
    db: Connection, scope: str, run_id: int, offers: Mapping[str, EarlierOffer]
) -> None:
    """Note the state of some references before a run changed them; the first note stays."""
    rows = [
        (run_id, scope, reference, as_json(offer.fields), offer.quantity)
        for reference, offer in offers.items()
    ]
    upsert(db, _EARLIER, rows)


def read_earlier(
    db: Connection, scope: str, run_id: int, references: Sequence[str]
) -> dict[str, EarlierOffer]:
    """Some references of a channel before a run changed them, as far as that was known."""
    columns = t.earlier.c
    query = select(columns.reference, columns.terms, columns.quantity).where(
        columns.run_id == run_id, columns.scope == scope, columns.reference.in_(references)
    )
    return {
        reference: EarlierOffer(None if fields is None else orjson.loads(fields), quantity)
        for reference, fields, quantity in db.execute(query)
    }


# Both databases spell it alike.
_EARLIER = (
    "INSERT INTO earlier (run_id, scope, reference, terms, quantity) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (run_id, scope, reference) DO NOTHING"
)
