"""What the service refuses in a single offer request, whatever else it holds."""

from typing import Any

import pytest

from feedtool.areas.offers.sandbox import messages
from feedtool.areas.offers.sandbox.settings import OfferBehaviour
from feedtool.sandbox.arguments import texts
from tests.sandbox.desk import Desk

VAT, ECO, DEA = ({"code": code, "value": 0} for code in ("VAT", "EcoPart", "DEA"))
TRACKED = {"code": "TrackedHomeDelivery", "cost": 0, "additionalCost": 0}


def mode(code: Any, cost: Any = 1, additional: Any = 1) -> dict[str, Any]:
    return {"code": code, "cost": cost, "additionalCost": additional}


UPSERTS: list[tuple[dict[str, Any], list[str]]] = [
    # what is good
    ({}, ["8000"]),
    ({"price__originPrice": None}, ["8000"]),
    ({"price__originPrice": 11}, ["8000"]),
    ({"price__taxes": [{"code": "VAT", "value": 5.125}, ECO, DEA]}, ["8000"]),
    ({"product": {"reference": "A-1.b"}}, ["8000"]),
    ({"product__gtin": 4006381333931}, ["8000"]),
    ({"product__gtin": "96385074"}, ["8000"]),
    ({"product__gtin": "012345678905"}, ["8000"]),
    ({"product__gtin": "00012345678905"}, ["8000"]),
    ({"product__gtin": "10614141000415"}, ["8000"]),
    ({"product__gtin": "00000000000017"}, ["8000"]),
    ({"condition": "RefurbishedCorrectState"}, ["8000"]),
    ({"deliveryModes": [TRACKED, mode("Express"), mode("SignedHomeDelivery")]}, ["8000"]),
    ({"deliveryModes": [mode("WithSetupHomeDelivery")]}, ["8000"]),
    ({"quantity": 0}, ["8000"]),
    ({"preparationTime": 0}, ["8000"]),
    ({"unknown": "field"}, ["8000"]),
    # 10: required
    ({"product": {}}, ["1001"]),
    ({"product": None}, ["1001"]),
    ({"product": {"gtin": "", "reference": ""}}, ["1001"]),
    ({"condition": None}, ["1002"]),
    ({"condition": ""}, ["1002"]),
    ({"sellerExternalReference": None}, ["1003"]),
    ({"sellerExternalReference": ""}, ["1003"]),
    ({"sellerExternalReference": " \u00a0"}, ["1003"]),
    ({"quantity": None}, ["1005"]),
    ({"price__price": None}, ["1006"]),
    ({"price": None}, ["1006", "1007", "1008", "1031"]),
    ({"price__taxes": [ECO, DEA]}, ["1007"]),
    ({"price__taxes": [VAT, DEA]}, ["1008"]),
    ({"price__taxes": [VAT, ECO]}, ["1031"]),
    ({"price__taxes": [{"code": "VAT", "value": None}, ECO, DEA]}, ["1007"]),
    ({"price__taxes": [VAT, {"code": "Ecotax", "value": 0}, DEA]}, ["1008", "1328"]),
    ({"preparationTime": None}, ["1009"]),
    ({"deliveryModes": None}, ["1012"]),
    ({"deliveryModes": []}, ["1012"]),
    ({"deliveryModes": [mode("ExpressHomeDelivery")]}, ["1012"]),
    ({"deliveryModes": [mode("TrackedHomeDelivery", None)]}, ["1012"]),
    ({"deliveryModes": [mode("TrackedHomeDelivery", 1, None)]}, ["1016"]),
    ({"deliveryModes": [TRACKED, mode("NotTrackedHomeDelivery", None)]}, ["1011"]),
    ({"deliveryModes": [TRACKED, mode("NotTrackedHomeDelivery", 1, None)]}, ["1015"]),
    ({"deliveryModes": [TRACKED, mode("SignedHomeDelivery", None, None)]}, ["1013", "1017"]),
    ({"deliveryModes": [TRACKED, mode("ExpressHomeDelivery", None, None)]}, ["1028"]),
    # 11, 12: format, length
    ({"product__gtin": "3760452700038"}, ["1101"]),
    ({"product__gtin": "376045270003"}, ["1101"]),
    ({"product__gtin": "8.8E+12"}, ["1101"]),
    ({"product__gtin": "٤٠٠٦٣٨١٣٣٣٩٣١"}, ["1101"]),
    ({"product__gtin": "0000000000000"}, ["1101"]),
    ({"product__gtin": "00000000"}, ["1101"]),
    ({"product__gtin": "963850740"}, ["1101"]),
    ({"product__gtin": "4006381333931 "}, ["1101"]),
    ({"product__gtin": 0}, ["1101"]),
    ({"sellerExternalReference": "A|1"}, ["1103"]),
    ({"sellerExternalReference": "A\u200b1"}, ["1103"]),
    ({"sellerExternalReference": "A\n1"}, ["1103"]),
    ({"product__reference": "A_1"}, ["1124"]),
    ({"product__reference": "A 1"}, ["1124"]),
    ({"product__reference": "A\n"}, ["1124"]),
    ({"sellerExternalReference": "A" * 51}, ["1203"]),
    ({"product__reference": "A" * 51}, ["1224"]),
    # 13: does not exist
    ({"condition": "new"}, ["1302"]),
    ({"condition": "LikeNew"}, ["1302"]),
    # taxes are VAT, EcoPart and DEA (part "Offer package and offer request")
    ({"price__taxes": [VAT, ECO, DEA, {"code": "Other", "value": 0}]}, ["1328"]),
    ({"price__taxes": [VAT, ECO, DEA, {"code": "dea", "value": 0}]}, ["1328"]),
    ({"price__taxes": [VAT, ECO, DEA, {"value": 0}]}, ["1328"]),
    # amounts have two decimals at most
    ({"price__price": 11.005}, ["1106"]),
    ({"price__price": 0.1 + 0.2, "price__originPrice": None}, ["1106"]),
    ({"price__originPrice": 13.505}, ["1118"]),
    ({"price__taxes": [VAT, {"code": "EcoPart", "value": 0.125}, DEA]}, ["1108"]),
    ({"price__taxes": [VAT, ECO, {"code": "DEA", "value": 0.125}]}, ["1131"]),
    ({"deliveryModes": [mode("TrackedHomeDelivery", 4.905, 1.505)]}, ["1112", "1116"]),
    ({"deliveryModes": [TRACKED, mode("Standard", 4.905, 1.505)]}, ["1111", "1115"]),
    ({"deliveryModes": [TRACKED, mode("SignedHomeDelivery", 4.905, 1.505)]}, ["1113", "1117"]),
    ({"deliveryModes": [TRACKED, mode("Express", 4.905, 1.505)]}, ["1128"]),
    # 28: a tax and a delivery mode have one value each
    ({"price__taxes": [VAT, VAT, ECO, DEA]}, ["2807"]),
    ({"price__taxes": [VAT, ECO, {"code": "EcoPart", "value": 1}, DEA]}, ["2808"]),
    ({"price__taxes": [VAT, ECO, DEA, DEA]}, ["2831"]),
    ({"deliveryModes": [TRACKED, TRACKED]}, ["2812"]),
    ({"deliveryModes": [TRACKED, *[mode("NotTrackedHomeDelivery")] * 2]}, ["2811"]),
    ({"deliveryModes": [TRACKED, *[mode("SignedHomeDelivery")] * 3]}, ["2813"]),
    ({"deliveryModes": [TRACKED, mode("Express", 1), mode("Express", 2)]}, ["2828"]),
    ({"deliveryModes": [TRACKED, mode("Standard"), mode("NotTrackedHomeDelivery")]}, ["8000"]),
    # 17: out of bounds
    ({"quantity": -1}, ["1705"]),
    ({"quantity": 10_000_000_000}, ["1705"]),
    ({"quantity": 1e300}, ["1705"]),
    ({"price__taxes": [{"code": "VAT", "value": 100.5}, ECO, DEA]}, ["1707"]),
    ({"price__taxes": [{"code": "VAT", "value": -1}, ECO, DEA]}, ["1707"]),
    ({"price__taxes": [VAT, {"code": "EcoPart", "value": -1}, DEA]}, ["1708"]),
    ({"price__taxes": [VAT, ECO, {"code": "DEA", "value": -1}]}, ["1731"]),
    ({"preparationTime": -1}, ["1709"]),
    ({"preparationTime": 2**63}, ["1709"]),
    ({"deliveryModes": [mode("TrackedHomeDelivery", -1, -1)]}, ["1712", "1716"]),
    ({"deliveryModes": [TRACKED, mode("NotTrackedHomeDelivery", -1, -1)]}, ["1711", "1715"]),
    ({"deliveryModes": [TRACKED, mode("SignedHomeDelivery", -1, -1)]}, ["1713", "1717"]),
    ({"deliveryModes": [TRACKED, mode("ExpressHomeDelivery", -1, -1)]}, ["1728"]),
    # prices
    ({"price__price": 0}, ["1906"]),
    ({"price__price": -1}, ["1906"]),
    ({"price__price": 2**63, "price__originPrice": None}, ["8000"]),
    ({"price__originPrice": 10.99}, ["2318"]),
    ({"price__taxes": [VAT, {"code": "EcoPart", "value": 11}, DEA]}, ["2906"]),
    (
        {
            "price__price": 0.8,
            "price__taxes": [VAT, {"code": "EcoPart", "value": 0.7}, {**DEA, "value": 0.1}],
        },
        ["2906"],
    ),
    # 40: not configured
    ({"deliveryModes": [TRACKED, mode("ByPigeon")]}, ["4028"]),
    ({"deliveryModes": [mode("trackedhomedelivery")]}, ["1012", "4028"]),
    ({"deliveryModes": [TRACKED, mode(None)]}, ["4028"]),
    # all that is wrong is told
    ({"quantity": -1, "condition": "Old", "price__price": 0}, ["1302", "1906", "1705"]),
]


