"""`feedtool catalog`: what is brought, and how one finds something in it."""

import json

import pytest

from feedtool.catalog import Necessity, PropertyChoice
from feedtool.cli.options import SANDBOX
from tests.catalogues import AT, SERVICE, TREE, TREE_BRANDS, category, choices, prop
from tests.cli.conftest import Feedtool, bring
from tests.loopback import Answer, serving_answers

COLOURS = (PropertyChoice("1", "Red"), PropertyChoice("2", "Blue"))
SIZES = {"is_ranged": True, "is_variation": True, "is_size": True}
RANGED = {"is_ranged": True, "is_multiple": True, "necessity": Necessity.MANDATORY}
KETTLES = (
    prop("10", label="Colour", choices=COLOURS, **RANGED),
    prop("20", label="Volume", unit="l", is_numeric=True, necessity=Necessity.RECOMMENDED),
    prop("30", label="Manual", allowed_file_types=("pdf", "png")),
    prop("40", label="Size", choices=choices("S", "M"), **SIZES),
)
MANY = (prop("50", is_ranged=True, choices=choices(*(f"choice {n}" for n in range(2_345)))),)
KETTLE = {"categoryReference": "0A0101", "level": 3, "isActive": True, "label": "Kettles"}
KETTLE["path"] = "Home > Kitchen > Kettles"
OLD = {"categoryReference": "0A0103", "isActive": False, "label": "Old kettles"}
OLD["path"] = "Home > Kitchen > Old kettles"


def fill(service: str = SERVICE, language: str = "en", *, is_whole: bool = True) -> None:
    """Store a small catalogue, as after a synchronisation."""
    properties = {"0A0101": KETTLES, "0B0101": MANY}
    bring(TREE, TREE_BRANDS, properties, language=language, service=service, is_whole=is_whole)


# Search.


def test_found_entries_are_listed(feedtool: Feedtool) -> None:
    fill()
    ran = feedtool("catalog search kettle")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "CODE    LEVEL  CATEGORY",
        "0A0101  3      Home > Kitchen > Kettles",
        "0A0103  3      Home > Kitchen > Old kettles  (not active)",
        "",
        "CODE  BRAND",
        "3     Kettler",
    ]
    assert ran.err == f"catalogue: {SERVICE} in en, synced 2026-03-01 14:02 UTC\n"

    found = feedtool("catalog search kettle --format json").json
    assert found == [
        {"type": "category", **KETTLE},
        {"type": "brand", "brandReference": "3", "name": "Kettler"},
        {"type": "category", **KETTLE, **OLD},
    ]


@pytest.mark.parametrize("words", ["old kettles", "kettles old", "'old kettles'", "rusty old"])
def test_words_need_no_quotes(feedtool: Feedtool, words: str) -> None:
    fill()
    assert "Home > Kitchen > Old kettles" in feedtool(f"catalog search {words}").out


@pytest.mark.parametrize(
    ("text", "hint"), [("ketles", "did you mean Kettles"), ("xyzzy", "try a part of a word")]
)
@pytest.mark.parametrize(("form", "out"), [("text", ""), ("json", "[]\n")])
def test_a_search_without_matches_is_reported(
    feedtool: Feedtool, text: str, hint: str, form: str, out: str
) -> None:
    fill()
    ran = feedtool("catalog search", text, "--format", form)
    assert (ran.code, ran.out) == (9, out)
    error, told = ran.error()
    assert error == f"nothing in the catalogue matches “{text}”"
    assert told.startswith(hint)


WAYS = {
    ("en",): "in fr: `feedtool catalog sync --language fr`, then --language fr; in es: ",
    ("en", "fr"): "in fr: --language fr; in es: `feedtool catalog sync --language es`, then ",
    ("fr",): "en en\u00a0: `feedtool catalog sync --language en`, puis --language en\u00a0; en es",
    ("fr", "en"): "en en\u00a0: --language en\u00a0; en es\u00a0: ",
}


@pytest.mark.parametrize("languages", WAYS)
def test_a_word_that_is_not_found_may_be_of_another_language(
    feedtool: Feedtool, languages: tuple[str, ...]
) -> None:
    for language in languages:
        fill(language=language)
    ran = feedtool("catalog search bouilloire --language", languages[0])
    assert ran.code == 9
    here = {"en": "the catalogue here is in en; ", "fr": "le catalogue présent est en fr\u00a0; "}
    assert f"{here[languages[0]]}{WAYS[languages]}" in ran.error()[1]


# Show.


def test_a_category_with_its_properties(feedtool: Feedtool) -> None:
    fill()
    ran = feedtool("catalog show 0a0101")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "0A0101  Home > Kitchen > Kettles",
        "level 3, active, brand required, no variants",
        "4 properties, 1 required, as of 2026-03-01 14:02 UTC",
        "",
        "CODE  NECESSITY    LABEL   VALUE                    UNIT  CHOICES",
        "10    Required     Colour  choice, several                2: Red (1), Blue (2)",
        "20    Recommended  Volume  number                   l",
        "30    Optional     Manual  file (pdf, png)",
        "40    Optional     Size    choice, variation, size        2: S, M",
    ]
    shown = feedtool("catalog show 0A0101 --format json").json
    properties = shown.pop("properties")
    assert len(shown.pop("fingerprint")) == 32
    assert shown == {
        **KETTLE,
        "parentReference": "0A01",
        "isBrandMandatory": True,
        "isVariant": False,
        "service": SERVICE,
        "language": "en",
        **dict.fromkeys(("syncedAt", "checkedAt"), AT.isoformat()),
    }
    assert properties[0] == {
        "propertyReference": "10",
        "index": 1,
        "necessity": "Mandatory",
        "label": "Colour",
        "unit": None,
        "allowedFileTypes": [],
        "isRanged": True,
        "isMultiple": True,
        **dict.fromkeys(("isNumeric", "isVariation", "isSize"), False),
        "choices": ["1", "2"],
        "choiceLabels": {"1": "Red", "2": "Blue"},
    }


