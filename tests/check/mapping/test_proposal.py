"""The proposed field of a column: by its name, its cells, its neighbours and the text above."""

import pytest

from feedtool.areas.registry import load
from feedtool.check.mapping.evidence import SheetColumn, evidence
from feedtool.check.mapping.proposal import KnownMeaning, propose
from feedtool.check.mapping.words import concepts
from feedtool.model.cells import Cell, Kind
from feedtool.model.settings import AccountSettings
from feedtool.model.text import catalogue

KNOWN = {
    column.key: column
    for column in load().feeds["offers-upsert"].sheet.understood(AccountSettings())
}
CODES = "4006381333931 3760452700039 5901234123457 4012345678901"
PRICES = "10,90 12,00 24,50 99,99"
TAXED = "13,08 14,40 29,40 119,99"
DOUBLE = "21,80 24,00 49,00 199,98"
WHOLE = "3 7 0 12"
NAMES = "A-1 A-2 A-3 A-4"


def proposed(sheet: dict[str, str], above: str = "") -> list[tuple[str | None, bool]]:
    """The field of each column, and True if it is taken without a question."""
    columns = [
        SheetColumn(index, header, [Cell(Kind.TEXT, text) for text in cells.split()])
        for index, (header, cells) in enumerate(sheet.items())
    ]
    return [(found.key, found.confidence >= 85) for found in propose(columns, KNOWN, {}, above)]


