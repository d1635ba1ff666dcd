"""The accepted offers before a run changed them: the table `earlier`, which undo reads."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson
from sqlalchemy import Connection, select

from feedtool.areas.offers.changes.accepted import as_json, upsert
from feedtool.areas.offers.changes.offer_state import OfferFields
from feedtool.ledger import tables as t


class EarlierOffer(NamedTuple):
    """An offer before a run."""

    fields: OfferFields | None
    """None for a deleted offer."""
    quantity: int | None
    """The shared stock; None if unknown."""


def write_earlier(
    db: Connection, scope: str, run_id: int, offers: Mapping[str, EarlierOffer]
) -> None:
    """Store offers before a run changed them; the first record of a reference stays."""
    rows = [
        (run_id, scope, reference, as_json(offer.fields), offer.quantity)
        for reference, offer in offers.items()
    ]
    upsert(db, _EARLIER, rows)


def read_earlier(
    db: Connection, scope: str, run_id: int, references: Sequence[str]
) -> dict[str, EarlierOffer]:
    """Return the known offers of a channel before a run changed them."""
    columns = t.earlier.c
    query = select(columns.reference, columns.terms, columns.quantity).where(
        columns.run_id == run_id, columns.scope == scope, columns.reference.in_(references)
    )
    return {
        reference: EarlierOffer(None if fields is None else orjson.loads(fields), quantity)
        for reference, fields, quantity in db.execute(query)
    }


# Both databases accept this syntax.
_EARLIER = (
    "INSERT INTO earlier (run_id, scope, reference, terms, quantity) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (run_id, scope, reference) DO NOTHING"
)
