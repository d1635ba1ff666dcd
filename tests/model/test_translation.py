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


def literals(folder: Path) -> Iterator[tuple[str, bool]]:
    """All texts in the modules of a package, and whether one is handed to `_` as it stands."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="_"), args=[ast.Constant(value=str(text))]):
                    yield text, True
                case ast.Constant(value=str(text)):
                    yield text, False


def texts_of(path: Path) -> dict[str, str]:
    texts = {key: text for (_, key), text in read_po(path.read_text("utf-8")).items() if key}
    assert texts
    return texts


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_each_text_is_used_and_translated_with_its_values(path: Path) -> None:
    texts, used = texts_of(path), dict(sorted(literals(path.parents[2])))
    assert [text for text in texts if text not in used] == []
    assert [text for text, is_asked_for in used.items() if is_asked_for and text not in texts] == []
    for text, translated in texts.items():
        assert translated
        assert set(re.findall(r"\{\w+", text)) == set(re.findall(r"\{\w+", translated))


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
        read = [entry for entry in read_by_babel(file) if entry.id]
    entries = {(entry.context or "", str(entry.id)): str(entry.string) for entry in read}
    texts = read_po(path.read_text("utf-8"))
    assert {key: text for key, text in texts.items() if key[1]} == entries


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_french_and_spanish_translate_the_same_texts(area: Path) -> None:
    paths = (area / f"locale/{language}/columns.po" for language in ("fr", "es"))
    texts = (read_po(path.read_text("utf-8")) for path in paths)
    french, spanish = ({key for context, key in entries if not context} for entries in texts)
    # What is spelled alike in English needs no translation.
    assert french ^ spanish <= {"GTIN (EAN)", "Description", "Action", "DEA (amount)", "Stock"}


def test_a_text_with_escapes_over_several_lines() -> None:
    content = '# a note\nmsgctxt "c"\nmsgid "a \\"b\\""\nmsgstr ""\n"one\\n"\n"two \\\\"\n'
    assert read_po(content) == {("c", 'a "b"'): "one\ntwo \\"}
