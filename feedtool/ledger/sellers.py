"""How each seller's files come on."""

from sqlalchemy import Engine, insert, select, update

from feedtool.ledger.database import reading, writing
from feedtool.ledger.fleet_tables import sellers


class Sellers:
    """All sellers of a ledger, each by his `seller_key`. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def pace(self, key: tuple[str, str]) -> str | None:
        """What a seller's last run has learnt of its pace; None where that was full speed."""
        service, seller = key
        query = select(sellers.c.pace).filter_by(service=service, seller=seller)
        with reading(self._engine) as db:
            return db.scalar(query)

    def keep_pace(self, key: tuple[str, str], pace: str | None) -> None:
        """Keep it for the next run; whoever calls it has the seller's lock."""
        service, seller = key
        is_it = (sellers.c.service == service, sellers.c.seller == seller)
        with writing(self._engine) as db:
            if not db.execute(update(sellers).where(*is_it).values(pace=pace)).rowcount:
                new = {"service": service, "seller": seller, "profile": "", "failures": 0}
                db.execute(insert(sellers).values(**new, pace=pace))
