"""Rows that are not for sale, of offers that were accepted before."""

from collections.abc import Mapping
from itertools import islice

from msgspec.structs import replace

from feedtool.check import ReadOptions
from feedtool.feeds.selection import (
    EVERY_ROW,
    ChosenRows,
    ReleasedGuard,
    SelectionOptions,
)
from feedtool.model.settings import Guards
from feedtool.runs.deliver import results
from feedtool.runs.recipes import RecipeFolders
from tests.areas.offers.changes.conftest import CHANGED, START, Market, Shop, codes, statuses
from tests.conftest import gtin, offer

RECIPE = "\n".join(
    (
        "[match]",
        'kind = "offers-upsert"',
        "[columns]",
        *(f'"{key}" = "{key}"' for key in offer()),
        "[names]",
        'status = "Status"',
        "[skip]",
        '"a picture" = \'says(status, "picture")\'',
        "[not_for_sale]",
        '"archived" = \'says(status, "archived")\'',
    )
)


def row(number: int = 1, status: str = "active", **changes: str | None) -> dict[str, str]:
    return {**offer(number, **changes), "Status": status}


def read_options(shop: Shop) -> ReadOptions:
    path = shop.folder / "recipe.toml"
    path.write_text(RECIPE, "utf-8")
    return replace(shop.asked(), recipes=RecipeFolders(lambda: START, str(path)))


def sent(
    shop: Shop, *rows: Mapping[str, str], selection: SelectionOptions = EVERY_ROW
) -> list[str]:
    return statuses(shop.send(*rows, asked=read_options(shop), selection=selection))


def stocks(shop: Shop) -> dict[object, object]:
    """The quantity of each offer at the service."""
    return {reference: quantity for _, reference, *_, quantity, _ in shop.offers()}


ARCHIVED = row(status="archived")
EARLIER = {
    # What was sent before, what is sent now, its statuses, and the stocks then.
    "nothing is known of it": ([], [ARCHIVED], ["Skipped"], {}),
    "it is on sale": ([row()], [ARCHIVED], ["Integrated"], {"SKU-1": 0}),
    "it has no stock": ([row(quantity="0")], [ARCHIVED], ["Skipped"], {"SKU-1": 0}),
    "the row could not be sent": (
        [row()],
        [row(status="archived", price__price="", product__gtin="")],
        ["Integrated"],
        {"SKU-1": 0},
    ),
    "without a reference": (
        [row()],
        [row(status="archived", sellerExternalReference="")],
        ["Skipped"],
        {"SKU-1": 7},
    ),
    "a rule that only skips": ([row()], [row(status="picture")], ["Skipped"], {"SKU-1": 7}),
    "another row sells it": (
        [row()],
        [ARCHIVED, row(quantity="3")],
        ["Skipped", "Integrated"],
        {"SKU-1": 3},
    ),
    "a row with a mistake would sell it": (
        [row()],
        [ARCHIVED, row(condition="Nwe")],
        ["Skipped", "Invalid"],
        {"SKU-1": 7},
    ),
    "twice": ([row()], [ARCHIVED, ARCHIVED], ["Integrated", "Skipped"], {"SKU-1": 0}),
    "beside others": (
        [row(), row(2)],
        [row(2), ARCHIVED, row(3, "archived"), row(4)],
        ["Integrated", "Integrated", "Skipped", "Integrated"],
        {"SKU-1": 0, "SKU-2": 7, "SKU-4": 7},
    ),
}


def placed_row(row: Mapping[str, str], place: int) -> dict[str, str]:
    """The row, of an offer and a product that are of one case alone."""
    products = {gtin(number): gtin(100 * place + number) for number in range(1, 5)}
    reference = row["sellerExternalReference"]
    return {
        **row,
        "sellerExternalReference": reference and f"{reference}-{place}",
        "product.gtin": products.get(row["product.gtin"], ""),
    }


def test_the_stock_of_a_known_offer_goes_to_zero(shop: Shop) -> None:
    cases = [*enumerate(EARLIER.items(), start=1)]
    sent(shop, *(placed_row(row, place) for place, (_, (before, *_)) in cases for row in before))
    now = [placed_row(row, place) for place, (_, (_, rows, *_)) in cases for row in rows]
    came = iter(sent(shop, *now))
    expected = {name: words for _, (name, (_, _, words, _)) in cases}
    assert {name: [*islice(came, len(words))] for name, words in expected.items()} == expected
    assert not [*came]
    assert stocks(shop) == {
        f"{reference}-{place}": quantity
        for place, (_, (*_, left)) in cases
        for reference, quantity in left.items()
    }


def test_the_row_names_the_reason_and_the_run_is_read_again(shop: Shop) -> None:
    sent(shop, row())
    submission = shop.send(ARCHIVED, row(2, "archived"), asked=read_options(shop))
    (outcome,) = submission.outcomes
    counts = outcome.counts()
    assert (counts.rows, counts.valid, counts.skipped, counts.warnings) == (2, 1, 1, 1)
    (problem,) = outcome.checked.problems()
    assert (problem.row, problem.code, problem.message) == (
        *(2, "not-for-sale"),
        "archived: its offer was accepted before, so its quantity is set to 0",
    )
    (again,) = results(int(outcome.run or 0), shop.books, START)
    assert [*again.checked.problems()] == [problem]
    assert sent(shop, ARCHIVED, selection=CHANGED) == ["Skipped"]


def test_a_second_name_of_the_stock_keeps_it(shop: Shop) -> None:
    sent(shop, row())
    other = {**row(1, sellerExternalReference="SKU-9"), "salesChannelId": "SECOND"}
    text = RECIPE.replace("[names]", '"salesChannelId" = "salesChannelId"\n[names]')
    path = shop.folder / "channels.toml"
    path.write_text(text, "utf-8")
    options = replace(shop.asked(), recipes=RecipeFolders(lambda: START, str(path)))
    archived = {**ARCHIVED, "salesChannelId": "PRIMARY"}
    assert statuses(shop.send(archived, other, asked=options)) == ["Skipped", "Integrated"]


def test_guards_hold_it_as_any_removal(market: Market) -> None:
    shop = market.shop(Guards(least=10))
    numbers = range(10)
    sent(shop, *map(row, numbers))
    gone = [row(number, "archived") for number in numbers]
    submission = shop.send(*gone, asked=read_options(shop))
    assert set(statuses(submission)) == {"Held"}
    assert codes(submission)[0][1][0] == "mass-removal"
    released = SelectionOptions(released=(ReleasedGuard("mass-removal"),))
    assert set(sent(shop, *gone, selection=released)) == {"Integrated"}
    assert set(stocks(shop).values()) == {0}


def test_rows_not_chosen_stay_on_sale(shop: Shop) -> None:
    sent(shop, row(), row(2))
    rows = [ARCHIVED, row(2, "archived")]
    chosen = SelectionOptions(rows=(ChosenRows("offers.csv", None, "3"),))
    assert sent(shop, *rows, selection=chosen) == ["Held", "Integrated"]
    assert stocks(shop) == {"SKU-1": 7, "SKU-2": 0}
