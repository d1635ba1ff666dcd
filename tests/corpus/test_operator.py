"""The channel operator's own workbooks: recognised in each language, and annotated without loss.

Their labels stand over two rows, hold line breaks and blanks, and differ from account to account.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import pytest

from feedtool.model.cells import Header, letters
from feedtool.model.settings import LARGE_PARCEL_MODES
from tests.conftest import gtin
from tests.corpus.copies import assert_copied
from tests.corpus.made import (
    ADDITIONAL,
    BOOK_TYPE,
    CONDITION,
    COST,
    DAYS,
    GTIN,
    MAIN,
    PRICE,
    REFERENCE,
    RELS,
    STOCK,
    VAT,
    Case,
    Content,
    Request,
    Xml,
    data,
    judge,
    number,
    offers,
    package,
    parts,
    relationships,
    row,
    sent,
    strings,
    styles,
)
from tests.corpus.reading import assert_read_alike

SHEET = "Fichier Intégration Offre"
ORIGIN, ECO, DEA = "price.originPrice", "taxes.EcoPart", "taxes.DEA"
MACROS = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
BOLD = '<dxfs count="1"><dxf><font><b/></font></dxf></dxfs>'


class Words(NamedTuple):
    """The labels of one language, as the files have them."""

    labels: Mapping[str, str]
    """Labels of the columns before the delivery modes, by key; unknown ones by any other name."""
    modes: Mapping[str, str]
    """The headings above a delivery mode's two amounts, by the mode's code."""
    amounts: tuple[str, str]
    price: str
    """The price's label in the stock-and-price template."""
    new: str
    """The first value of its list of conditions."""
    last: str
    """The list's value for `UsedAverageState`."""


