"""The rules of products, each with rows that pass it and rows that fail it."""

import pytest

from tests.catalogues import PROPERTIES, catalog_of, judging, product, shirt
from tests.conftest import Files, Find, checked, gtin, offer, problems_of
from tests.rule_tables import Fails, Passes, Rows, cases, listed, places

Row = dict[str, str]
GROUP = "variantGroupReference"
TROUSERS = {"categoryCode": "010103"}
DIFFERING = [shirt(1), shirt(2, p4002="Black")]

PASSES: Passes = {
    "variant-double": {
        "another colour": DIFFERING,
        "another size": [shirt(1), shirt(2, p4001="L")],
        "another group": [shirt(1), shirt(2, variantGroupReference="SHIRT-8")],
        "no group": [shirt(number, variantGroupReference="") for number in (1, 2)],
        "a size that is refused": [shirt(number, p4001="XXL") for number in (1, 2)],
    },
    "variant-incomplete": {
        "whole": shirt(),
        "a product that stands alone": shirt(variantGroupReference="", p4001="", p4002=""),
        "a refused value is no missing one": shirt(p4001="XXL"),
        "of a category without variants": product(variantGroupReference="G"),
    },
    "variant-not-allowed": {
        "no group": product(),
        "a group where there are variants": shirt(),
        "of an unknown category nothing is known": product(
            categoryCode="ZZZZZZ", variantGroupReference="G"
        ),
    },
    "variant-group-category": {
        "one category": DIFFERING,
        "two groups": [shirt(1), shirt(2, **TROUSERS, variantGroupReference="TROUSERS-7")],
        "no groups": [product(1), product(2)],
        "a category that nobody knows": [shirt(1), shirt(2, categoryCode="ZZZZZZ")],
    },
    "duplicate-product": {
        "all differ": [product(1), product(2)],
        "case matters in references": [
            product(1, sellerProductReference="A"),
            product(2, sellerProductReference="a"),
        ],
        "no references at all": [product(number, sellerProductReference="") for number in (1, 2)],
        "a refused GTIN": [product(number, gtin="1234") for number in (1, 2)],
        "offers may repeat a GTIN": [offer(1), offer(2, product__gtin=gtin(1))],
        "a sheet that is read twice": [product(1, p3003="1,234"), product(2, p3003="9,5")],
    },
}
FAILS: Fails = {
    "variant-double": {
        "alike": ([shirt(1), shirt(2)], f"2 {GROUP}, 3 {GROUP}"),
        "a label and a code": (
            [shirt(1, p4001="m"), shirt(2, p4001="101")],
            f"2 {GROUP}, 3 {GROUP}",
        ),
        "two of three": ([shirt(1), shirt(2, p4001="L"), shirt(3)], f"2 {GROUP}, 4 {GROUP}"),
    },
    "variant-incomplete": {
        "no size": (shirt(p4001=""), "2 4001"),
        "no colour, whose column is absent": (shirt(p4002=None), "2 4002"),
        "no group": (shirt(variantGroupReference=""), f"2 {GROUP}"),
        "the group alone": (shirt(p4001="", p4002=""), "2 4001, 2 4002"),
        "the size alone": (shirt(p4002="", variantGroupReference=None), f"2 {GROUP}, 2 4002"),
    },
    "variant-not-allowed": {"a kettle": (product(variantGroupReference="G"), f"2 {GROUP}")},
    "variant-group-category": {
        "two categories": ([shirt(1), shirt(2, **TROUSERS)], f"2 {GROUP}, 3 {GROUP}"),
        "one of three": ([*DIFFERING, shirt(3, **TROUSERS)], f"2 {GROUP}, 3 {GROUP}, 4 {GROUP}"),
    },
    "duplicate-product": {
        "the same GTIN": ([product(1), product(2, gtin=gtin(1))], "2 gtin, 3 gtin"),
        "the same GTIN with zeros in front": (
            [product(1, gtin="036000291452"), product(2, gtin="0036000291452")],
            "2 gtin, 3 gtin",
        ),
        "the same reference": (
            [product(1), product(2, sellerProductReference=" SKU-1")],
            "2 sellerProductReference, 3 sellerProductReference",
        ),
        "both": (
            [product(1), product(1)],
            "2 gtin, 2 sellerProductReference, 3 gtin, 3 sellerProductReference",
        ),
        "an invalid row counts too": (
            [product(1), product(1, title="", sellerProductReference="B")],
            "2 gtin, 3 gtin",
        ),
        "in other categories": ([product(1), shirt(2, gtin=gtin(1))], "2 gtin, 3 gtin"),
    },
    "language-differs": {
        "once for a sheet": (
            [product(1), product(2, language="es"), product(3, language="fr")],
            "- language",
        )
    },
}


@pytest.mark.parametrize(("code", "rows"), cases(PASSES))
def test_passes(find: Find, code: str, rows: Rows) -> None:
    assert find(code, *listed(rows), dialect=judging()) == []


@pytest.mark.parametrize(("code", "rows", "expected"), cases(FAILS))
def test_fails(find: Find, code: str, rows: Rows, expected: str) -> None:
    problems = find(code, *listed(rows), dialect=judging())
    assert places(problems) == expected
    severity = "warning" if code == "language-differs" else "error"
    assert {problem.severity for problem in problems} == {severity}


def test_the_language_of_the_catalogue(find: Find) -> None:
    for language, written in (("en", "en-US"), ("en", "English"), ("en", ""), ("fr", "fr")):
        context = judging(catalog_of(PROPERTIES, language=language))
        assert find("language-differs", product(language=written), dialect=context) == []


SAID = {
    "language-differs": (product(2, language="es"), "rows in es-ES"),
    "variant-incomplete": (shirt(p4001=""), "Size (4001) is missing"),
    "variant-not-allowed": (product(variantGroupReference="G"), "Kettles (010101)"),
}


@pytest.mark.parametrize(("code", "row", "words"), [(code, *said) for code, said in SAID.items()])
def test_texts_of_problems(find: Find, code: str, row: dict[str, str], words: str) -> None:
    (problem,) = find(code, row, dialect=judging())
    assert words in problem.message
    assert code != "language-differs" or "--language es" in problem.hint


@pytest.mark.parametrize(
    ("code", "row", "other", "here", "there"),
    [
        ("variant-double", shirt(1), shirt(2), "", ""),
        ("duplicate-product", product(1), product(2, gtin=gtin(1)), "", ""),
        (
            *("variant-group-category", shirt(1), shirt(2, **TROUSERS)),
            *("of 010103 in ", "of 010102 in "),
        ),
    ],
)
def test_over_several_files(
    *, files: Files, code: str, row: Row, other: Row, here: str, there: str
) -> None:
    one, two = files.csv(row, name="one.csv"), files.csv(other, name="two.csv")
    first, second = checked(one, two, dialect=judging())
    assert f"{here}row 2 of two.csv" in problems_of(first, code)[0].message
    assert f"{there}row 2 of one.csv" in problems_of(second, code)[0].message
    assert not first.is_clean()
