"""The header row, and the meaning of its texts."""

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.registry import load
from feedtool.check.headers import ENOUGH, Candidates, HeaderDuplicate, HeadRow, Names, with_layout
from feedtool.check.kinds import families
from feedtool.feeds.feed import Layout
from feedtool.model.cells import BLANK, Cell, Header, Kind, folded
from feedtool.model.settings import AccountSettings

OWN = ("feedtool status", "feedtool message", "feedtool code")
FEED = load().feeds["offers-upsert"]
REFERENCE, GTIN, PRICE = "sellerExternalReference", "product.gtin", "price.price"


@cache
def names_of(kind: str) -> Names:
    dialect = AccountSettings()
    return Names(load().feeds[kind].sheet.understood(dialect), dialect, OWN)


def names(dialect: AccountSettings | None = None, kind: str = FEED.kind) -> Names:
    if dialect is None:
        return names_of(kind)
    return Names(load().feeds[kind].sheet.understood(dialect), dialect, OWN)


def row(number: int, *texts: str | None) -> HeadRow:
    return number, [Cell(Kind.TEXT, text) if text else BLANK for text in texts]


def candidates(*rows: HeadRow, dialect: AccountSettings | None = None) -> Candidates:
    """The candidates of a sheet of any family."""
    return Candidates(rows, [names(dialect, family[0].kind) for family in families(load())])


def header_of(
    *rows: HeadRow, dialect: AccountSettings | None = None, enough: int = ENOUGH
) -> Header:
    header = candidates(*rows, dialect=dialect).find(names(dialect), enough)
    assert header is not None
    return header


def keys(header: Header) -> dict[int, str]:
    return {index: column.key for index, column in header.columns.items()}


MODES = "deliveryModes"
# Labels of our templates are tested below.
MEANS = {
    header: key
    for key, names in {
        REFERENCE: (
            *("sellerExternalReference", "seller_external_reference", "sku", "SKU "),
            *("VOTRE\u00a0REFERENCE", "S.K.U."),
        ),
        GTIN: ("product.gtin", "gtin", "EAN", "\ufeffean", "EAN (Cdiscount) GTIN (Octopia)"),
        "product.reference": ("productReference", "product.reference"),
        "condition": ("Condition",),
        PRICE: (
            *("price.price", "price", "Prix (TTC)", "prix\nttc", "Prix (€)(TTC)"),
            "Price * mandatory",
        ),
        "price.originPrice": (
            *("originPrice", "Prix de référence (TTC) - Facultatif"),
            *("Struck price", "Struck price (incl. VAT)"),
        ),
        "taxes.VAT": ("vat", "T.V.A."),
        "taxes.EcoPart": (
            *("ecoPart", "e\u0301co participation montant", "Eco Part (importe) (Francia)"),
        ),
        "taxes.DEA": ("dea", "DEA (montant) (France)"),
        "quantity": ("stock", "Stock", "quantity", "Stock (obligatoire)"),
        "preparationTime": ("Délai de préparation (nb jours ouvrés max)",),
        f"{MODES}.TrackedHomeDelivery.cost": ("TrackedHomeDelivery.cost", "Suivi (1) - Principal"),
        f"{MODES}.TrackedHomeDelivery.additionalCost": (
            *("trackedhomedelivery additionalcost", "Suivi (1) - Additionnel Facultatif"),
            "Seguimiento (1) Adicional Facultativo",
        ),
        **{name: (name,) for name in ("salesChannelId", "action", "CDAV")},
        f"{MODES}.NotTrackedHomeDelivery.cost": ("Standard Principal",),
        f"{MODES}.Express.cost": ("Express.cost",),
        f"{MODES}.SignedHomeDelivery.cost": ("Registered Main", "Acuse de recepción (1) Principal"),
        f"{MODES}.ExpressHomeDelivery.additionalCost": ("Exprés Adicional (opcional)",),
        f"{MODES}.FixedDateHomeDelivery.cost": ("Eco - Entregado … (1) Principal",),
        f"{MODES}.FixedDateHomeDelivery.additionalCost": (
            "Eco - Livré en bas de l'immeuble (1)\nAdditionnel",
        ),
        f"{MODES}.SpecificRoomHomeDelivery.additionalCost": (
            "Estándar - Entregado en casa (1) Adicional Facultativo",
        ),
        f"{MODES}.WithSetupHomeDelivery.cost": ("Confort - Entregado e instalado (1) Principal",),
    }.items()
    for header in names
}


