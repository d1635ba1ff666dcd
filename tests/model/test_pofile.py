"""Catalogues are read as Babel reads them, and the columns' ones are whole in each language."""

from pathlib import Path

import pytest
from babel.messages.pofile import read_po as read_by_babel

import feedtool
from feedtool.model.pofile import read_po

ROOT = Path(feedtool.__file__).parent
CATALOGUES = sorted(ROOT.rglob("*.po"))
AREAS = sorted(path.parents[2] for path in ROOT.glob("areas/*/locale/en/columns.po"))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: str(path.relative_to(ROOT)))
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