FRENCH = Words(
    {
        REFERENCE: "Votre référence ",
        GTIN: "EAN/GTIN",
        CONDITION: "Sous-état\ndu produit",
        STOCK: "Stock ",
        PRICE: "Prix (TTC)",
        VAT: "TVA (%)",
        ECO: "Éco-participation\n(montant)",
        DEA: "DEA (montant)\n(France)",
        ORIGIN: "Prix barré (TTC)",
        "comment": "Commentaire offre",
        DAYS: "Délai de préparation\n(nb jours ouvrés max)",
    },
    {
        "TrackedHomeDelivery": "Suivi (1)",
        "SignedHomeDelivery": "Recommandé (1)\n",
        "ExpressHomeDelivery": "Express",
        "NotTrackedHomeDelivery": "Standard",
        "FixedDateHomeDelivery": "Eco - Livré au pied\nde l'immeuble (1)",
        "SpecificRoomHomeDelivery": "Standard - Livré dans la pièce (1)",
        "WithSetupHomeDelivery": "Confort - Livré et installé (1) ",
    },
    ("Principal", "Additionnel\nFacultatif"),
    "Prix (€)(TTC)",
    "Neuf - Neuf",
    "Occasion - Etat correct",
)
ENGLISH = Words(
    {
        REFERENCE: "Your reference ",
        GTIN: "EAN/GTIN",
        CONDITION: "Product\nsub-condition",
        STOCK: "Stock",
        PRICE: "Price (incl. VAT)",
        VAT: "VAT (%)",
        ECO: "Eco-participation\n(amount)",
        DEA: "DEA (amount)\n(France)",
        ORIGIN: "Strikethrough price (incl. VAT)",
        "comment": "Offer comment",
        DAYS: "Preparation time\n(max. working days)",
    },
    {
        "TrackedHomeDelivery": "Tracked (1)",
        "SignedHomeDelivery": "Registered (1)",
        "ExpressHomeDelivery": "Express",
        "NotTrackedHomeDelivery": "Standard",
        "FixedDateHomeDelivery": "Eco - Delivered to the door (1)",
        "SpecificRoomHomeDelivery": "Standard - Delivered to the room (1)",
        "WithSetupHomeDelivery": "Comfort - Delivered and installed (1)",
    },
    ("Main", "Additional\nOptional"),
    "Price (€)(incl. VAT)",
    "New - New",
    "Used - Correct state",
)
SPANISH = Words(
    {
        REFERENCE: "Su referencia ",
        GTIN: "EAN/GTIN",
        CONDITION: "Estado\ndel producto",
        STOCK: "Stock",
        PRICE: "Precio (IVA incl.)",
        VAT: "IVA (%)",
        ECO: "Ecoparticipación\n(importe)",
        DEA: "DEA (importe)\n(Francia)",
        ORIGIN: "Precio tachado (IVA incl.)",
        "comment": "Comentario de la oferta",
        DAYS: "Plazo de preparación\n(máx. días laborables)",
    },
    {
        "TrackedHomeDelivery": "Con seguimiento (1)",
        "SignedHomeDelivery": "Certificado (1)",
        "ExpressHomeDelivery": "Exprés",
        "NotTrackedHomeDelivery": "Estándar",
        "FixedDateHomeDelivery": "Eco - Entregado a pie de calle",
        "SpecificRoomHomeDelivery": "Estándar - Entregado en casa",
        "WithSetupHomeDelivery": "Confort - Entregado e instalado",
    },
    ("Principal", "Adicional\nOpcional"),
    "Precio (€)(IVA incl.)",
    "Nuevo",
    "Usado - estado aceptable",
)
SPANISH_OF_THE_OPERATOR = Words(
    {
        REFERENCE: "Su referencia (1) Obligatorio",
        GTIN: "EAN (Cdiscount)\nGTIN (Octopia) Facultativo",
        CONDITION: "Bajo estado\ndel producto",
        STOCK: "Stock (obligatorio)",
        PRICE: "Precios\n(impuestos incluidos) (1)",
        VAT: "IVA (%)",
        ECO: "Eco Part (importe)\n(Francia)",
        DEA: "DEA (importe)\n(Francia)",
        ORIGIN: "Precio de referencia\n(impuestos incluidos) Facultativo",
        "comment": "Comentario oferta",
        DAYS: "Tiempo de preparación\n(número máx. de días laborables)",
    },
    {
        "TrackedHomeDelivery": "Seguimiento (1)",
        "SignedHomeDelivery": "Acuse de recepción (1)",
        "ExpressHomeDelivery": "Express (1)",
        "NotTrackedHomeDelivery": "Estándar (1)",
        "FixedDateHomeDelivery": "Eco - Entregado\nen la entrada (1)",
        "SpecificRoomHomeDelivery": "Estándar - Entregado en la habitación (1)",
        "WithSetupHomeDelivery": "Confort - Entregado e instalado (1)",
    },
    ("Principal", "Adicional\nFacultativo"),
    "Precios (€)(impuestos incluidos)",
    "Nuevo - Nuevo",
    "Ocasión - Estado correcto",
)
LANGUAGES = {"fr": FRENCH, "en": ENGLISH, "es": SPANISH, "operator's es": SPANISH_OF_THE_OPERATOR}
TITLES = {
    "fr": "Modèle d'intégration d'offres : stock, prix et modes de livraison",
    "en": "Offer integration template: stock, price and delivery modes",
    "es": "Plantilla de integración de ofertas: stock, precio y modos de entrega",
    "operator's es": "Modelo de integración de ofertas",
}
CODES = ("SellerProductId", "ProductEan", "ProductCondition", "Stock", "Price", "Vat")
"""Codes for programs, in a hidden row above the labels."""

MODES = ("TrackedHomeDelivery", "SignedHomeDelivery", "ExpressHomeDelivery")
USUAL = tuple(FRENCH.labels)
LEAST = (REFERENCE, GTIN, CONDITION, STOCK, PRICE, VAT, DAYS)
FURTHER = {
    "private copy": "Copie Privée (montant) \n(France)",
    "chemicals": "Chemical Tax \n(montant) (Suède)",
    "pack": "Conditionnement :\nQuantité totale vendue",
    "sale": "Activer les soldes (obligatoire)",
    "floor": "Prix plancher (TTC \u2013 hors frais de port)",
}
"""Columns of some accounts that requests never have."""

VALUES = {
    REFERENCE: "REF-{}",
    STOCK: number("7"),
    PRICE: number("19.99", 2),
    VAT: number("20"),
    ECO: number("0.12", 2),
    DEA: number("0", 2),
    ORIGIN: number("24.99", 2),
    "comment": "=1+1 & <b>",
    DAYS: number("2"),
}
AMOUNTS = (number("4.9", 2), number("1.5", 2))


class Account(NamedTuple):
    """The columns of one seller's template."""

    columns: Sequence[str] = USUAL
    modes: Sequence[str] = MODES


ACCOUNTS = {
    "the usual columns": Account(),
    "the least": Account(LEAST, MODES[:1]),
    "more columns and modes": Account(
        (*USUAL[:8], *FURTHER, *USUAL[8:]), (*MODES, "NotTrackedHomeDelivery")
    ),
    "large parcels": Account(USUAL, (*MODES, *LARGE_PARCEL_MODES)),
    "another order": Account(tuple(reversed(USUAL)), tuple(reversed(MODES))),
}