@pytest.mark.parametrize(("header", "key"), MEANS.items(), ids=map(ascii, MEANS))
def test_a_header_means(header: str, key: str) -> None:
    known = names().known(header)
    assert known is not None
    assert known.column.key == key


LABELS = {label for column in FEED.sheet.columns(AccountSettings()) for label in column.labels}


@pytest.mark.parametrize("label", sorted(LABELS))
def test_every_label_of_our_templates_is_known(label: str) -> None:
    known = names().known(label)
    assert known is not None
    assert label in known.column.labels


UNKNOWN = (
    *("colour", "Prise", "", "product", "cost", "feedtool status", "Optional", "(1) facultatif"),
    *("Required stock", "Stock requis 2", "Eco - Principal", "Confort - Livré"),
    *("Stock (2)", "Prix (HT)", "Price (excl. VAT)", "Stock (Lyon)", "Prix plancher (TTC)"),
)


@pytest.mark.parametrize("header", UNKNOWN)
def test_anything_else_is_unknown(header: str) -> None:
    assert names().known(header) is None


DECORATIONS = (
    *("{} (1)", "{} [2]", "{}¹", "¹ {}", "{} *", "(*) {}", "{} (*)", "{} (1) *"),
    *("{} (obligatoire)", "{} - Facultatif", "Facultative: {}", "{}\nObligatoire", "{} optionnel"),
    *("{} Facultativo", "{} (opcional)", "Obligatorio - {}", "OBLIGATORIA {}", "{} [requerido]"),
    *("{} optional", "{} (Mandatory)", "Optional {}", "{} / required", "Required: {}"),
    "{} (1) Facultativo",
)
NAMES = sorted(
    {
        name.replace("…", "a la puerta")
        for column in FEED.sheet.understood(AccountSettings())
        for name in (column.key, *column.labels, *column.aliases)
    }
)


@given(st.sampled_from(NAMES), st.sampled_from(DECORATIONS), st.sampled_from(DECORATIONS))
def test_decorations_of_a_name_are_ignored(name: str, one: str, other: str) -> None:
    plain = keys(header_of(row(1, name), enough=1))
    assert keys(header_of(row(1, one.format(name)), enough=1)) == plain
    twice = other.format(one.format(name))
    assert keys(header_of(row(1, twice), enough=1)) == plain


def test_a_number_at_the_end() -> None:
    for texts, index in (
        (["Stock (2)"], 1),
        (["Stock (2)", "Stock"], 2),
        (["Stock", "Stock (2)"], 1),
    ):
        assert keys(header_of(row(1, REFERENCE, *texts))) == {0: REFERENCE, index: "quantity"}
    with pytest.raises(HeaderDuplicate, match=r"“Stock \(1\)” in column B and “Stock \(2\)”"):
        header_of(row(1, REFERENCE, "Stock (1)", "Stock (2)"))


def test_a_profiles_own_headers_win() -> None:
    dialect = AccountSettings(columns={"Mon EAN": "product.gtin", "stock": "preparationTime"})
    header = header_of(row(1, "MON ean", "Stock"), dialect=dialect)
    assert keys(header) == {0: "product.gtin", 1: "preparationTime"}


@given(st.text(max_size=20))
def test_folding_is_stable(header: str) -> None:
    assert folded(folded(header)) == folded(header)
    assert folded(f" {header}-") == folded(header)


HEADERS = {
    "the first row": ([row(1, REFERENCE, GTIN)], 1, 1),
    "below titles": ([row(1, "My offers"), row(3, "March"), row(4, REFERENCE, PRICE)], 4, 4),
    "a title that is a known word": ([row(1, "Stock"), row(2, REFERENCE, GTIN, PRICE)], 2, 2),
    "labels above keys": ([row(1, "Votre référence", "EAN/GTIN"), row(2, REFERENCE, GTIN)], 2, 2),
    "keys above labels": ([row(1, REFERENCE, GTIN), row(2, "Votre référence", "EAN/GTIN")], 1, 2),
    "what must be filled": (
        [row(1, "Su referencia", "Stock"), row(2, "Obligatorio", "(Facultativo)")],
        1,
        2,
    ),
    "the row that knows more": ([row(1, REFERENCE, GTIN), row(5, REFERENCE, GTIN, PRICE)], 5, 5),
}


