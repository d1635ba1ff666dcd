"""Faults that the service refuses in a single offer request."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import pytest

from feedtool.areas.offers.sandbox import messages
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.sandbox.arguments import texts
from tests.sandbox.desk import Desk

Row = TypeVar("Row")

VAT, ECO, DEA = ({"code": code, "value": 0} for code in ("VAT", "EcoPart", "DEA"))
TRACKED = {"code": "TrackedHomeDelivery", "cost": 0, "additionalCost": 0}


def mode(code: Any, cost: Any = 1, additional: Any = 1) -> dict[str, Any]:
    return {"code": code, "cost": cost, "additionalCost": additional}


def taxes(**values: Any) -> list[dict[str, Any]]:
    """All three taxes, by default 0; those that are `...` are left out."""
    every = {"VAT": 0, "EcoPart": 0, "DEA": 0} | values
    return [{"code": code, "value": value} for code, value in every.items() if value is not ...]


UPSERTS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "8000": {
        "price__originPrice": (None, 11),
        "price__taxes": (taxes(VAT=5.125),),
        "product": ({"reference": "A-1.b"},),
        "product__gtin": (
            *(4006381333931, "96385074", "012345678905", "00012345678905"),
            *("10614141000415", "00000000000017"),
        ),
        "condition": ("New", "RefurbishedCorrectState"),
        "deliveryModes": (
            [TRACKED, mode("Express"), mode("SignedHomeDelivery")],
            [TRACKED, mode("Standard"), mode("NotTrackedHomeDelivery")],
            [mode("WithSetupHomeDelivery")],
        ),
        "quantity": (0,),
        "preparationTime": (0,),
        "unknown": ("field",),
    },
    # 10: required
    "1001": {"product": ({}, None, {"gtin": "", "reference": ""})},
    "1002": {"condition": (None, "")},
    "1003": {"sellerExternalReference": (None, "", " \u00a0")},
    "1005": {"quantity": (None,)},
    "1006": {"price__price": (None,)},
    "1006 1007 1008 1031": {"price": (None,)},
    "1007": {"price__taxes": (taxes(VAT=...), taxes(VAT=None))},
    "1008": {"price__taxes": (taxes(EcoPart=...),)},
    "1031": {"price__taxes": (taxes(DEA=...),)},
    "1008 1328": {"price__taxes": (taxes(EcoPart=..., Ecotax=0),)},
    "1009": {"preparationTime": (None,)},
    "1012": {
        "deliveryModes": (
            *(None, [], [mode("ExpressHomeDelivery")], [mode("TrackedHomeDelivery", None)]),
        )
    },
    "1016": {"deliveryModes": ([mode("TrackedHomeDelivery", 1, None)],)},
    "1011": {"deliveryModes": ([TRACKED, mode("NotTrackedHomeDelivery", None)],)},
    "1015": {"deliveryModes": ([TRACKED, mode("NotTrackedHomeDelivery", 1, None)],)},
    "1013 1017": {"deliveryModes": ([TRACKED, mode("SignedHomeDelivery", None, None)],)},
    "1028": {"deliveryModes": ([TRACKED, mode("ExpressHomeDelivery", None, None)],)},
    # 11, 12: format, length
    "1101": {
        "product__gtin": (
            *("3760452700038", "376045270003", "8.8E+12", "٤٠٠٦٣٨١٣٣٣٩٣١", "0000000000000"),
            *("00000000", "963850740", "4006381333931 ", 0),
        )
    },
    "1103": {"sellerExternalReference": ("A|1", "A\u200b1", "A\n1")},
    "1124": {"product__reference": ("A_1", "A 1", "A\n")},
    "1203": {"sellerExternalReference": ("A" * 51,)},
    "1224": {"product__reference": ("A" * 51,)},
    # 13: does not exist; taxes are VAT, EcoPart and DEA (part "Offer package and offer request")
    "1302": {"condition": ("new", "LikeNew")},
    "1328": {
        "price__taxes": (taxes(Other=0), taxes(dea=0), [*taxes(), {"value": 0}]),
    },
    # amounts have two decimals at most
    "1106": {"price__price": (11.005,)},
    "1118": {"price__originPrice": (13.505,)},
    "1108": {"price__taxes": (taxes(EcoPart=0.125),)},
    "1131": {"price__taxes": (taxes(DEA=0.125),)},
    "1112 1116": {"deliveryModes": ([mode("TrackedHomeDelivery", 4.905, 1.505)],)},
    "1111 1115": {"deliveryModes": ([TRACKED, mode("Standard", 4.905, 1.505)],)},
    "1113 1117": {"deliveryModes": ([TRACKED, mode("SignedHomeDelivery", 4.905, 1.505)],)},
    "1128": {"deliveryModes": ([TRACKED, mode("Express", 4.905, 1.505)],)},
    # 28: a tax and a delivery mode have one value each
    "2807": {"price__taxes": ([*taxes(), VAT],)},
    "2808": {"price__taxes": ([*taxes(), {"code": "EcoPart", "value": 1}],)},
    "2831": {"price__taxes": ([*taxes(), DEA],)},
    "2812": {"deliveryModes": ([TRACKED, TRACKED],)},
    "2811": {"deliveryModes": ([TRACKED, *[mode("NotTrackedHomeDelivery")] * 2],)},
    "2813": {"deliveryModes": ([TRACKED, *[mode("SignedHomeDelivery")] * 3],)},
    "2828": {"deliveryModes": ([TRACKED, mode("Express", 1), mode("Express", 2)],)},
    # 17: out of bounds
    "1705": {"quantity": (-1, 10_000_000_000, 1e300)},
    "1707": {"price__taxes": (taxes(VAT=100.5), taxes(VAT=-1))},
    "1708": {"price__taxes": (taxes(EcoPart=-1),)},
    "1731": {"price__taxes": (taxes(DEA=-1),)},
    "1709": {"preparationTime": (-1, 2**63)},
    "1712 1716": {"deliveryModes": ([mode("TrackedHomeDelivery", -1, -1)],)},
    "1711 1715": {"deliveryModes": ([TRACKED, mode("NotTrackedHomeDelivery", -1, -1)],)},
    "1713 1717": {"deliveryModes": ([TRACKED, mode("SignedHomeDelivery", -1, -1)],)},
    "1728": {"deliveryModes": ([TRACKED, mode("ExpressHomeDelivery", -1, -1)],)},
    # prices
    "1906": {"price__price": (0, -1)},
    "2318": {"price__originPrice": (10.99,)},
    "2906": {"price__taxes": (taxes(EcoPart=11), taxes(EcoPart=0.7, DEA=10.3))},
    # 40: not configured
    "4028": {"deliveryModes": ([TRACKED, mode("ByPigeon")], [TRACKED, mode(None)])},
    "1012 4028": {"deliveryModes": ([mode("trackedhomedelivery")],)},
}
"""Fields and wrong values, by the code of the result."""
SEVERAL: list[tuple[dict[str, Any], str]] = [
    ({"price__price": 0.1 + 0.2, "price__originPrice": None}, "1106"),
    ({"price__price": 2**63, "price__originPrice": None}, "8000"),
    ({"price__price": 0.8, "price__taxes": taxes(EcoPart=0.7, DEA=0.1)}, "2906"),
    # all that is wrong is told
    ({"quantity": -1, "condition": "Old", "price__price": 0}, "1302 1906 1705"),
]
EVERY = SEVERAL + [
    ({field: value}, codes)
    for codes, fields in UPSERTS.items()
    for field, values in fields.items()
    for value in values
]


def of_sellers(desk: Desk, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, each of a seller of its own, who has no other offers."""
    for number, row in enumerate(rows):
        desk.headers["SellerId"] = f"seller {number}"
        yield row


