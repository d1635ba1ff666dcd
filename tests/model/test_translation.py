"""Texts of templates in every language: what is asked for is there, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import feedtool
from feedtool.model.pofile import read_po
from feedtool.model.translation import translation

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