def test_a_category_above_level_3_lists_its_children(feedtool: Feedtool) -> None:
    fill()
    lines = feedtool("catalog show 0A01").out.splitlines()
    assert lines[2] == "products go into categories of level 3"
    assert [line.split()[0] for line in lines[5:]] == ["0A0101", "0A0102", "0A0103"]
    assert feedtool("catalog show 0A01 --format json").json["properties"] is None


def test_many_choices_are_counted_and_shown_when_asked_for(feedtool: Feedtool) -> None:
    fill()
    short = feedtool("catalog show 0B0101").out
    assert "2,345: choice 0, choice 1," in short
    assert max(map(len, short.splitlines())) < 120
    assert "choice 2344" in feedtool("catalog show 0B0101 -v").out


# Which catalogue.


def test_an_incomplete_catalogue_is_reported(feedtool: Feedtool) -> None:
    fill(is_whole=False)
    assert "never finished" in feedtool("catalog search kettle").err


def test_output_holds_no_control_characters(feedtool: Feedtool) -> None:
    evil = "Kettle\x1b[2J\u202egnp\r\n"
    bring([category("0A0101", evil)], [], {"0A0101": [prop(label=evil, unit=evil)]})
    for words in (["search", "kettle"], ["show", "0A0101"]):
        for form in ("text", "json"):
            ran = feedtool("catalog", *words, "--format", form)
            assert ran.code == 0
            assert not {"\x1b", "\u202e", "\r"}.intersection(ran.out + ran.err), (words, form)
    assert "<U+001B>" in feedtool("catalog show 0A0101").out


# Sync.


def test_the_sandbox_has_a_catalogue(feedtool: Feedtool) -> None:
    ran = feedtool("catalog sync --sandbox --language fr --category 1e01")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith(f"Catalogue de {SANDBOX} en fr, synchronisé le ")
    begins = [line.split()[0] for line in lines[1:]]
    assert begins == ["Catégories", "Marques", "Propriétés"]
    assert "nouvelles" in lines[1]
    again = feedtool("catalog sync --sandbox --language fr --category 1E01 --format json").json
    assert again["categories"]["new"] == again["categories"]["removed"] == 0
    assert again["categories"]["same"] > 300
    kinds = {"new": 0, "changed": 0, "same": again["properties"]["same"], "resumed": 0}
    assert again["properties"] == {**kinds, "missing": []}
    assert feedtool("catalog show 1E0101").code == 0


def test_a_catalogue_is_synchronised_without_a_seller(
    feedtool: Feedtool, account: tuple[str, ...]
) -> None:
    ran = feedtool("catalog sync", *account, "--category", "1E0101", "--page-size", "50")
    assert ran.code == 0, ran.err
    assert "Properties of 1 category, 1 new" in ran.out
    found = feedtool("catalog search 1E0101 --format json").json
    assert [one["categoryReference"] for one in found] == ["1E0101"]


def test_a_service_that_has_no_catalogue(feedtool: Feedtool, account: tuple[str, ...]) -> None:
    ran = feedtool("catalog sync --base-url", f"{account[1]}/x", "--token", "sandbox")
    assert ran.code == 2
    assert "does not list its " in ran.error()[0]  # of two lists, whichever answered first
    assert "base address" in ran.error()[1]


LISTS = {
    "/v2/categories": [{"categoryReference": "0A0101", "level": 3, "isActive": True}],
    "/v2/brands": [{"brandReference": "1", "name": "Nestlé"}, {"brandReference": "2"}],
}
"""A service that has a category, a nameless brand, and no properties."""


def listed(path: str) -> Answer:
    items = LISTS.get(path.partition("?")[0])
    body = json.dumps({"items": items, "itemsPerPage": 9}).encode()
    return 404 if items is None else 200, {}, body


def test_properties_that_are_not_to_be_had(feedtool: Feedtool) -> None:
    with serving_answers(listed) as server:
        account = ("--base-url", f"{server.url}/v2", "--token", "any-token")
        ran = feedtool("catalog sync", *account)
        told = feedtool("catalog sync", *account, "--format", "json")
    assert (ran.code, told.code) == (1, 1)
    assert ran.out.splitlines()[1:] == [
        "Categories: 1, 1 new",
        "Brands: 1, 1 new",
        "Properties of 0 categories, 1 missing",
    ]
    assert ran.err.splitlines() == [
        "warning: 1 of the brands on page 1 cannot be read.",
        "error: the properties of 0A0101 could not be read: no reason given (HTTP 404)",
        "help: `feedtool catalog sync` tries again; the rest can be used",
    ]
    (missing,) = told.json["properties"]["missing"]
    assert missing["categoryReference"] == "0A0101"
