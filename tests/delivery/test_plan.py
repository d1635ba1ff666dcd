import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.invoices import wire
from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.registry import load
from feedtool.delivery.plan import ADVICE, Dependencies, Planned, summaries, uploads
from feedtool.model.nouns import Item, Message, PackageSummary, RowResult, Status
from feedtool.model.settings import PackageLimits
from feedtool.model.sheet import INVALID, VALID, CheckedSheet, RefusedRow
from tests.conftest import planned as planned_of

FEEDS, ROUTES = load().feeds, load().routes
UPSERT, UPDATE, DELETE = PackageType.UPSERT, PackageType.UPDATE, PackageType.DELETE


def product(row: int, reference: str = "", gtin: str = "") -> Item:
    reference, gtin = reference or f"R{row}", gtin or f"{row:013d}"
    return Item(row, "Products", "", reference, gtin, b"{}")


def items(groups: Iterable[tuple[str, str]]) -> list[Item]:
    """A row for each group, from row 3 on."""
    return [
        Item(row, kind, channel, f"R{row}", "", b"{}")
        for row, (channel, kind) in enumerate(groups, 3)
    ]


def shape(planned: Iterable[Planned]) -> list[tuple[int, int, list[int]]]:
    return [
        (package, upload.number, [item.row for item in upload.items]) for package, upload in planned
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (0, []),
        (1, [(1, 1)]),
        (100, [(100, 1)]),
        (101, [(101, 2)]),
        (50_001, [(50_000, 500), (1, 1)]),
    ],
)
def test_rows_and_uploads_of_each_package(rows: int, expected: list[tuple[int, int]]) -> None:
    same = itertools.repeat(items([("PRIMARY", UPSERT)])[0], rows)
    found = summaries(uploads(same, ROUTES))
    assert [(summary.rows, summary.uploads) for summary in found] == expected


def test_packages_of_several_groups_are_summed_up() -> None:
    mixed = items([("P", UPSERT), ("S", UPSERT), ("P", DELETE), ("P", UPSERT), ("S", UPSERT)])
    assert summaries(uploads(mixed, ROUTES)) == [
        PackageSummary(None, UPSERT, "P", None, rows=2, uploads=1),
        PackageSummary(None, UPSERT, "S", None, rows=2, uploads=1),
        PackageSummary(None, DELETE, "P", None, rows=1, uploads=1),
    ]


PRODUCTS = [product(row) for row in range(3, 9)]
ZIPS = {"legacy": 2, "upload": 1, "package": 9}
LEGACY = PackageType.FULL, PackageType.PURGE, PackageType.STOCK_AND_PRICE
AGAIN = product(5, reference="R3"), product(5, gtin="0000000000003"), product(5, gtin="3")


@pytest.mark.parametrize(
    ("rows", "limits", "expected"),
    [
        # By their first rows.
        (items([(channel, UPSERT) for channel in "PPPSP"]), {}, [[3, 4], [5, 7], [6]]),
        # A batch of products is a package of one upload; none names a product twice.
        (PRODUCTS[:5], {"products": 2, "package": 3}, [[3, 4], [5, 6], [7]]),
        *(
            ([*PRODUCTS[:2], again, *PRODUCTS[3:]], {"products": 4}, [[3, 4], [5, 6, 7, 8]])
            for again in AGAIN
        ),
        # A legacy zip is one upload.
        *(
            (items([(c, kind) for c in "PPPPPS"]), ZIPS, [[3, 4], [5, 6], [7], [8]])
            for kind in LEGACY
        ),
    ],
)
def test_the_rows_of_each_package(
    rows: list[Item], limits: dict[str, int], expected: list[list[int]]
) -> None:
    planned = uploads(rows, ROUTES, PackageLimits(**{"upload": 2, "package": 2, **limits}))
    assert shape(planned) == [(number, 1, held) for number, held in enumerate(expected, 1)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([10, 10, 10], [[3, 4, 5]]),
        ([20, 11, 9], [[3], [4, 5]]),
        ([31, 1, 1], [[3], [4, 5]]),
        ([1, 31, 1], [[3], [4], [5]]),
        ([15, 15, 1], [[3, 4], [5]]),
    ],
)
def test_a_package_holds_no_more_bytes_than_it_may(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], expected: list[list[int]]
) -> None:
    monkeypatch.setattr(wire, "LARGEST", 30)
    rows = [
        Item(row, "Invoices", "", f"O-{row}", "", bytes(size)) for row, size in enumerate(sizes, 3)
    ]
    planned = shape(uploads(rows, ROUTES))
    assert planned == [(package, 1, rows) for package, rows in enumerate(expected, 1)]


