import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from feedtool.catalog import Brand, Necessity, PropertyChoice, wire
from feedtool.catalog.model import Validators
from feedtool.catalog.wire import (
    CatalogPage,
    PropertiesReply,
    brands_page,
    categories_page,
    properties_of,
)
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import UsageProblem
from feedtool.service.answers import Unreadable
from tests.catalogues import category, prop

URL = "https://service.example/v2/categories?pageIndex=1"
EN = (("Accept-Language", "en-US"),)


def reply(document: object, headers: Mapping[str, str] | None = None, status: int = 200) -> Reply:
    return Reply(status, headers or {}, json.dumps(document).encode(), URL)


def test_pages() -> None:
    query = (("pageIndex", "1"), ("pageSize", "100"), ("fields", "name"))
    assert wire.read_brands() == Call("GET", "/brands", READ, query=query)
    fields = "label,level,isActive,parentReference,parentReferences,isBrandMandatory,isVariant"
    query = (("pageIndex", "3"), ("pageSize", "25"), ("fields", fields))
    for language, tag in {"en": "en-US", "fr": "fr-FR", "es": "es-ES", "fr-FR": "fr-FR"}.items():
        headers = (("Accept-Language", tag),)
        call = Call("GET", "/categories", READ, query=query, headers=headers)
        assert wire.read_categories(language, CatalogPage(3), 25) == call
    with pytest.raises(UsageProblem):
        wire.read_categories("de")


def test_a_link_is_followed_unchanged() -> None:
    link = "https://service.example/v2/anything?cursor=%2B1"
    assert wire.read_categories("en", CatalogPage(2, link)) == Call("GET", link, READ, headers=EN)
    assert wire.read_brands(CatalogPage(2, link)) == Call("GET", link, READ)


def test_properties_are_asked_for_when_they_have_changed() -> None:
    plain = wire.read_properties("0A0101", "en")
    assert plain == Call("GET", "/categories/0A0101/properties", READ, headers=EN)
    marked = wire.read_properties("0A/?", "en", Validators('"e"', "Sun, 01 Mar"))
    assert marked.target == "/categories/0A%2F%3F/properties"
    assert marked.headers == (*EN, ("If-None-Match", '"e"'), ("If-Modified-Since", "Sun, 01 Mar"))
    assert 304 in marked.success
    assert 304 not in plain.success


LINK = {"link": '<https://service.example/v2/categories?pageIndex=2>; rel="next"'}
LAST = {"link": '<https://service.example/v2/categories?pageIndex=1>; rel="prev"'}
FIRST, LINKED = CatalogPage(), CatalogPage(2, "https://service.example/v2/x")
TWO = [{"categoryReference": "0A", "level": 1}, {"categoryReference": "0B", "level": 1}]

NEXT: dict[str, tuple[Any, Mapping[str, str], CatalogPage, CatalogPage | None]] = {
    "a link": ({"items": TWO}, LINK, FIRST, CatalogPage(2, f"{URL[:-1]}2")),
    "a link from a link": ({"items": TWO}, LINK, LINKED, CatalogPage(3, f"{URL[:-1]}2")),
    "links, and none to a next page": ({"items": TWO}, LAST, FIRST, None),
    "no link where one led here": ({"items": TWO}, {}, LINKED, None),
    "a full page": ({"items": TWO, "itemsPerPage": 2}, {}, FIRST, CatalogPage(2)),
    "a page that is not full": ({"items": TWO, "itemsPerPage": 25}, {}, FIRST, None),
    "nobody knows how full": ({"items": TWO}, {}, CatalogPage(7), CatalogPage(8)),
    "nonsense about how full": ({"items": TWO, "itemsPerPage": "x"}, {}, FIRST, CatalogPage(2)),
    "an empty page": ({"items": []}, {}, FIRST, None),
    "a bare list": (TWO, {}, FIRST, CatalogPage(2)),
}