def test_upsert(desk: Desk) -> None:
    for changes, codes in of_sellers(desk, EVERY):
        status = "Integrated" if codes == "8000" else "Rejected"
        found = desk.outcome("Upsert", desk.offer(**changes))
        assert (changes, *found) == (changes, status, codes.split())


UPDATES: Mapping[str, list[dict[str, Any]]] = {
    "9000": [
        *({"quantity": 3}, {"quantity": 7}, {"preparationTime": 4}, {"price": {"price": 12}}),
        *({"price": {"originPrice": 20}}, {"price": {"taxes": taxes(VAT=5.5)}}),
        {"deliveryModes": [TRACKED, mode("SignedHomeDelivery")], "preparationTime": 1},
        {"deliveryModes": [mode("SpecificRoomHomeDelivery")], "preparationTime": 1},
        {"quantity": 3, "unknown": 1},
        # the identity may be said, but not changed
        {"quantity": 3, "condition": "New", "product": {"gtin": "4000000000013"}},
        {"quantity": 3, "product": {"gtin": "04000000000013"}},
    ],
    "2503": [
        {"quantity": 3, "product": {"gtin": "4006381333931"}},
        {"quantity": 3, "product": {"reference": "B"}},
        {"quantity": 3, "condition": "UsedLikeNew"},
    ],
    # nothing valid to change
    "1028": [
        *({}, {"quantity": None}, {"unknown": 1}, {"condition": "New"}),
        {"price": {"taxes": None}, "deliveryModes": None},
    ],
    # "arrays replace the existing array, so send the full list" (rule 2)
    "1007 1008 1031": [{"price": {"taxes": []}}, {"quantity": 3, "price": {"taxes": []}}],
    "1008 1031": [{"price": {"taxes": [{"code": "VAT", "value": 5.5}]}}],
    "1008": [{"price": {"taxes": [VAT, DEA]}}],
    "1007": [{"price": {"taxes": [ECO, DEA]}}],
    "2807": [{"price": {"taxes": [VAT, VAT, ECO, DEA]}}],
    "1009 1012": [{"deliveryModes": []}],
    "1012": [
        {"quantity": 3, "deliveryModes": [], "preparationTime": 1},
        {"deliveryModes": [mode("SignedHomeDelivery")], "preparationTime": 1},
    ],
    "2812": [{"deliveryModes": [TRACKED, TRACKED], "preparationTime": 1}],
    # values
    "1106": [{"price": {"price": 12.345}}],
    "1009": [{"deliveryModes": [TRACKED]}],
    "1705": [{"quantity": -1}],
    "1906": [{"quantity": 3, "price": {"price": 0}}],
    "2318": [{"price": {"price": 14}}],
    "2906": [{"price": {"price": 0.12}}, {"price": {"taxes": taxes(DEA=11)}}],
    "4028": [{"deliveryModes": [TRACKED, mode("ByPigeon")], "preparationTime": 1}],
    # no match
    "3628": [{"sellerExternalReference": name, "quantity": 3} for name in ("B", "a-1")],
    "1003": [{"sellerExternalReference": name, "quantity": 3} for name in (None, "  ")],
}