def test_an_upload_comes_as_soon_as_it_is_full() -> None:
    taken = []

    def rows() -> Iterator[Item]:
        for item in items([("P", UPSERT)] * 5):
            taken.append(item.row)
            yield item

    stream = uploads(rows(), ROUTES, PackageLimits(upload=2, package=3))
    assert [(next(stream).upload.number, len(taken)) for _ in range(2)] == [(1, 2), (2, 3)]


@pytest.mark.parametrize("limits", [(0, 10), (10, 0), (-1, 10)])
def test_limits_leave_room(limits: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no place"):
        PackageLimits(*limits)


groups = st.lists(
    st.tuples(st.sampled_from(["P", "S", "T"]), st.sampled_from([UPSERT, UPDATE])), max_size=120
)


@given(groups, st.integers(1, 7), st.integers(1, 30))
def test_every_row_is_in_one_upload_of_its_group(
    chosen: list[tuple[str, str]], upload_limit: int, package_limit: int
) -> None:
    limits = PackageLimits(upload_limit, package_limit)
    rows = items(chosen)
    planned = list(uploads(rows, ROUTES, limits))
    assert sorted(row for _, _, held in shape(planned) for row in held) == [r.row for r in rows]

    packages: dict[int, list[Planned]] = defaultdict(list)
    for one in planned:
        packages[one.package].append(one)
    assert sorted(packages) == list(range(1, len(packages) + 1))
    for held in packages.values():
        inside = [item for one in held for item in one.upload.items]
        assert len({(item.channel, item.package_type) for item in inside}) == 1
        assert [item.row for item in inside] == sorted(item.row for item in inside)
        assert [one.upload.number for one in held] == list(range(1, len(held) + 1))
        assert len(inside) <= package_limit
        assert all(len(one.upload.items) <= upload_limit for one in held)
        # No upload is begun before the one before it is full.
        assert all(len(one.upload.items) == upload_limit for one in held[:-1])

    # No package is begun before the one before it is full.
    sizes = Counter(chosen)
    assert len(packages) == sum(-(-size // package_limit) for size in sizes.values())
    found = summaries(planned)
    assert sum(summary.rows for summary in found) == len(rows)
    assert sum(summary.uploads for summary in found) == len(planned)


# Offers meet products: which offers wait, and which of them name the product's row.

GTIN, OTHER = "0040170725", "96385074"


def products_sheet(*, invalid: Sequence[int] = (), sheet: str | None = "Products") -> CheckedSheet:
    """Rows 3 and 4, of one GTIN each; and a row 5 that could not be read whole."""
    checked = CheckedSheet("shop.xlsx", sheet, "products")
    for row, gtin in ((3, GTIN), (4, OTHER)):
        checked.rows.items.append(Item(row, "Products", "", f"P{row}", gtin, b"{}"))
        checked.rows.marks[row] = INVALID if row in invalid else VALID
    checked.rows.refused.append(RefusedRow(5, "P5", "4006381333931"))
    checked.rows.marks[5] = INVALID
    return checked


def offers_sheet(*named: str, kind: str = PackageType.UPSERT) -> CheckedSheet:
    """A row for each `GTIN|product reference|condition`, from row 2 on."""
    checked = CheckedSheet("shop.xlsx", "Offers", "offers-upsert")
    for row, product in enumerate(named, 2):
        checked.rows.items.append(Item(row, kind, "PRIMARY", f"R{row}", product, b"{}"))
        checked.rows.marks[row] = VALID
    return checked


KETTLE, MUG, STRANGER = f"{GTIN}||New", f"{OTHER}||New", "5901234123457||New"


NAMED = {
    "its GTIN": ("40170725||New", True),
    "zeros in front": ("00000040170725||UsedLikeNew", True),
    "its reference": ("|P3|New", True),
    "its reference and a GTIN": ("5901234123457|P3|New", True),
    "another GTIN": (STRANGER, False),
    "another reference": ("|P9|New", False),
    "nothing": ("||New", False),
    "the GTIN of a row that is not sent": ("4006381333931||New", False),
    "the reference of a row that is not sent": ("|P5|New", False),
}


@pytest.mark.parametrize(("named", "waits"), NAMED.values(), ids=NAMED)
def test_an_offer_waits_for_a_product_that_is_sent(named: str, *, waits: bool) -> None:
    sheet = offers_sheet(STRANGER, named, STRANGER)
    found = planned_of([products_sheet(), sheet]).uploads(sheet)
    rows = [[item.row for item in one.upload.items] for one in found]
    assert rows == ([[2, 4], [3]] if waits else [[2, 3, 4]])


@pytest.mark.parametrize(
    ("kind", "products", "expected"),
    [
        # Only what may make an offer waits, and for a product that is sent.
        *((kind, [products_sheet()], [[2, 3]]) for kind in (UPDATE, DELETE, PackageType.FULL)),
        (UPSERT, [products_sheet(invalid=[3])], [[2], [3]]),
        (UPSERT, [], [[2, 3]]),
    ],
)
def test_rows_that_wait_for_products(
    kind: str, products: list[CheckedSheet], expected: list[list[int]]
) -> None:
    sheet = offers_sheet(KETTLE, MUG, kind=kind)
    found = planned_of([*products, sheet]).uploads(sheet)
    assert [[item.row for item in one.upload.items] for one in found] == expected


MISSING = Message("1324", "No sheet.")
ROW = "row 3 of sheet Products"


LACKS = Status.REJECTED, MISSING
TOLD = {
    Status.REFUSED: "correct it, and send both again.",
    Status.INVALID: ADVICE[Status.INVALID],
    Status.INTEGRATED: "send this row again.",
    Status.UNKNOWN: "see there, then send this row again.",
}


@pytest.mark.parametrize(
    ("verdict", "product", "told"),
    [
        *(
            (LACKS, status, f"Its product is {ROW}, which is {status}: {TOLD[status]}")
            for status in TOLD
        ),
        (
            (Status.PENDING,),
            Status.PENDING,
            f"It is held back until its product is answered: {ROW}.",
        ),
        ((Status.PENDING,), Status.INTEGRATED, None),
        ((Status.REJECTED, Message("1906", "A price.")), Status.REFUSED, None),
        ((Status.INTEGRATED,), Status.REFUSED, None),
        ((Status.INVALID, MISSING), Status.REFUSED, None),
    ],
)
def test_an_offer_names_the_row_that_it_lacks(
    verdict: tuple[Status, *tuple[Message, ...]], product: Status, told: str | None
) -> None:
    sheet = offers_sheet(KETTLE)
    status, *said = verdict
    given = RowResult(2, "R2", status, tuple(said), "PRIMARY")
    hints = Dependencies([products_sheet(), sheet], FEEDS)
    (found,) = hints.with_hints(sheet, [given], lambda _: {3: product})
    assert found.messages == (*said, *([Message("", told)] if told else []))


def test_rows_without_item_and_product_stay_unchanged() -> None:
    sheet = offers_sheet(STRANGER, MUG)
    given = [
        RowResult(1, "", Status.INVALID),
        RowResult(2, "R2", Status.REJECTED, (MISSING,), "PRIMARY"),
        RowResult(3, "R3", Status.REJECTED, (MISSING,), "PRIMARY"),
        RowResult(9, "", Status.INVALID),
    ]
    statuses = {4: Status.REFUSED}
    hints = Dependencies([products_sheet(), sheet], FEEDS)
    found = list(hints.with_hints(sheet, given, lambda _: statuses))
    assert [*found[:2], found[3]] == [*given[:2], given[3]]
    assert "row 4 of sheet Products" in found[2].messages[1].text


@pytest.mark.parametrize("sheet", ["Products", None])
def test_the_hint_names_the_file_of_the_product(sheet: str | None) -> None:
    other = offers_sheet(KETTLE)
    other.file = "offers.xlsx"
    given = RowResult(2, "R2", Status.REJECTED, (MISSING,), "PRIMARY")
    both = Dependencies([other, products_sheet(sheet=sheet)], FEEDS)
    (found,) = both.with_hints(other, [given], lambda number: {3: Status.REFUSED} if number else {})
    of_sheet = " of sheet Products" if sheet else ""
    assert f"row 3{of_sheet} of shop.xlsx" in found.messages[1].text


def test_results_of_products_get_no_hints() -> None:
    made = products_sheet()
    given = [RowResult(3, "P3", Status.REFUSED)]
    hints = Dependencies([made, offers_sheet(KETTLE)], FEEDS)
    assert list(hints.with_hints(made, given, lambda _: {})) == given
