"""Messages in the code: each is translated, and the texts of errors are messages, too.

These tests stand beside those of `test_house.py`, which look at the same code.
"""

import re
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import read_po
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
