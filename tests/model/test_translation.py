"""Catalogues are whole in each language, hold nothing else, and are read as Babel reads them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po as read_by_babel

import feedtool
from feedtool.model.translation import read_po, translation

ROOT = Path(feedtool.__file__).parent
CATALOGUES = sorted(
    path for path in ROOT.rglob("locale/*/*.po") if path.stem == path.parents[2].name
)
NAMES = [str(path.relative_to(ROOT)) for path in CATALOGUES]


def literals(folder: Path) -> Iterator[str]:
    """All texts in the modules of a package."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def asked_for(folder: Path) -> Iterator[str]:
    """The texts that modules hand to `_` as they stand."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="_"), args=[ast.Constant(value=str(text))]):
                    yield text


def texts_of(path: Path) -> dict[str, str]:
    texts = {key: text for (_, key), text in read_po(path.read_text("utf-8")).items() if key}
    assert texts
    return texts


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_each_text_is_used_and_translated_with_its_values(path: Path) -> None:
    texts, used = texts_of(path), set(literals(path.parents[2]))
    assert [text for text in texts if text not in used] == []
    for text, translated in texts.items():
        assert translated
        assert set(re.findall(r"\{\w+", text)) == set(re.findall(r"\{\w+", translated))


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_each_text_that_is_asked_for_is_there(path: Path) -> None:
    assert [text for text in asked_for(path.parents[2]) if text not in texts_of(path)] == []


def test_a_text_without_a_translation_stays_english() -> None:
    assert translation("feedtool.templates", "fr")("Nobody has seen this.") == (
        "Nobody has seen this."
    )
    assert translation("feedtool.templates", "fr")("Yes") == "Oui"
    assert translation("feedtool.templates", "en")("Yes") == "Yes"


AREAS = sorted(path.parents[2] for path in ROOT.glob("areas/*/locale/en/columns.po"))


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*.po")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_as_babel_reads_it(path: Path) -> None:
    with path.open("rb") as file:
        entries = {
            (entry.context or "", str(entry.id)): str(entry.string)
            for entry in read_by_babel(file)
            if entry.id
        }
    texts = read_po(path.read_text("utf-8"))
    assert {key: text for key, text in texts.items() if key[1]} == entries


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_french_and_spanish_translate_the_same_texts(area: Path) -> None:
    french, spanish = (
        {
            key
            for context, key in read_po((area / f"locale/{language}/columns.po").read_text("utf-8"))
            if not context
        }
        for language in ("fr", "es")
    )
    # What is spelled alike in English needs no translation.
    assert french ^ spanish <= {"GTIN (EAN)", "Description", "Action", "DEA (amount)", "Stock"}


def test_a_text_with_escapes_over_several_lines() -> None:
    content = '# a note\nmsgctxt "c"\nmsgid "a \\"b\\""\nmsgstr ""\n"one\\n"\n"two \\\\"\n'
    assert read_po(content) == {("c", 'a "b"'): "one\ntwo \\"}
