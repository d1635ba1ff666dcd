"""What the ledger keeps of batches of products, on both databases."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import select

from feedtool.areas.offers.delivery import product_names as needed_names
from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.products.wire import product_names
from feedtool.ledger import Change, Clearance, Ledger, Package, Phase, Stage, tables
from feedtool.ledger.clearing import FEW
from feedtool.ledger.database import reading
from feedtool.ledger.records import Requeue
from feedtool.model.nouns import Item, Message, Severity, Status
from feedtool.model.settings import PackageLimits
from tests.ledger.conftest import add_run

PRODUCTS = "Products"
WHY = Message("ER400", "Because.")


def item(row: int) -> Item:
    return Item(row, PRODUCTS, "", f"P{row}", f"{row:013d}", b"{}")


def planned(ledger: Ledger, *rows: int, size: int = 4) -> tuple[int, list[Package]]:
    """The file of some rows, and its batches."""
    run, file = add_run(ledger, map(item, rows), PackageLimits(products=size))
    return file, ledger.read_packages(run)


CLEARANCE = Clearance(needs=needed_names, provides={"Products": product_names})


def refuse(ledger: Ledger, package: Package) -> list[Package]:
    """Close a batch as refused; the new ones."""
    under_way = replace(package, phase=Phase.SUBMITTING, uploads=(Stage.SENDING,))
    after = replace(under_way, phase=Phase.CLOSED, uploads=(Stage.REFUSED,))
    return ledger.save(
        [
            Change(package, under_way),
            Change(under_way, after, refused=(1, WHY), requeue=Requeue.APART),
        ]
    )


def test_messages_are_kept_with_their_fields(ledger: Ledger) -> None:
    file, (package,) = planned(ledger, 3, 4)
    told = (
        WHY,
        Message("C", "No.", "title"),
        Message("", "So.", severity=Severity.WARNING),
        Message("D", "So.", "3263", Severity.WARNING),
    )
    results = [("P3", Status.REFUSED, told)]
    ledger.save([Change(package, replace(package, state="x"), results=results)])
    found = next(iter(ledger.verdicts(file)))
    assert (found.status, found.messages) == (Status.REFUSED, told)
    assert found.messages[3].severity is Severity.WARNING
    with reading(ledger.engine) as db:  # what older tools have written
        (kept,) = db.execute(select(tables.results.c.messages)).scalars()
    assert json.loads(kept)[:2] == [["ER400", "Because."], ["C", "No.", "title", "error"]]


@pytest.mark.parametrize("stage", [Stage.STAGED, Stage.DOUBTFUL])
def test_of_a_batch_that_was_not_refused_nothing_is_left(ledger: Ledger, stage: Stage) -> None:
    _, (package,) = planned(ledger, 3, 4)
    after = replace(package, phase=Phase.CLOSED, uploads=(stage,), package_id="p1")
    assert ledger.save([Change(package, after, requeue=Requeue.APART)]) == []


def offer(row: int, product: str) -> Item:
    return Item(row, PackageType.UPSERT, "P", f"R{row}", product, b"{}")


@pytest.mark.parametrize(
    ("offered", "waits_for"),
    [
        (["3||New"], {1}),
        (["0000000000003||New", "|P5|New"], {1, 2}),
        (["9||New"], set()),
        (["|P9|New"], set()),
        ([], set()),
    ],
)
def test_offers_wait_for_the_open_batches_of_their_products(
    ledger: Ledger, offered: list[str], waits_for: set[int]
) -> None:
    _, packages = planned(ledger, 3, 4, 5, size=2)
    (run,) = ledger.runs()
    rows = [offer(row, product) for row, product in enumerate([*offered, "8||New"], 2)]
    add_run(ledger, rows, run_id=run.run_id, path="b")
    package = ledger.read_packages(run.run_id)[-1]
    found = ledger.clear(package, run, CLEARANCE)
    assert found.blocked_by == {packages[number - 1].key for number in waits_for}
    for batch in packages:
        closed = replace(batch, phase=Phase.CLOSED, uploads=(Stage.STAGED,), package_id="p")
        ledger.save([Change(batch, closed)])
    assert ledger.clear(package, run, CLEARANCE).blocked_by == frozenset()


def test_the_offers_of_another_run_do_not_wait(ledger: Ledger) -> None:
    planned(ledger, 3)
    other, _ = add_run(ledger, [offer(2, "3||New")])
    (package,) = ledger.read_packages(other)
    (run,) = (one for one in ledger.runs() if one.run_id == other)
    assert ledger.clear(package, run, CLEARANCE).blocked_by == frozenset()


@pytest.mark.parametrize("takes_one", [True, False], ids=["takes one", "takes none"])
def test_what_refuses_every_batch_is_not_halved_for_ever(
    ledger: Ledger, *, takes_one: bool
) -> None:
    _, packages = planned(ledger, *range(3, 3 + 2 * (FEW + 2)), size=2)
    first, *rest = packages
    taken = replace(first, phase=Phase.SUBMITTED, uploads=(Stage.STAGED,), package_id="p1")
    if takes_one:
        ledger.save([Change(first, taken)])
    refused = [replace(one, phase=Phase.CLOSED, uploads=(Stage.REFUSED,)) for one in rest[:FEW]]
    ledger.save([Change(*pair) for pair in zip(rest, refused, strict=False)])
    assert len(refuse(ledger, rest[FEW])) == (2 if takes_one else 0)
