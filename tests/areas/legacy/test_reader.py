"""Files of all programs are read, and each irregularity is reported with its line."""

import pytest

from feedtool.areas.legacy.parser import MOST, Irregularities, printable_name
from feedtool.areas.legacy.reader import OffersXml, is_legacy
from feedtool.areas.legacy.writer import (
    CONTENT_TYPES,
    NAMESPACE,
    OFFERS,
    RELATIONSHIPS,
    Shipping,
)
from feedtool.areas.offers.delivery import PackageType
from tests.areas.legacy.conftest import ATTRIBUTES as ALL
from tests.areas.legacy.conftest import (
    HONEST,
    OFFER,
    TRACKED,
    Put,
    members_with,
    package_of,
    with_,
    zipped,
)

ATTRIBUTES = {**ALL, "Comment": ""}
del ATTRIBUTES["StrikedPrice"]
SHIPPING_LIST = HONEST[
    HONEST.index("        <Offer.ShippingInformationList>") : HONEST.index("      </Offer>\n")
]
SHIPPING = SHIPPING_LIST[
    SHIPPING_LIST.index("<ShippingInformation ") : SHIPPING_LIST.index("/>") + 2
]
DISCOUNTS = (
    "<Offer.PriceAndDiscountList><DiscountComponentList>"
    '<DiscountComponent DiscountValue="5" Type="1" />'
    "</DiscountComponentList></Offer.PriceAndDiscountList>"
)
POOLS = (
    '<OfferPackage.OfferPublicationList><OfferPublicationList><PublicationPool Id="1"/>'
    "</OfferPublicationList></OfferPackage.OfferPublicationList>"
)


def test_an_honest_one_takes_no_liberty(put: Put) -> None:
    xml = OffersXml(put(HONEST))
    ((line, offer),) = xml.read()
    assert line == 5
    assert offer.attributes == ATTRIBUTES
    assert offer.shipping == (TRACKED,)
    assert xml.irregularities.texts() == []
    assert (xml.head.name, xml.head.purges, xml.head.line) == ("n", False, 2)


Changes = list[tuple[str, str]]


def before_shipping(text: str) -> Changes:
    return [("<Offer.Shipping", text + "<Offer.Shipping")]


SLOPPY: dict[str, Changes] = {
    "PurgeAndReplace is written True (line 2)": [('="false"', '="True"')],
    "PackageType is written full: read as Full (line 2)": [('"Full"', '"full"')],
    "the attribute PackageType of OfferPackage is missing (line 2)": [(' PackageType="Full"', "")],
    "elements are in the namespace clr-namespace:Cdiscount.Old (line 2)": [
        (NAMESPACE, "clr-namespace:Cdiscount.Old")
    ],
    "elements are in no namespace (line 2)": [(f' xmlns="{NAMESPACE}"', "")],
    "the attribute Comment of Offer is missing (line 5)": [(' Comment=""', "")],
    "the attribute PackagingUnit of Offer is not read (line 5)": [
        (' Comment=""', ' Comment="" PackagingUnit="Kg"')
    ],
    "the attribute ProductEan of Offer is written productEAN (line 5)": [
        (" ProductEan=", " productEAN=")
    ],
    "the attribute Stock of Offer is written stock (line 5)\n"
    "the attribute Stock of Offer is there twice: the first is read (line 5)": [
        (' Stock="7"', ' Stock="7" stock="9"')
    ],
    "the element ShippingInformation is written shippingInformation (line 9)": [
        ("ShippingInformation ", "shippingInformation ")
    ],
    "the element Offer.Video is not known, and is not read (line 7)": before_shipping(
        "<Offer.Video><Offer/></Offer.Video>"
    ),
    "the element Offer is not known, and is not read (line 7)": before_shipping(
        '<e:Offer xmlns:e="urn:e">t<ShippingInformation/></e:Offer>'
    ),
    # Nothing is noted of what is inside.
    "the element a is not known, and is not read (line 7)": before_shipping(
        '<a><OFFERCOLLECTION xmlns="clr-namespace:other">text</OFFERCOLLECTION></a>'
    ),
    "Offer stands in OfferPackage.Offers instead of OfferCollection (line 5)": [
        ('<OfferCollection Capacity="1">', ""),
        ("</OfferCollection>", ""),
    ],
    "ShippingInformation stands in Offer instead of ShippingInformationList (line 7)": [
        (SHIPPING_LIST, SHIPPING)
    ],
    "ShippingInformation stands in OfferCollection instead of ShippingInformationList (line 5)\n"
    "ShippingInformation stands outside of an Offer, and is not read (line 5)": [
        ("      <Offer Seller", f"{SHIPPING}<Offer Seller")
    ],
    "OfferPackage.OfferPublicationList stands too late in its OfferPackage (line 16)": [
        ("</OfferPackage>", f"{POOLS}</OfferPackage>")
    ],
    "discounts (DiscountComponent) are not read (line 7)": before_shipping(DISCOUNTS),
    "Offer.PriceAndDiscountList stands too late in its Offer (line 13)\n"
    "discounts (DiscountComponent) are not read (line 13)": [
        ("      </Offer>\n", DISCOUNTS + "</Offer>\n")
    ],
    "Offer holds a text, which is not read (line 7)": before_shipping("cheap"),
    "an Offer has a DeliveryMode twice: the first is read (line 10)": [
        (SHIPPING, SHIPPING + SHIPPING.replace("4.9", "9"))
    ],
}
"""The notice about each change of the honest file."""
HARMLESS: dict[str, Changes] = {
    "a prefix": [
        (f'xmlns="{NAMESPACE}"', f'xmlns:o="{NAMESPACE}"'),
        *(("</", "</o:"), ("<O", "<o:O"), ("<S", "<o:S")),
    ],
    "attributes of XAML": [
        (' Name="n"', ' xmlns:x="http://schemas.microsoft.com/winfx/2006/xaml" Name="n"'),
        ("<Offer Seller", '<Offer x:Uid="1" Seller'),
    ],
    "a comment and an instruction": [("<OfferP", "<!-- a --><?b c?><OfferP")],
    "a byte order mark": [("<?xml", "\ufeff<?xml")],
    "numbers of characters": [("SKU-1", "SKU&#45;&#x31;")],
}