@pytest.mark.parametrize(("changes", "codes"), UPSERTS)
def test_upsert(desk: Desk, changes: dict[str, Any], codes: list[str]) -> None:
    status = "Integrated" if codes == ["8000"] else "Rejected"
    assert desk.outcome("Upsert", desk.offer(**changes)) == (status, codes)


UPDATES: list[tuple[dict[str, Any], list[str]]] = [
    ({"quantity": 3}, ["9000"]),
    ({"quantity": 7}, ["9000"]),
    ({"preparationTime": 4}, ["9000"]),
    ({"price": {"price": 12}}, ["9000"]),
    ({"price": {"originPrice": 20}}, ["9000"]),
    ({"price": {"taxes": [{"code": "VAT", "value": 5.5}, ECO, DEA]}}, ["9000"]),
    ({"deliveryModes": [TRACKED, mode("SignedHomeDelivery")], "preparationTime": 1}, ["9000"]),
    ({"deliveryModes": [mode("SpecificRoomHomeDelivery")], "preparationTime": 1}, ["9000"]),
    ({"quantity": 3, "unknown": 1}, ["9000"]),
    # the identity may be said, but not changed
    ({"quantity": 3, "condition": "New", "product": {"gtin": "4000000000013"}}, ["9000"]),
    ({"quantity": 3, "product": {"gtin": "04000000000013"}}, ["9000"]),
    ({"quantity": 3, "product": {"gtin": "4006381333931"}}, ["2503"]),
    ({"quantity": 3, "product": {"reference": "B"}}, ["2503"]),
    ({"quantity": 3, "condition": "UsedLikeNew"}, ["2503"]),
    # nothing valid to change
    ({}, ["1028"]),
    ({"quantity": None}, ["1028"]),
    ({"unknown": 1}, ["1028"]),
    ({"condition": "New"}, ["1028"]),
    ({"price": {"taxes": None}, "deliveryModes": None}, ["1028"]),
    # "arrays replace the existing array, so send the full list" (rule 2)
    ({"price": {"taxes": []}}, ["1007", "1008", "1031"]),
    ({"quantity": 3, "price": {"taxes": []}}, ["1007", "1008", "1031"]),
    ({"price": {"taxes": [{"code": "VAT", "value": 5.5}]}}, ["1008", "1031"]),
    ({"price": {"taxes": [VAT, DEA]}}, ["1008"]),
    ({"price": {"taxes": [ECO, DEA]}}, ["1007"]),
    ({"price": {"taxes": [VAT, VAT, ECO, DEA]}}, ["2807"]),
    ({"deliveryModes": []}, ["1009", "1012"]),
    ({"quantity": 3, "deliveryModes": [], "preparationTime": 1}, ["1012"]),
    ({"deliveryModes": [mode("SignedHomeDelivery")], "preparationTime": 1}, ["1012"]),
    ({"deliveryModes": [TRACKED, TRACKED], "preparationTime": 1}, ["2812"]),
    # values
    ({"price": {"price": 12.345}}, ["1106"]),
    ({"deliveryModes": [TRACKED]}, ["1009"]),
    ({"quantity": -1}, ["1705"]),
    ({"quantity": 3, "price": {"price": 0}}, ["1906"]),
    ({"price": {"price": 14}}, ["2318"]),
    ({"price": {"price": 0.12}}, ["2906"]),
    ({"price": {"taxes": [VAT, ECO, {"code": "DEA", "value": 11}]}}, ["2906"]),
    ({"deliveryModes": [TRACKED, mode("ByPigeon")], "preparationTime": 1}, ["4028"]),
    # no match
    ({"sellerExternalReference": "B", "quantity": 3}, ["3628"]),
    ({"sellerExternalReference": "a-1", "quantity": 3}, ["3628"]),
    ({"sellerExternalReference": None, "quantity": 3}, ["1003"]),
    ({"sellerExternalReference": "  ", "quantity": 3}, ["1003"]),
]


@pytest.mark.parametrize(("changes", "codes"), UPDATES)
def test_update(desk: Desk, changes: dict[str, Any], codes: list[str]) -> None:
    desk.outcome("Upsert", desk.offer("A-1", 1))
    row = {"sellerExternalReference": "A-1", **changes}
    status = "Integrated" if codes == ["9000"] else "Rejected"
    assert desk.outcome("Update", row) == (status, codes)


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
def test_settings_change_what_is_refused(
    new_desk: type[Desk], behaviour: OfferBehaviour, changes: dict[str, Any], codes: list[str]
) -> None:
    with new_desk(behaviour) as desk:
        assert desk.outcome("Upsert", desk.offer(**changes))[1] == codes


def test_every_code_is_reached_and_has_its_message() -> None:
    known = texts(messages.__name__, "en-US")
    reached = {code for _, codes in UPSERTS + UPDATES for code in codes}
    elsewhere = {"1023", "1324", "2403", "2801", "3003"}
    of_zips = {"1014", "1723", *(code for code in known if code.startswith("11"))}
    assert reached | elsewhere | of_zips == set(known)