@pytest.mark.parametrize(("document", "headers", "page", "found"), NEXT.values(), ids=NEXT)
def test_the_next_page(
    document: object, headers: Mapping[str, str], page: CatalogPage, found: CatalogPage | None
) -> None:
    assert categories_page(reply(document, headers), page).next == found


def test_a_link_to_another_host_is_not_followed() -> None:
    away = {"link": '<https://evil.example/brands>; rel="next"'}
    with pytest.raises(Unreadable, match=r"leads to another host: evil\.example"):
        brands_page(reply({"items": []}, away), FIRST)


def test_brands() -> None:
    good = [("12", "Nestlé"), (13, "3M"), ("14", "a\x1b[31m\nb")]
    strange = [("12", None), ("12", " "), (None, "x"), ("1 2", "x"), (1.5, "x"), ("1" * 51, "x")]
    items = [{"brandReference": code, "name": name} for code, name in (*good, *strange)]
    found = brands_page(reply({"items": [*items, "Nestlé"]}), FIRST)
    assert found.entries == [Brand("12", "Nestlé"), Brand("13", "3M"), Brand("14", "a [31m b")]
    assert found.strange == len(strange) + 1


KETTLES = category("0A0101", "Kettles", is_brand_mandatory=True)
TOLD = {
    "categoryReference": "0A0101",
    "label": "Kettles",
    "level": 3,
    "isActive": True,
    "parentReference": "0A01",
    "parentReferences": ["0A", "0A01"],
    "isBrandMandatory": True,
    "isVariant": False,
    "isTranslated": True,
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"label": None}, {"label": "", "path": ("0A0101",)}),
        ({"isActive": "true"}, {"is_active": False}),
        ({"isBrandMandatory": None}, {"is_brand_mandatory": False}),
        ({"isVariant": True}, {"is_variant": True}),
        ({"parentReference": None}, {}),
        ({"parentReference": None, "parentReferences": ["0A01", "0A"]}, {}),
        ({"parentReference": None, "parentReferences": ["0A0101", "0A", 7.5]}, {"parent": "0A"}),
        ({"parentReference": None, "parentReferences": "0A"}, {"parent": None}),
        ({"parentReference": "0A0101"}, {"parent": None}),
        ({"level": None}, {}),
        ({"level": 4}, None),
        ({"level": True}, None),
        ({"level": "3"}, None),
        ({"level": None, "categoryReference": "0A01011"}, None),
        ({"categoryReference": None}, None),
        ({"categoryReference": ".."}, None),
        ({"categoryReference": None, "reference": "0A0101"}, {}),
    ],
    ids=str,
)
def test_a_category(changes: dict[str, Any], expected: dict[str, Any] | None) -> None:
    items = [TOLD | changes, TOLD | {"categoryReference": "0A01", "level": 2}]
    found = categories_page(reply({"items": items}, {"content-language": "en-US"}), LINKED)
    first, *others = found.entries if expected is not None else (None, *found.entries)
    assert first == (None if expected is None else KETTLES._replace(**expected))
    assert ([item.reference for item in others], found.strange) == (["0A01"], expected is None)
    assert (found.next, found.language) == (None, "en-US")


def coded(*choices: tuple[str, str]) -> tuple[PropertyChoice, ...]:
    return tuple(PropertyChoice(*choice) for choice in choices)


