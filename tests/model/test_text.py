"""Texts in English and in other languages, and catalogues that are whole and well read."""

import pickle
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po as read_by_babel

from feedtool.areas.registry import load
from feedtool.model.errors import FeedtoolError
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
from tests.messages import CATALOGUES, PACKAGES, ROOT, messages_of
from tests.source import code_of


def placeholders(message: str) -> set[str]:
    return set(re.findall(r"(?<!\{)\{\w+(?:![rs])?(?::[^}]*)?\}", message))


@pytest.mark.parametrize("package", PACKAGES, ids=attrgetter("name"))
def test_each_message_is_translated_with_its_values_and_no_other_is_there(package: Path) -> None:
    used = messages_of(package)
    for language in ("fr", "es"):
        path = package / "locale" / language / f"{package.name}.po"
        assert path.exists() or not any(used.values()), language
        if path.exists():
            refuse_others(path, used)


def refuse_others(path: Path, used: Mapping[str, tuple[str, ...]]) -> None:
    """Fail unless a catalogue has all of these messages, with their values, and no others."""
    texts = {key: forms for (_, key), forms in read_po(path.read_text("utf-8")).items() if key}
    assert [text for text in texts if text not in used] == []
    assert [text for text, form in used.items() if form and text not in texts] == []
    for text, forms in texts.items():
        plural_form = used[text][-1] if used[text] else text
        assert len(forms) == max(1, len(used[text])), text
        assert all(forms), text
        for form in forms:
            assert placeholders(form) in (placeholders(text), placeholders(plural_form)), text


def test_each_catalogue_is_that_of_a_package() -> None:
    assert {path.parents[2] for path in CATALOGUES} <= set(PACKAGES)
    assert {path.parent.name for path in CATALOGUES} == {"fr", "es"}


@pytest.mark.parametrize("language", ["fr", "es"])
def test_a_message_of_several_packages_has_one_translation(language: str) -> None:
    every: dict[str, tuple[str, ...]] = {}
    for path in CATALOGUES:
        if path.parent.name == language:
            for (_, key), forms in read_po(path.read_text("utf-8")).items():
                assert every.setdefault(key, forms) == forms or not key, key


def test_texts_of_errors_are_messages() -> None:
    """Classes of errors are known by their names, which are different over the repository."""
    load()
    errors = {FeedtoolError.__name__, *map(attrgetter("__name__"), descendants(FeedtoolError))}
    plain = [
        f"{path.name}: {text}"
        for path in ROOT.rglob("*.py")
        for call in code_of(path).calls
        if call.name in errors
        for text in call.texts
    ]
    assert plain == []


def descendants(kind: type) -> Iterator[type]:
    child: type
    for child in kind.__subclasses__():
        yield child
        yield from descendants(child)


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


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*.po")), ids=lambda path: str(path.relative_to(ROOT))
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