@pytest.mark.parametrize(("rows", "at", "after"), HEADERS.values(), ids=HEADERS)
def test_the_header_row(rows: Sequence[HeadRow], at: int, after: int) -> None:
    header = header_of(*rows)
    assert (header.row, header.after) == (at, after)


LABELLED = row(1, "Votre référence", "EAN", "Prix", "feedtool status")
KEYED = row(2, REFERENCE, GTIN, PRICE)
HEADINGS_ROWS = {
    "labels above keys": (LABELLED, KEYED, 1, {3}),
    "a title above keys": (row(1, "Mes offres"), KEYED, 2, set()),
    "a row of groups above names": (LABELLED, row(2, "sku", "ean", "prix"), 2, set()),
    "labels and keys apart": (row(0, "Votre référence", "EAN"), KEYED, 2, set()),
}


@pytest.mark.parametrize(
    ("above", "header", "at", "own"), HEADINGS_ROWS.values(), ids=HEADINGS_ROWS
)
def test_the_row_that_people_read_as_the_header(
    above: HeadRow, header: HeadRow, at: int, own: set[int]
) -> None:
    understood = with_layout(header_of(header), Layout(), [above, header], names())
    assert (understood.headings_row, set(understood.own)) == (at, own)


@pytest.mark.parametrize("rows", [[], [row(1, "A", "B")], [row(1, "Stock")], [row(1, None)]])
def test_no_header(rows: Sequence[HeadRow]) -> None:
    assert candidates(*rows).find(names()) is None


def test_the_columns_keep_their_places() -> None:
    header = header_of(row(2, None, REFERENCE, "colour", "EAN", "feedtool status"))
    assert keys(header) == {1: REFERENCE, 3: GTIN}
    assert header.texts == {1: REFERENCE, 2: "colour", 3: "EAN", 4: "feedtool status"}
    assert [index for index, _ in header.unknown] == [2]
    assert header.own == {4}
    assert (header.index_of(GTIN), header.index_of(PRICE)) == (3, None)


def test_each_of_thousands_of_unknown_headers_gets_a_suggestion() -> None:
    header = header_of(row(1, REFERENCE, GTIN, *["orginPrice", "zzz"] * 1_000))
    assert header.unknown == tuple(enumerate(("price.originPrice", None) * 1_000, 2))


@pytest.mark.parametrize("cell", [Cell(Kind.ERROR, "#REF!"), Cell(Kind.BOOLEAN, "TRUE"), BLANK])
def test_a_cell_that_shows_an_error_is_no_header(cell: Cell) -> None:
    number, cells = row(1, REFERENCE, GTIN)
    header = header_of((number, [*cells, cell]))
    assert 2 not in header.texts
    assert header.unknown == ()


TWICE = (("gtin", "EAN"), (PRICE, "price"), ("sku", GTIN))


@pytest.mark.parametrize("texts", TWICE, ids=str)
def test_two_columns_that_mean_the_same(texts: tuple[str, ...]) -> None:
    with pytest.raises(HeaderDuplicate) as raised:
        header_of(row(1, REFERENCE, *texts))
    assert all(text in raised.value.message for text in texts if text != GTIN)


def test_a_name_known_only_by_itself_ends_a_merged_cell() -> None:
    """The sheet does not show where a merged cell of the upper row ends."""
    header = header_of(
        row(4, REFERENCE, PRICE, "Suivi"),
        row(5, None, None, "Principal", "Additionnel", "Stock", "feedtool status"),
    )
    assert header.own == {5}
    assert list(keys(header).values())[3:] == [
        "deliveryModes.TrackedHomeDelivery.additionalCost",
        "quantity",
    ]


@pytest.mark.parametrize("text", ["(1) " * 800_000, "optional - " * 300_000, "stock" + "!" * 9999])
def test_long_texts_are_no_names(text: str) -> None:
    assert names().known(text) is None
    assert names().nearest(text) is None


def test_the_most_demanding_feed_of_a_family_comes_first() -> None:
    assert [[feed.kind for feed in family] for family in families(load())] == [
        ["discussions", "discussions-close", "discussions-open", "discussions-read"],
        ["fulfillment-products"],
        ["inbound-shipments"],
        ["invoices"],
        ["legacy-offers", "legacy-stock-and-price"],
        ["offers-upsert", "offers-update", "offers-delete"],
        ["orders", "orders-accept", "orders-cancel", "orders-gesture", "orders-refuse"],
        ["outbound-shipments", "outbound-shipments-cancel"],
        ["products"],
        ["returns"],
        ["shipments"],
    ]