PROPERTY = prop(index=10, necessity=Necessity.MANDATORY, is_multiple=True)
SAID = {
    "propertyReference": "3263",
    "index": 10,
    "necessity": "Mandatory",
    "label": "Colour",
    "unit": None,
    "isRanged": False,
    "isNumeric": False,
    "isMultiple": True,
    "isVariation": False,
    "isSize": False,
    "choices": [],
    "allowedFileTypes": [],
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"propertyReference": 3263}, {}),
        ({"index": "10"}, {"index": 0}),
        ({"necessity": "recommended"}, {"necessity": Necessity.RECOMMENDED}),
        ({"necessity": "Whatever"}, {"necessity": Necessity.OPTIONAL}),
        ({"necessity": None}, {"necessity": Necessity.OPTIONAL}),
        ({"unit": "cm"}, {"unit": "cm"}),
        ({"unit": ""}, {}),
        ({"isSize": True, "isVariation": True}, {"is_size": True, "is_variation": True}),
        ({"isNumeric": 1}, {}),
        ({"choices": None}, {}),
        ({"choices": [38, 38.5, "", None]}, {"choices": coded(("38", "38"), ("38.5", "38.5"))}),
        ({"choices": ["S", "M", "S"]}, {"choices": coded(("S", "S"), ("M", "M"))}),
        *(
            ({"choices": [given, {"x": "Red"}]}, {"choices": coded((code, "Red"))})
            for code, given in (
                ("1", {"code": "1", "label": "Red"}),
                ("1", {"reference": "1", "name": "Red"}),
                ("Red", {"value": "Red"}),
                ("Red", {"label": "Red"}),
            )
        ),
        ({"allowedFileTypes": ["pdf", "image/png"]}, {"allowed_file_types": ("pdf", "image/png")}),
        ({"allowedFileTypes": [{"mimeType": "a/b"}, {}]}, {"allowed_file_types": ("a/b",)}),
        ({"allowedFileTypes": "pdf"}, {}),
        ({"propertyReference": None}, None),
        ({"propertyReference": ""}, None),
    ],
    ids=str,
)
def test_a_property(changes: dict[str, Any], expected: dict[str, Any] | None) -> None:
    found = properties_of(reply({"items": [SAID | changes]}))
    if expected is None:
        assert found == PropertiesReply((), Validators(), 1)
    else:
        assert found.properties == (replace(PROPERTY, **expected),)


def test_properties_come_by_their_index() -> None:
    places = {"c": 20, "b": 10, "a": 20}
    items = [{"propertyReference": key, "index": at} for key, at in places.items()]
    found = properties_of(reply({"items": items})).properties or ()
    assert [one.reference for one in found] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("headers", "marks"),
    [
        ({}, Validators()),
        ({"etag": 'W/"1"', "last-modified": "x"}, Validators('W/"1"', "x")),
        ({"etag": "é", "last-modified": "y" * 1001}, Validators()),
    ],
)
def test_validators_of_an_answer(headers: dict[str, str], marks: Validators) -> None:
    assert properties_of(reply({"items": []}, headers)).marks == marks
    assert properties_of(Reply(304, headers, b"", URL)) == PropertiesReply(None, marks)


MANY = [{"propertyReference": str(number)} for number in range(wire.MOST_PROPERTIES + 1)]
BROKEN = {
    "no JSON": b"<html>",
    "no list": b'{"items": 1}',
    "nothing": b"",
    "deep": b"[" * 100_000,
    "too many properties": json.dumps(MANY).encode(),
    "too many choices": json.dumps(
        [SAID | {"choices": [str(index) for index in range(wire.MOST_CHOICES + 1)]}]
    ).encode(),
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_broken_answers(body: bytes) -> None:
    with pytest.raises(Unreadable):
        properties_of(Reply(200, {}, body, URL))
    with pytest.raises(Unreadable, match="in pages"):
        properties_of(reply({"items": [SAID]}, LINK))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*SAID, *TOLD, "name"]), inner),
    max_leaves=20,
)


@settings(max_examples=25)
@given(ANYTHING)
def test_any_document_is_read_or_unreadable(document: object) -> None:
    assert_read_or_unreadable(document)


@pytest.mark.long
@settings(max_examples=500)
@given(ANYTHING)
def test_any_of_many_documents_is_read_or_unreadable(document: object) -> None:
    assert_read_or_unreadable(document)


def assert_read_or_unreadable(document: object) -> None:
    answer = reply({"items": document})
    for read in (partial(brands_page, page=FIRST), partial(categories_page, page=FIRST)):
        with suppress(Unreadable):
            read(answer)
    with suppress(Unreadable):
        properties_of(answer)
