"""Before offers are begun: the batches of their run in which their products are.

An offer for a product that has no sheet yet is refused (`feedtool.delivery.dependencies`), so it
waits until the batch is closed, and until the one is that a batch has left a product to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from feedtool.delivery.plan import named_by, offered
from feedtool.ledger import tables as t
from feedtool.ledger.records import Phase
from feedtool.model.nouns import PackageType

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from feedtool.ledger.records import Package, Run


def unanswered(db: Connection, package: Package, run: Run) -> frozenset[int]:
    """The run's open batches that hold a product of one of its offers, which waits for them."""
    if package.package_type is not PackageType.UPSERT:
        return frozenset()
    batches: dict[str, int] = {}
    for key, reference, gtin in db.execute(_MADE, {"order": run.run_id}):
        batches |= dict.fromkeys(named_by(reference, gtin), key)
    if not batches:
        return frozenset()
    offers = select(t.rows.c.product).where(
        t.rows.c.package == package.key, t.rows.c.fate.is_(None)
    )
    named = (name for product in db.execute(offers).scalars() for name in offered(product))
    return frozenset(batches[name] for name in named if name in batches)


_MADE = (
    select(t.rows.c.package, t.rows.c.reference, t.rows.c.product)
    .select_from(
        t.rows.join(t.packages, t.rows.c.package == t.packages.c.package).join(
            t.files, t.packages.c.file == t.files.c.file
        )
    )
    .where(
        t.files.c.run_id == bindparam("order"),
        t.packages.c.package_type == str(PackageType.PRODUCTS),
        t.packages.c.phase != str(Phase.CLOSED),
        t.rows.c.fate.is_(None),
    )
)
"""The products of a run whose batches are open."""
