"""Before rows are begun: the open packages of their run that make what they need.

An offer for a product that has no sheet yet is refused (`feedtool.delivery.dependencies`), so it
waits until the package of its product is closed, and until the one is that this has left it to.
"""

from sqlalchemy import Connection, bindparam, select

from feedtool.ledger import tables as t
from feedtool.ledger.records import Clearance, Package, Phase, Run


def unanswered(db: Connection, package: Package, run: Run, clearance: Clearance) -> frozenset[int]:
    """The run's open packages that make what a row of this one needs."""
    if clearance.needs is None or not clearance.provides:
        return frozenset()
    makers: dict[str, int] = {}
    made = {"order": run.run_id, "types": [*clearance.provides]}
    for key, package_type, reference, product in db.execute(_MADE, made):
        makers |= dict.fromkeys(clearance.provides[package_type](reference, product), key)
    if not makers:
        return frozenset()
    rows = select(t.rows.c.reference, t.rows.c.product).where(
        t.rows.c.package == package.key, t.rows.c.fate.is_(None)
    )
    needed = (name for row in db.execute(rows) for name in clearance.needs(*row))
    return frozenset(makers[name] for name in needed if name in makers)


_MADE = (
    select(t.rows.c.package, t.packages.c.package_type, t.rows.c.reference, t.rows.c.product)
    .select_from(
        t.rows.join(t.packages, t.rows.c.package == t.packages.c.package).join(
            t.files, t.packages.c.file == t.files.c.file
        )
    )
    .where(
        t.files.c.run_id == bindparam("order"),
        t.packages.c.package_type.in_(bindparam("types", expanding=True)),
        t.packages.c.phase != str(Phase.CLOSED),
        t.rows.c.fate.is_(None),
    )
)
"""The rows of a run's open packages that make what others need."""
