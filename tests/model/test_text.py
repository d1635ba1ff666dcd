"""Texts in English and in other languages, and catalogues that are well read."""

import pickle
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po as read_by_babel

from feedtool.model.text import (
    LANGUAGES,
    FieldName,
    Label,
    MessageText,
    Translator,
    catalogue,
    joined,
    kept_text,
    plural,
    read_po,
    single_message,
    text_of_kept,
    tr,
)
from tests.messages import ROOT

FRENCH = {"GTIN": "Code-barres"}
ITEM = tr("{field} is missing", field=FieldName("GTIN"))


@pytest.mark.parametrize(
    ("text", "english", "french"),
    [
        (tr("Yes"), "Yes", "Oui"),
        (tr("Nobody has seen this."), "Nobody has seen this.", "Nobody has seen this."),
        (tr("{{{value}}}", value=5), "{5}", "{5}"),
        (tr("{value:,}", value=12345), "12,345", "12\u202f345"),
        (tr("{value:,.2f}", value=Decimal("1234.50")), "1,234.50", "1\u202f234,50"),
        (tr("{value:,.1f}", value=1234.5), "1,234.5", "1\u202f234,5"),
        (tr("{old} → {new}", old=9.9, new=Decimal("9.90")), "9.9 → 9.90", "9,9 → 9,90"),
        (tr("{value}", value="9.90"), "9.90", "9.90"),
        (joined([tr("Yes"), tr("No")], "; "), "Yes; No", "Oui\u00a0; Non"),
        (joined([], ", "), "", ""),
        (tr("{a}: {b}", a=tr("Yes"), b=FieldName("GTIN")), "Yes: GTIN", "Oui\u00a0: Code-barres"),
        (tr("{a}", a=Label("New", ("New", "Neuf", "Nuevo"))), "New", "Neuf"),
        (plural("{count:,} x", "{count:,} xs", 1), "1 x", "1 x"),
        (plural("{count:,} x", "{count:,} xs", 0), "0 xs", "0 x"),
        (plural("{count:,} x", "{count:,} xs", 2000), "2,000 xs", "2\u202f000 xs"),
        (
            "as it {x}",
            "as it {x}",
            "as it {x}",
        ),
    ],
)
def test_a_text_in_two_languages(text: str, english: str, french: str) -> None:
    assert text == english
    assert Translator("en")(text) == english
    assert Translator("fr").for_sheet(FRENCH, "fr")(text) == french
    copies = [pickle.loads(pickle.dumps(text)), text_of_kept(kept_text(text))]  # noqa: S301
    for copy in copies:
        assert copy == text
        assert type(copy) is type(text)
        assert Translator("fr").for_sheet(FRENCH, "fr")(copy) == french


def test_values_that_are_no_texts_are_kept_as_shown() -> None:
    text: Any = text_of_kept(kept_text(tr("{path}", path=Path("a"))))
    assert isinstance(text, MessageText)
    assert text.values == {"path": "a"}


AREAS = sorted(path.parents[2] for path in ROOT.glob("areas/*/locale/en/columns.po"))


SPANISH = sorted(ROOT.rglob("es/*.po"))
"""Catalogues of the same texts as the French ones."""


@pytest.mark.parametrize(
    "path",
    [
        *sorted({*ROOT.rglob("*.po")} - {*SPANISH}),
        *(pytest.param(path, marks=pytest.mark.long) for path in SPANISH),
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_catalogues_are_read_as_babel_reads_them(path: Path) -> None:
    with path.open("rb") as file:
        read = [entry for entry in read_by_babel(file) if entry.id]
    entries = {(entry.context or "", _first(entry.id)): _forms(entry.string) for entry in read}
    texts = read_po(path.read_text("utf-8"))
    assert {key: forms for key, forms in texts.items() if key[1]} == entries


def _first(forms: Any) -> str:
    return str(forms[0] if isinstance(forms, (tuple, list)) else forms)


def _forms(forms: Any) -> tuple[str, ...]:
    return tuple(forms) if isinstance(forms, (tuple, list)) else (str(forms),)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_french_and_spanish_translate_the_same_texts(area: Path) -> None:
    paths = (area / f"locale/{language}/columns.po" for language in ("fr", "es"))
    texts = (read_po(path.read_text("utf-8")) for path in paths)
    french, spanish = ({key for context, key in entries if not context} for entries in texts)
    # What is spelled alike in English needs no translation.
    assert french ^ spanish <= {"GTIN (EAN)", "Description", "Action", "DEA (amount)", "Stock"}


def test_a_text_with_escapes_over_several_lines() -> None:
    content = '# a note\nmsgctxt "c"\nmsgid "a \\"b\\""\nmsgstr ""\n"one\\n"\n"two \\\\"\n'
    assert read_po(content) == {("c", 'a "b"'): ("one\ntwo \\",)}


def test_the_catalogue_of_a_language_has_the_texts_of_engines_and_areas() -> None:
    texts: Mapping[str, tuple[str, ...]] = catalogue("fr")
    assert texts["Yes"] == ("Oui",)
    assert texts["As the service shows it; it is not sent."]
    assert catalogue("en") == {}


def test_a_single_message_is_that_of_the_catalogue() -> None:
    for language in LANGUAGES:
        for english in ("Example: {example}", "Quantity"):
            assert single_message(language, english) == Translator(language).message(english)