def width(account: Account) -> int:
    return len(account.columns) + 2 * len(account.modes)


def labels(words: Words, account: Account) -> tuple[list[str | None], list[str | None]]:
    """The two rows of labels."""
    texts = {**words.labels, **FURTHER}
    upper: list[str | None] = [texts[column] for column in account.columns]
    lower: list[str | None] = [None] * len(upper)
    for mode in account.modes:
        upper += (words.modes[mode], None)
        lower += words.amounts
    return upper, lower


def merges(account: Account) -> list[str]:
    """A column's label spans both rows, a mode's both its columns."""
    single = len(account.columns)
    return [
        f"A1:{letters(width(account) - 1)}1",
        *(f"{letters(at)}4:{letters(at)}5" for at in range(single)),
        *(f"{letters(at)}4:{letters(at + 1)}4" for at in range(single, width(account), 2)),
    ]


def record(which: int, account: Account, words: Words) -> list[str | None]:
    """The cells of an offer; of its modes only the first is used."""
    cells: Mapping[str, str] = {
        **VALUES,
        REFERENCE: VALUES[REFERENCE].format(which),
        CONDITION: words.new if which == 1 else words.last,
        GTIN: number(gtin(which), 1),
    }
    filled: list[str | None] = [cells.get(column) for column in account.columns]
    for mode in account.modes:
        filled += AMOUNTS if mode == MODES[0] else (None, None)
    return filled


def shared(rows: Sequence[tuple[int, Sequence[str | None], str]]) -> tuple[str, str]:
    """Rows whose texts are all shared, and the shared strings."""
    texts: dict[str, int] = {}

    def shared_cell(text: str | None) -> str | None:
        if text is None or isinstance(text, Xml):
            return text
        place = texts.setdefault(text.replace("&", "&amp;").replace("<", "&lt;"), len(texts))
        return Xml(f' s="0" t="s"><v>{place}</v>')

    written = "".join(
        row(at, [shared_cell(cell) for cell in cells], attributes) for at, cells, attributes in rows
    )
    return written, strings(*(f'<t xml:space="preserve">{text}</t>' for text in texts))


def dressed(rows: str, merged: Sequence[str], last: str, first: int) -> str:
    """The operator's sheet around its rows: protected, with dropdowns, a picture and notes."""
    empty = "".join(
        f'<row r="{at}" ht="15" customHeight="1"><c r="A{at}" s="1"/></row>' for at in range(90, 99)
    )
    regions = "".join(f'<mergeCell ref="{ref}"/>' for ref in merged)
    return (
        f'<worksheet xmlns="{MAIN}" xmlns:r="{RELS}" xmlns:y="urn:y"><sheetPr codeName="Feuil1">'
        f'<tabColor rgb="FF0070C0"/></sheetPr><dimension ref="A1:{last}98"/><sheetViews>'
        '<sheetView showGridLines="0" tabSelected="1" workbookViewId="0">'
        f'<pane xSplit="1" ySplit="{first - 1}" topLeftCell="B{first}" state="frozen"/></sheetView>'
        '</sheetViews><sheetFormatPr baseColWidth="10" defaultRowHeight="15"/><cols>'
        '<col min="1" max="1" width="20" customWidth="1"/>'
        '<col min="2" max="16384" width="12.7" style="1" customWidth="1"/></cols>'
        f"<sheetData>{rows}{empty}</sheetData>"
        '<sheetProtection password="CC3D" sheet="1" objects="1" formatColumns="0"/>'
        f'<mergeCells count="{len(merged)}">{regions}</mergeCells>'
        '<conditionalFormatting sqref="A6:A98"><cfRule type="duplicateValues" dxfId="0" '
        'priority="1"/></conditionalFormatting><dataValidations count="2"><dataValidation '
        'type="list" allowBlank="1" showErrorMessage="1" sqref="C6:C98"><formula1>Etats</formula1>'
        '</dataValidation><dataValidation type="whole" operator="greaterThan" sqref="D6:D98">'
        "<formula1>-1</formula1></dataValidation></dataValidations>"
        '<pageMargins left=".7" right=".7" top=".75" bottom=".75" header=".3" footer=".3"/>'
        '<pageSetup paperSize="9" orientation="landscape" r:id="rId3"/><drawing r:id="rId1"/>'
        '<legacyDrawing r:id="rId2"/><extLst><ext uri="{mine}"><y:kept a="1"/></ext></extLst>'
        "</worksheet>"
    )