@pytest.mark.parametrize(
    ("changes", "notices"),
    [
        *((changes, text.splitlines()) for text, changes in SLOPPY.items()),
        *((changes, []) for changes in HARMLESS.values()),
    ],
    ids=[*SLOPPY, *HARMLESS],
)
def test_irregular_files_are_read_with_notices(
    put: Put, changes: Changes, notices: list[str]
) -> None:
    xml = OffersXml(put(with_(*changes)))
    ((_, offer),) = xml.read()
    assert {"Comment": "", **offer.attributes} == ATTRIBUTES
    assert offer.shipping == (TRACKED,)
    assert xml.irregularities.texts() == notices


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252", "us-ascii"])
def test_the_declared_encoding_is_used(put: Put, encoding: str) -> None:
    text = with_(('"utf-8"', f'"{encoding}"'), ('Comment=""', 'Comment="&#233;"'))
    if encoding != "us-ascii":
        text = text.replace("&#233;", "é")
    ((_, offer),) = OffersXml(put(text.encode(encoding))).read()
    assert offer.attributes["Comment"] == "é"


def test_a_liberty_is_counted_each_time(put: Put) -> None:
    start, end = HONEST.index("      <Offer Seller"), HONEST.index("    </OfferCollection>")
    offer = HONEST[start:end].replace("<Offer ", "<OFFER ").replace("</Offer>", "</OFFER>")
    xml = OffersXml(put(HONEST[:start] + 7 * offer.replace(" Stock", " STOCK") + HONEST[end:]))
    assert [line for line, _ in xml.read()] == list(range(5, 68, 9))
    assert xml.irregularities.texts() == [
        "the element Offer is written OFFER (7 times, first in lines 5, 14, 23, 32, 41)",
        "the attribute Stock of Offer is written STOCK (7 times, first in lines 5, 14, 23, 32, 41)",
    ]


def test_missing_shipping_attributes(put: Put) -> None:
    xml = OffersXml(put(with_((' AdditionalShippingCharges="1.5"', ""))))
    assert [offer.shipping for _, offer in xml.read()] == [(Shipping("Tracked", "4.9", ""),)]
    assert xml.irregularities.texts() == [
        "the attribute AdditionalShippingCharges of ShippingInformation is missing (line 9)"
    ]


def test_stock_and_price_files_are_complete(put: Put) -> None:
    text = with_(('"Full"', '"StockAndPrice"'), (' Comment=""', ""), (' Vat="20"', ""))
    xml = OffersXml(put(text))
    assert len(list(xml.read())) == 1
    assert xml.head.package_type == PackageType.STOCK_AND_PRICE
    assert xml.irregularities.texts() == []


