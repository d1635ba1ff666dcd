import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.registry import load
from feedtool.delivery.plan import Planned, summaries, uploads
from feedtool.model.nouns import Item, PackageSummary
from feedtool.model.settings import PackageLimits

ROUTES = load().routes
UPSERT, UPDATE, DELETE = PackageType.UPSERT, PackageType.UPDATE, PackageType.DELETE


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
        (50_000, [(50_000, 500)]),
        (50_001, [(50_000, 500), (1, 1)]),
        (100_001, [(50_000, 500), (50_000, 500), (1, 1)]),
    ],
)
def test_rows_and_uploads_of_each_package(rows: int, expected: list[tuple[int, int]]) -> None:
    same = itertools.repeat(items([("PRIMARY", UPSERT)])[0], rows)
    found = summaries(uploads(same, ROUTES))
    assert [(summary.rows, summary.uploads) for summary in found] == expected


def test_a_package_is_bound_to_one_channel_and_one_type() -> None:
    mixed = items([("P", UPSERT), ("S", UPSERT), ("P", DELETE), ("P", UPSERT), ("S", UPSERT)])
    assert shape(uploads(mixed, ROUTES)) == [(1, 1, [3, 6]), (2, 1, [4, 7]), (3, 1, [5])]
    assert summaries(uploads(mixed, ROUTES)) == [
        PackageSummary(None, UPSERT, "P", None, rows=2, uploads=1),
        PackageSummary(None, UPSERT, "S", None, rows=2, uploads=1),
        PackageSummary(None, DELETE, "P", None, rows=1, uploads=1),
    ]


def test_packages_are_numbered_by_their_first_rows() -> None:
    limits = PackageLimits(upload=2, package=2)
    mixed = items([("P", UPSERT), ("P", UPSERT), ("P", UPSERT), ("S", UPSERT), ("P", UPSERT)])
    assert shape(uploads(mixed, ROUTES, limits)) == [(1, 1, [3, 4]), (2, 1, [5, 7]), (3, 1, [6])]


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


# Products.


def product(row: int, reference: str = "", gtin: str = "") -> Item:
    reference, gtin = reference or f"R{row}", gtin or f"{row:013d}"
    return Item(row, "Products", "", reference, gtin, b"{}")


def test_a_batch_of_products_is_a_package_of_one_upload() -> None:
    rows = [product(row) for row in range(3, 8)]
    assert shape(uploads(rows, ROUTES, PackageLimits(products=2, package=3))) == [
        (1, 1, [3, 4]),
        (2, 1, [5, 6]),
        (3, 1, [7]),
    ]
    assert [
        (one.rows, one.uploads)
        for one in summaries(uploads(rows, ROUTES, PackageLimits(products=3)))
    ] == [
        (3, 1),
        (2, 1),
    ]


@pytest.mark.parametrize(
    "again",
    [product(5, reference="R3"), product(5, gtin="0000000000003"), product(5, gtin="3")],
    ids=["reference", "GTIN", "GTIN without its zeros"],
)
def test_no_batch_names_a_product_twice(again: Item) -> None:
    rows = [product(3), product(4), again, product(6), product(7), product(8)]
    assert shape(uploads(rows, ROUTES, PackageLimits(products=4))) == [
        (1, 1, [3, 4]),
        (2, 1, [5, 6, 7, 8]),
    ]


@pytest.mark.parametrize("kind", [PackageType.FULL, PackageType.PURGE, PackageType.STOCK_AND_PRICE])
def test_a_legacy_zip_is_one_upload(kind: str) -> None:
    planned = uploads(
        items([("P", kind)] * 5 + [("S", kind)]), ROUTES, PackageLimits(upload=1, legacy=2)
    )
    assert shape(planned) == [
        (1, 1, [3, 4]),
        (2, 1, [5, 6]),
        (3, 1, [7]),
        (4, 1, [8]),
    ]