def workbook(
    sheet: str, texts: str, more: Mapping[str, Content] | None = None, name: str = SHEET
) -> bytes:
    """The operator's workbook: instructions in front, hidden lists behind, macros and a picture."""
    listed = row(1, ["Neuf", "Occasion - comme neuf"]) + row(2, ["TVA (%)", "20"])
    made = parts(
        {
            "Lisez-moi": data(row(1, ["Comment renseigner le stock et le prix"])),
            name: sheet,
            'Listes" state="hidden': data(listed),
            'Version" state="veryHidden': data(row(1, ["int_off_import", "2.7"])),
            **(more or {}),
        },
        before='<workbookPr codeName="ThisWorkbook"/><workbookProtection lockStructure="1"/>',
        after='<definedNames><definedName name="Etats">Listes!$A$1</definedName></definedNames>',
    )
    count = 4 + len(more or {})
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{at}.xml" ContentType="{SHEET_TYPE}"/>'
        for at in range(1, count + 1)
    )
    declared = str(made["[Content_Types].xml"]).replace(BOOK_TYPE, MACROS)
    types = f'<Default Extension="bin" ContentType="x/vba"/>{types}</Types>'
    return package(
        {
            **made,
            "[Content_Types].xml": declared.replace("</Types>", types),
            "xl/vbaProject.bin": bytes(range(256)) * 40,
            "xl/styles.xml": styles("0", "0.00").replace("</styleSheet>", f"{BOLD}</styleSheet>"),
            "xl/sharedStrings.xml": texts,
            "xl/worksheets/_rels/sheet2.xml.rels": relationships(
                ("rId1", "drawing", "../drawings/drawing1.xml"),
                ("rId2", "vmlDrawing", "../drawings/vmlDrawing1.vml"),
                ("rId3", "printerSettings", "../printerSettings/printerSettings1.bin"),
            ),
            "xl/drawings/drawing1.xml": "<xdr:wsDr xmlns:xdr='urn:xdr'/>",
            "xl/drawings/vmlDrawing1.vml": "<xml>\r\n<not well formed></xml>",
            "xl/media/image1.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
            "xl/printerSettings/printerSettings1.bin": b"\0\1" * 99,
            "customXml/item1.xml": "<mine>\r\n<kept/></mine>",
        }
    )


def template(
    language: str,
    account: Account,
    offered: Sequence[int] = (1, 2),
    more: Mapping[str, Content] | None = None,
) -> bytes:
    """The offers template of an account, with some offers in it."""
    upper, lower = labels(LANGUAGES[language], account)
    rows: list[tuple[int, Sequence[str | None], str]] = [
        (1, [TITLES[language]], ' ht="40" customHeight="1"'),
        (2, [None, "v2.7"], ""),
        (3, CODES, ' hidden="1"'),
        (4, upper, ' ht="45" customHeight="1"'),
        (5, lower, ""),
        *(
            (at, record(which, account, LANGUAGES[language]), "")
            for at, which in enumerate(offered, 6)
        ),
    ]
    written, texts = shared(rows)
    last = letters(width(account) - 1)
    return workbook(dressed(written, merges(account), last, 6), texts, more)


def stock_and_price(language: str) -> bytes:
    """The template that only changes stock and price; its header is a single row."""
    words = LANGUAGES[language]
    header = [words.labels[REFERENCE], "EAN ", words.labels[STOCK], words.price]
    rows: list[tuple[int, Sequence[str | None], str]] = [
        (1, [TITLES[language]], ""),
        (3, ["Obligatoire", "Facultatif", "Obligatoire", "Obligatoire"], ""),
        (4, header, ""),
        (5, ["REF-1", number(gtin(1), 1), number("7"), number("19.99", 2)], ""),
        (6, ["REF-2", None, number("0"), None], ""),
        (7, ["REF-3", None, None, "1 299,90"], ""),
    ]
    written, texts = shared(rows)
    return workbook(dressed(written, ["A1:D1"], "D", 5), texts)


def offered(which: int, account: Account) -> Request:
    """The request of a row."""
    condition = "New" if which == 1 else "UsedAverageState"
    request = sent(which, reference=f"REF-{which}", condition=condition)
    if ECO in account.columns:
        request["price"]["taxes"][1]["value"] = 0.12
    if ORIGIN in account.columns:
        request["price"]["originPrice"] = 24.99
    return request


def unknown(account: Account, words: Words) -> list[tuple[int | None, str | None, str, str | None]]:
    """The warning of the columns that are not sent."""
    texts = {**words.labels, **FURTHER}
    kept = [texts[column] for column in account.columns if column in {"comment", *FURTHER}]
    return [(None, None, "unknown-column", " ".join(kept[0].split()))] if kept else []