PRICE, ASKED, NO_USE = ("price.price", True), ("price.price", False), (None, True)
SKU = ("sellerExternalReference", True)
GTIN, STOCK, VAT = ("product.gtin", True), ("quantity", True), ("taxes.VAT", True)
FOO = (None, False)
CASES: dict[str, tuple[dict[str, str], str, list[tuple[str | None, bool]]]] = {
    "a name alone": ({"Prix": PRICES}, "", [PRICE]),
    "in another order, with a unit": ({"TTC - prix de vente (€)": PRICES}, "", [PRICE]),
    "a misspelling": ({"Lagerbesttand": WHOLE}, "", [STOCK]),
    "a name composed of known words": ({"Verkaufspreis brutto": PRICES}, "", [PRICE]),
    "a name with an unknown word": ({"Stock Lyon": WHOLE}, "", [("quantity", False)]),
    "letters and dots": ({"P.V. TTC": PRICES, "Q.tà disp.": WHOLE}, "", [PRICE, STOCK]),
    "codes by their check digits": ({"Foo": CODES}, "", [GTIN]),
    "no codes below EAN": ({"EAN": WHOLE}, "", [("product.gtin", False)]),
    "conditions by what they are": ({"Foo": "Neuf Neuf Neuf Neu"}, "", [("condition", True)]),
    "a state that is none": ({"Etat": "Actif Actif Inactif Actif"}, "", [(None, True)]),
    "a reference with codes": (
        {"SKU": CODES, "EAN": CODES},
        "",
        [("sellerExternalReference", True), GTIN],
    ),
    "codes that count on": ({"Artikelnr.": "4711 4712 4713 4714", "EAN": CODES}, "", [SKU, GTIN]),
    "the numbers of the rows": (
        {"Artikelnr.": "1 2 3 4", "EAN": CODES},
        "",
        [("sellerExternalReference", False), GTIN],
    ),
    "rates and amounts of tax": (
        {"TVA": "20 20 5,5 20", "Montant TVA": PRICES},
        "",
        [("taxes.VAT", True), ("price.price", False)],
    ),
    "without tax": ({"Prix HT": PRICES}, "", [NO_USE]),
    "purchase": ({"PA": PRICES, "Coste": PRICES, "EK-Preis": PRICES}, "", [NO_USE] * 3),
    "with tax beside": ({"Prix": PRICES, "Prix TTC": TAXED}, "", [(None, False), PRICE]),
    "the same with tax beside": (
        {"Prix A": PRICES, "Prix de vente": TAXED},
        "",
        [(None, False), PRICE],
    ),
    "a title that says without tax": ({"Prix": PRICES}, "Tarif HT 2026", [(None, False)]),
    "a title for dealers": ({"Preis": PRICES}, "Händlerpreisliste", [(None, False)]),
    "a title, but a gross price": ({"Prix TTC": PRICES}, "Tarif HT 2026", [PRICE]),
    "far below what is recommended": (
        {"Price": PRICES, "RRP": DOUBLE},
        "",
        [(None, False), ("price.originPrice", False)],
    ),
    "beside pack sizes": ({"Price": PRICES, "Pack size": WHOLE}, "", [ASKED, NO_USE]),
    "beside a promotional price": (
        {"Price": TAXED, "Special price": PRICES},
        "",
        [ASKED, (None, False)],
    ),
    "a struck price that is lower": (
        {"Price": DOUBLE, "Old price": PRICES},
        "",
        [ASKED, ("price.originPrice", False)],
    ),
    "two prices, one always higher": (
        {"Selling price": PRICES, "Retail price": DOUBLE},
        "",
        [("price.price", False), ("price.originPrice", False)],
    ),
    "two stocks": ({"Stock": WHOLE, "Quantity": WHOLE}, "", [("quantity", False), (None, False)]),
    "codes of no use, and no reference": ({"MPN": NAMES}, "", [(None, False)]),
    "the name of a field": (
        {"Recommandé : principal": PRICES, "deliveryModes.Standard.cost": PRICES},
        "",
        [("deliveryModes.SignedHomeDelivery.cost", True), ("deliveryModes.Standard.cost", True)],
    ),
    "flags below a name of a price": (
        {"price is with VAT": "1 1 1 1", "Prix TTC": "oui non oui oui", "Listino": PRICES},
        "",
        [(None, False), (None, False), ("price.originPrice", False)],
    ),
    "flags below a name of a struck price": ({"Prix barré": "0 1 0 1"}, "", [(None, False)]),
    "flags and words below a name of a rate": (
        {"TVA": "oui non oui oui", "Prix TTC": PRICES},
        "",
        [(None, False), PRICE],
    ),
    "words below a name of a rate": ({"TVA": "normal réduit normal"}, "", [("taxes.VAT", False)]),
    "no struck prices": ({"Prix barré": "0 0 0 0"}, "", [("price.originPrice", True)]),
    "a price of 0": ({"Prix": "0 0 0 0"}, "", [(None, False)]),
    "a price of 1 in two rows": ({"Prix": "1,00 1,00"}, "", [(None, False)]),
    "one price beside amounts with cents": ({"Price": "5 5 5 5", "Foo": PRICES}, "", [ASKED, FOO]),
    "one price for all": (
        {"Price": "19,90 19,90 19,90", "VAT": "5,5 20 5,5", "Stock": "1 2 3"},
        "",
        [PRICE, VAT, STOCK],
    ),
    "prices of 1 among others": ({"Prix": "1 2 1 1,50"}, "", [PRICE]),
    "a price that may be the purchase's": ({"standard_price": PRICES}, "", [ASKED]),
    "one rate of VAT": ({"TVA": "20 20 20 20"}, "", [VAT]),
    "rates of Switzerland": ({"TVA": "8,1 2,6 8,1 3,8"}, "", [VAT]),
    "no rate of VAT": ({"TVA": "1 1 1 1"}, "", [(None, False)]),
    "codes of VAT": ({"Taux TVA": "1 2 1 2"}, "", [(None, False)]),
    "amounts of VAT beside rates": ({"TVA": "20 20 5,5 3,98 2,12"}, "", [("taxes.VAT", False)]),
    "words for VAT beside rates": ({"TVA": "20 20 exonéré exonéré exonéré"}, "", [VAT]),
    "a stock of single pieces": ({"Stock": "0 1 2 1"}, "", [STOCK]),
    "a blank column": ({"EAN": "", "Foo": ""}, "", [GTIN, (None, False)]),
}