def test_a_file_can_be_read_again(put: Put) -> None:
    xml = OffersXml(put(with_(('="false"', '="TRUE"'))))
    assert list(xml.read()) == list(xml.read())
    assert xml.irregularities.texts() == ["PurgeAndReplace is written TRUE (line 2)"]
    assert xml.head.purges


XML = HONEST.encode()
SLOPPY_ZIPS = {
    "names in any case": (
        {"[content_types].XML": b"", "_RELS/.rels": b"", "CONTENT/offers.xml": XML},
        [
            f"the member {CONTENT_TYPES} of the zip is called [content_types].XML (line 1)",
            f"the member {RELATIONSHIPS} of the zip is called _RELS/.rels (line 1)",
            f"the member {OFFERS} of the zip is called CONTENT/offers.xml (line 1)",
        ],
    ),
    "backslashes": (
        {CONTENT_TYPES: b"", RELATIONSHIPS: b"", "Content\\Offers.xml": XML},
        [f"the member {OFFERS} of the zip is called Content\\Offers.xml (line 1)"],
    ),
    "the Offers.xml alone": (
        {"Offers.xml": XML},
        [
            f"the zip has no {CONTENT_TYPES} (line 1)",
            f"the zip has no {RELATIONSHIPS} (line 1)",
            f"the member {OFFERS} of the zip is called Offers.xml (line 1)",
        ],
    ),
    "in order": (members_with(XML), []),
    "further members": (members_with(XML) | {"readme.txt": b"", "Content/": b""}, []),
}


@pytest.mark.parametrize(("members", "expected"), SLOPPY_ZIPS.values(), ids=SLOPPY_ZIPS)
def test_a_zip_is_read_all_the_same(
    put: Put, members: dict[str, bytes], expected: list[str]
) -> None:
    xml = OffersXml(put(package_of(members)))
    assert [offer.attributes for _, offer in xml.read()] == [ATTRIBUTES]
    assert xml.irregularities.texts() == expected


def test_only_the_first_of_many_irregularities_are_listed() -> None:
    irregularities = Irregularities()
    for line in range(1000):
        irregularities.note(f"the attribute a{line}", line)
        irregularities.note("c", 7)
    first, second, *_, last = texts = irregularities.texts()
    assert len(texts) == MOST + 1
    assert (first, second) == ("the attribute a0 (line 0)", "c (1,000 times, first in line 7)")
    assert last.startswith("other things are not as the format demands (961 times, first in lines")


def test_names_are_shown_short_and_harmless() -> None:
    assert printable_name("a\x1b\u202eb") == "a\ufffd\ufffdb"
    assert len(printable_name("a" * 1000)) == 60


WITHOUT_DECLARATION = HONEST.partition("\n")[2]
LEGACY: dict[str, str | bytes] = {
    "an Offers.xml": HONEST,
    "one with a byte order mark": "\ufeff" + HONEST,
    "one in UTF-16": HONEST.replace("utf-8", "utf-16").encode("utf-16"),
    "one with a prefix": HONEST.replace("<OfferPackage", "<o:OfferPackage", 1),
    "one with a comment in front": with_(("<OfferPackage x", "<!-- <a> --> <OfferPackage x")),
    "one without a declaration": WITHOUT_DECLARATION,
    "one with a document type": "<!DOCTYPE a>" + WITHOUT_DECLARATION,
    "one with entities": '<!DOCTYPE a [<!ENTITY b "c">]>' + WITHOUT_DECLARATION,
    "its zip": zipped([OFFER]),
    "its zip with other names": package_of({"OFFERS.XML": XML}),
}
OTHERS: dict[str, str | bytes] = {
    "a CSV": "sku,price\n1,2\n",
    "a text of it": "OfferPackage,price\n",
    "another XML": "<?xml version='1.0'?><Catalogue><OfferPackage/></Catalogue>",
    "a longer name": "<OfferPackages/>",
    "a web page": "<html><OfferPackage/></html>",
    "nothing": "",
    "instructions without end": "<?a?>" * 1000,
    "blanks without end": " " * 5000,
    "document types without end": "<!DOCTYPE a [" * 500,
    "another zip": package_of({"a.xml": b"<OfferPackage/>"}),
    "a zip cut off": zipped([OFFER])[:-30],
    "a workbook with one in it": package_of({"xl/workbook.xml": b"", **members_with(XML)}),
}


@pytest.mark.parametrize("name", [*LEGACY, *OTHERS])
def test_a_legacy_file_is_known_by_its_content(put: Put, name: str) -> None:
    assert is_legacy(put((LEGACY | OTHERS)[name])) is (name in LEGACY)