def case(language: str, account: Account) -> Case:
    """An account's template, and what must come out of it."""
    return Case(
        partial(template, language, account),
        {at: offered(which, account) for at, which in ((6, 1), (7, 2))},
        unknown(account, LANGUAGES[language]),
        name="int_off_import_template.xlsm",
    )


OFFERS = {
    f"{language}, {name}": (language, account, case(language, account))
    for language in LANGUAGES
    for name, account in ACCOUNTS.items()
}


@pytest.mark.parametrize(("language", "account", "case"), OFFERS.values(), ids=OFFERS)
def test_offers(tmp_path: Path, language: str, account: Account, case: Case) -> None:
    sheet = judge(case, tmp_path)
    assert (sheet.kind, sheet.sheet) == ("offers-upsert", SHEET)
    assert sheet.header is not None
    assert (sheet.header.row, sheet.header.after) == (5, 5)
    amounts = (f"deliveryModes.{mode}" for mode in account.modes)
    assert keys(sheet.header) == [
        *(column if column in KNOWN else None for column in account.columns),
        *(f"{mode}.{amount}" for mode in amounts for amount in ("cost", "additionalCost")),
    ]
    upper = LANGUAGES[language].modes[account.modes[0]]
    assert sheet.header.texts[len(account.columns)].startswith(" ".join(upper.split()))


KNOWN = {*USUAL, COST, ADDITIONAL} - {"comment"}


def keys(header: Header) -> list[str | None]:
    """The keys of the columns, from A on."""
    return [
        header.columns[index].key if index in header.columns else None
        for index in range(max(header.texts) + 1)
    ]


UPDATES: Mapping[int, Request] = {
    5: {"sellerExternalReference": "REF-1", "price": {"price": 19.99}, "quantity": 7},
    6: {"sellerExternalReference": "REF-2", "quantity": 0},
    7: {"sellerExternalReference": "REF-3", "price": {"price": 1299.9}},
}
STOCK_AND_PRICE = {
    language: Case(
        partial(stock_and_price, language),
        UPDATES,
        [(None, "B", "identity-not-sent", None)],
        name="int_off_import_stockprice_template.xlsm",
    )
    for language in LANGUAGES
}


@pytest.mark.parametrize("case", STOCK_AND_PRICE.values(), ids=STOCK_AND_PRICE)
def test_stock_and_price(tmp_path: Path, case: Case) -> None:
    sheet = judge(case, tmp_path)
    assert (sheet.kind, sheet.sheet) == ("offers-update", SHEET)
    assert sheet.kind_reason == "the channel operator's template"
    assert sheet.header is not None
    assert (sheet.header.row, sheet.header.after) == (4, 4)
    assert keys(sheet.header) == [REFERENCE, GTIN, STOCK, PRICE]


OTHERS = {
    "nothing filled in yet": Case(
        lambda: template("fr", ACCOUNTS["the least"], ()),
        error="no-rows",
        says=["header in row 5"],
    ),
    "an example beside the operator's own sheet": Case(
        lambda: template("fr", Account(), more={"Exemple": offers()}),
        {at: offered(which, Account()) for at, which in ((6, 1), (7, 2))},
        unknown(Account(), FRENCH),
    ),
    "the example, named": Case(
        lambda: template("fr", Account(), more={"Exemple": offers()}), {2: sent()}, sheet="Exemple"
    ),
}


@pytest.mark.parametrize("case", OTHERS.values(), ids=OTHERS)
def test_files_of_the_operator_are_read(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)


COPIED = {
    **{name: case for name, (_, _, case) in OFFERS.items()},
    **{f"{language}, stock and price": case for language, case in STOCK_AND_PRICE.items()},
}
COPIED_USUALLY = {
    f"{language}, {name}"
    for language, name in zip(cycle(LANGUAGES), [*ACCOUNTS, "stock and price"], strict=False)
    if name not in {"the least", "another order"}  # a copy does not depend on the columns
}
"""Most kinds of accounts once, and each language at least once."""


@pytest.mark.parametrize(
    "name",
    [
        name if name in COPIED_USUALLY else pytest.param(name, marks=pytest.mark.long)
        for name in COPIED
    ],
)
def test_its_copy(tmp_path: Path, name: str) -> None:
    path = COPIED[name].write(tmp_path)
    assert_read_alike(path, name)
    assert assert_copied(path, tmp_path / "out") == "rows"