TRADE = {
    "fr": "Prix pro|Tarif pro|PV pro|Prix vente pro TTC|Votre prix|Votre prix TTC|Prix FOB"
    "|Prix d'acquisition|Prix usine|Prix professionnel TTC|Prix interne|Notre prix|Prix par 10 TTC",
    "en": "Your price|Your price (EUR)|Your shop price incl. VAT|FOB price|Dealer price|Wholesale"
    "|Our price|Retailer price|Price to retailer|Sell-in price|Pro price|Ex works price|B2B price",
    "de": "Ihr Preis|Ihr Preis brutto|Preis ab Werk|Verkaufspreis ab Werk|Bezugspreis"
    "|Fabrikabgabepreis|Händlerpreis|VK Fachhandel brutto|Wiederverkaufspreis|Profi-Preis brutto",
    "es": "Su precio|Tu precio IVA incluido|Precio reventa|PVP profesional|Precio de fábrica",
    "it": "Vostro prezzo|Prezzo a voi ivato|Prezzo FOB|Prezzo rivenditori|Prezzo di fabbrica",
    "nl": "Uw prijs|Prijs voor u incl. btw|Wederverkoopprijs|Prijs af fabriek|Vakhandelprijs",
    "pt": "Seu preço|Vosso preço com IVA|Preço de venda à loja|Preço revenda|Preço de fábrica",
    "pl": "Twoja cena|Wasza cena brutto|Cena dla sklepów|Cena hurtowa brutto|Cena dla firm",
}
RETAIL = (
    "Prix TTC|Prix boutique|Prix client TTC|Shop price|Online price|Endkundenpreis|VK brutto"
    "|Precio venta público|Prezzo al pubblico|Winkelprijs|Preço na loja|Cena w sklepie"
)


@pytest.mark.parametrize("header", "|".join(TRADE.values()).split("|"))
def test_no_price_of_a_supplier_is_taken_for_the_price(header: str) -> None:
    sheet = {"SKU": NAMES, "EAN": CODES, header: PRICES, "Stock": WHOLE}
    assert proposed(sheet)[2] != PRICE


@pytest.mark.parametrize("header", RETAIL.split("|"))
def test_the_price_of_a_shop_is_taken(header: str) -> None:
    assert proposed({"SKU": NAMES, header: PRICES})[1] == PRICE


OTHERS: dict[str, tuple[str, ...]] = {
    # What a column may be after all, the likeliest first.
    "Prix": ("price.originPrice", "price.floor"),
    "Prix d'achat": (),
    "Stock ID": ("sellerExternalReference",),
    "Couleur": (),
}


@pytest.mark.parametrize("header", OTHERS)
def test_the_other_fields_that_a_column_may_be(header: str) -> None:
    cells = {"Stock ID": NAMES, "Couleur": "blue red red blue"}.get(header, PRICES)
    column = SheetColumn(0, header, [Cell(Kind.TEXT, text) for text in cells.split()])
    (found,) = propose([column], KNOWN, {})
    assert found.alternatives[: len(OTHERS[header]) or 1] == OTHERS[header]


@pytest.mark.parametrize("case", CASES)
def test_the_field_of_each_column(case: str) -> None:
    sheet, above, expected = CASES[case]
    assert proposed(sheet, above) == expected


def test_meanings_of_a_recipe_come_first() -> None:
    column = SheetColumn(0, "Prix HT", [Cell(Kind.TEXT, text) for text in PRICES.split()])
    earlier = {column.words.text: KnownMeaning("price.price", "recipe dupont")}
    (found,) = propose([column], KNOWN, earlier)
    assert (found.key, found.confidence, found.reason) == (
        *("price.price", 100, "as in recipe dupont"),
    )


@pytest.mark.parametrize("language", ["fr", "es"])
def test_reasons_are_translated(language: str) -> None:
    names = {concept.name for concept in concepts()}
    doubts = {concept.doubt for concept in concepts() if concept.doubt}
    reasons = {item.reason for name in names for item in evidence(name) if item.reason}
    assert (names | doubts | reasons) - catalogue(language).keys() == set()
