from pathlib import Path

import pytest

import feedtool.areas
from feedtool.sandbox.arguments import LANGUAGES, texts
from tests.sandbox.desk import Desk

EMPTY = "ER400-9250"


@pytest.mark.parametrize(
    ("headers", "status", "errors"),
    [
        ({}, 200, None),
        ({"Authorization": "bearer sandbox"}, 200, None),
        ({"Authorization": None}, 401, []),
        ({"Authorization": ""}, 401, []),
        ({"Authorization": "Bearer"}, 401, []),
        ({"Authorization": "Bearer else"}, 401, []),
        ({"Authorization": "Basic sandbox"}, 401, []),
        ({"Authorization": "Bearer forbidden"}, 403, []),
        ({"SellerId": None}, 400, [(EMPTY, "SellerId")]),
        ({"SellerId": "  "}, 400, [(EMPTY, "SellerId")]),
        ({"SellerId": "any other"}, 200, None),
        ({"Authorization": "Bearer else", "SellerId": None}, 401, []),
    ],
)
def test_every_request_says_who_asks(
    desk: Desk,
    headers: dict[str, str | None],
    status: int,
    errors: list[tuple[str, str]] | None,
) -> None:
    answer = desk.ask("GET", "/offer-packages", headers=headers)
    assert answer.status == status
    assert errors is None or answer.reasons == errors


@pytest.mark.parametrize(
    ("channel", "status", "errors"),
    [
        ("PRIMARY", 201, None),
        ("SECOND", 201, None),
        (None, 400, [(EMPTY, "SalesChannelId")]),
        ("", 400, [(EMPTY, "SalesChannelId")]),
        ("THIRD", 400, [("ER400", "SalesChannelId")]),
        ("primary", 400, [("ER400", "SalesChannelId")]),
    ],
)
def test_a_package_is_created_for_a_channel(
    desk: Desk, channel: str | None, status: int, errors: list[tuple[str, str]] | None
) -> None:
    headers = {"SalesChannelId": channel}
    answer = desk.ask("POST", "/offer-packages", {"packageType": "Upsert"}, headers=headers)
    assert answer.status == status
    assert errors is None or answer.reasons == errors


def test_a_seller_sees_its_own_things_only(desk: Desk) -> None:
    package_id = desk.committed("Upsert", [desk.offer()])
    desk.wait(100)
    desk.headers["SellerId"] = "S2"
    assert desk.read(package_id).status == 404
    assert desk.upload(package_id, desk.offer()).status == 404
    assert desk.complete(package_id).status == 404
    assert desk.results(package_id).status == 404
    assert list(desk.pages("/offer-packages")) == []
    assert desk.offers() == []
    assert desk.outcome("Upsert", desk.offer()) == ("Integrated", ["8000"])


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "en-US"),
        ("fr-FR", "fr-FR"),
        ("es-ES", "es-ES"),
        ("FR", "fr-FR"),
        ("fr-CA", "fr-FR"),
        ("de-DE", "en-US"),
        ("de-DE, es;q=0.8, fr;q=0.9", "fr-FR"),
        ("es, fr", "es-ES"),
        ("*", "en-US"),
        ("fr;q=most, es;q=0.1", "es-ES"),
    ],
)
def test_the_language_is_the_asked_one_or_english(
    desk: Desk, accepted: str | None, language: str
) -> None:
    answer = desk.ask("GET", "/offer-packages", headers={"Accept-Language": accepted})
    assert answer.headers["Content-Language"] == language


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
