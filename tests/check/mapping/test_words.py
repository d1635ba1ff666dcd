import tomllib
from pathlib import Path

import pytest

from feedtool.check.mapping import words
from feedtool.check.mapping.words import PHRASE, groups_in

GROUPS = {
    "": "",
    "net": "net",
    "net gross price": "gross money price",
    "einkaufspreis": "bought money price",  # long words within one
    "prix pro": "bought money noise price",
    "t t c": "gross",  # no word is long
    "toutes taxes comprises prix": "gross money price",
    "prix prox": "money price",  # the phrase counts alone
}


@pytest.mark.parametrize("text", GROUPS)
def test_groups_of_words(text: str) -> None:
    assert groups_in(text) == set(GROUPS[text].split())


def test_phrases_are_as_long_as_those_of_the_table() -> None:
    table = tomllib.loads(Path(words.__file__).with_name("words.toml").read_text("utf-8"))
    entries = [entry for group in table["groups"].values() for entry in group]
    assert max(len(entry.split()) for entry in entries) == PHRASE
