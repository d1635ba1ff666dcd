from pathlib import Path

import pytest

import feedtool.areas
from feedtool.sandbox.arguments import LANGUAGES, texts
from tests.sandbox.desk import Desk

EMPTY = "ER400-9250"
AREAS = Path(feedtool.areas.__path__[0])
WRONG = (None, "", "Bearer", "Bearer else", "Basic sandbox")


@pytest.mark.parametrize(
    ("headers", "status", "errors"),
    [
        ({}, 200, None),
        ({"Authorization": "bearer sandbox"}, 200, None),
        *(({"Authorization": wrong}, 401, []) for wrong in WRONG),
        ({"Authorization": "Bearer forbidden"}, 403, []),
        *(({"SellerId": none}, 400, [(EMPTY, "SellerId")]) for none in (None, "  ")),
        ({"SellerId": "any other"}, 200, None),
        ({"Authorization": "Bearer else", "SellerId": None}, 401, []),
    ],
)
def test_every_request_names_its_seller(
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
        *((channel, 201, None) for channel in ("PRIMARY", "SECOND")),
        *((none, 400, [(EMPTY, "SalesChannelId")]) for none in (None, "")),
        *((other, 400, [("ER400", "SalesChannelId")]) for other in ("THIRD", "primary")),
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
    sent = desk.upload(package_id, desk.offer())
    read = (desk.read(package_id), sent, desk.complete(package_id), desk.results(package_id))
    assert [answer.status for answer in read] == [404] * 4
    assert list(desk.pages("/offer-packages")) == []
    assert desk.offers() == []
    assert desk.outcome("Upsert", desk.offer()) == ("Integrated", ["8000"])


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        *((other, "en-US") for other in (None, "de-DE", "*")),
        *((french, "fr-FR") for french in ("fr-FR", "FR", "fr-CA", "de-DE, es;q=0.8, fr;q=0.9")),
        *((spanish, "es-ES") for spanish in ("es-ES", "es, fr", "fr;q=most, es;q=0.1")),
    ],
)
def test_the_language_is_the_asked_one_or_english(
    desk: Desk, accepted: str | None, language: str
) -> None:
    answer = desk.ask("GET", "/offer-packages", headers={"Accept-Language": accepted})
    assert answer.headers["Content-Language"] == language


@pytest.mark.parametrize(
    "area", sorted(file.parts[-4] for file in AREAS.glob("*/sandbox/*/en.toml"))
)
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


def test_a_text_is_read_unchanged() -> None:
    package = "feedtool.areas.offers.sandbox.messages"
    assert texts(package, "fr-FR")["1028"] == (
        "Il manque une valeur : une mise à jour exige un champ, un mode de livraison ses frais."
    )