def test_update(desk: Desk) -> None:
    every = [(row, codes) for codes, rows in UPDATES.items() for row in rows]
    for changes, codes in of_sellers(desk, every):
        desk.outcome("Upsert", desk.offer("A-1", 1))
        row = {"sellerExternalReference": "A-1", **changes}
        status = "Integrated" if codes == "9000" else "Rejected"
        assert (changes, *desk.outcome("Update", row)) == (changes, status, codes.split())


@pytest.mark.parametrize(
    ("row", "codes"),
    [
        ({"sellerExternalReference": "A-1"}, ["9000"]),
        ({"sellerExternalReference": "A-1", "quantity": -1}, ["9000"]),
        ({"sellerExternalReference": "B"}, ["3003"]),
        ({}, ["1003"]),
        ({"sellerExternalReference": " "}, ["1003"]),
    ],
)
def test_delete(desk: Desk, row: Any, codes: list[str]) -> None:
    desk.outcome("Upsert", desk.offer("A-1", 1))
    status = "Integrated" if codes == ["9000"] else "Rejected"
    assert desk.outcome("Delete", row) == (status, codes)
    assert len(desk.offers()) == (0 if codes == ["9000"] else 1)


@pytest.mark.parametrize(
    ("behaviour", "changes", "codes"),
    [
        (OfferBehaviour(delivery_modes=("TrackedHomeDelivery",)), {}, ["8000"]),
        (OfferBehaviour(delivery_modes=("SignedHomeDelivery",)), {}, ["4028"]),
        (OfferBehaviour(conditions=("Mint",)), {"condition": "Mint"}, ["8000"]),
        (OfferBehaviour(conditions=("Mint",)), {"condition": "New"}, ["1302"]),
        (OfferBehaviour(reference_length=2), {}, ["1203"]),
    ],
)
def test_settings_change_the_refusals(
    new_desk: type[Desk], behaviour: OfferBehaviour, changes: dict[str, Any], codes: list[str]
) -> None:
    with new_desk(behaviour) as desk:
        assert desk.outcome("Upsert", desk.offer(**changes))[1] == codes


def test_every_code_is_reached_and_has_its_message() -> None:
    known = texts(messages.__name__, "en-US")
    reached = {code for codes in (*UPSERTS, *UPDATES) for code in codes.split()}
    elsewhere = {"1023", "1324", "2403", "2801", "3003"}
    of_zips = {"1014", "1723", *(code for code in known if code.startswith("11"))}
    assert reached | elsewhere | of_zips == set(known)
