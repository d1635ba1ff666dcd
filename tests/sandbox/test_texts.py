from pathlib import Path

import pytest

import feedtool.areas
from feedtool.sandbox.access import LANGUAGES
from feedtool.sandbox.texts import texts

AREAS = Path(feedtool.areas.__path__[0])


@pytest.mark.parametrize("area", sorted(file.parts[-4] for file in AREAS.glob("*/*/*/en.po")))
def test_every_message_is_in_every_language(area: str) -> None:
    english, *others = (texts(f"feedtool.areas.{area}.sandbox.messages", tag) for tag in LANGUAGES)
    assert len(english) > 20
    for other in others:
        assert other.keys() == english.keys()
    for code, text in english.items():
        said = [text, *(other[code] for other in others)]
        assert all(said)
        assert len(set(said)) == len(LANGUAGES)
        assert len({one.count("{}") for one in said}) == 1


def test_a_text_is_read_as_it_is_written() -> None:
    package = "feedtool.areas.offers.sandbox.messages"
    assert texts(package, "fr-FR")["1028"] == (
        "Il manque une valeur : une mise à jour exige un champ, un mode de livraison ses frais."
    )
