"""The sandbox's parcels: a table, and two routes."""

import json
import sqlite3
from types import SimpleNamespace

from feedtool.sandbox.exchange import Exchange, HttpResponse, Part, Route, bad_request, json_answer

TABLES = "CREATE TABLE IF NOT EXISTS parcels(seller TEXT, orders TEXT, channel TEXT, body TEXT);"


def send(exchange: Exchange) -> HttpResponse:
    """POST /parcels: one more parcel each time. Nobody sends dragons."""
    parcel = json.loads(exchange.request.body)
    if any(toy["toy"] == "Dragon" for toy in parcel["toys"]):
        raise bad_request("toy", "Nobody sends dragons.", "T-1")
    values = (exchange.seller, parcel["order"], parcel["channel"], json.dumps(parcel))
    exchange.db.execute("INSERT INTO parcels VALUES (?, ?, ?, ?)", values)
    return json_answer(201, {})


def read(exchange: Exchange) -> HttpResponse:
    """GET /parcels: the seller's, of an order and of a channel where these are given."""
    asked = exchange.request.parameters
    order, channel = asked.get("order", ""), asked.get("channel", "")
    rows = exchange.db.execute(
        "SELECT body FROM parcels WHERE seller = ? AND ? IN ('', orders) AND ? IN ('', channel)",
        (exchange.seller, order, channel),
    )
    return json_answer(200, {"items": [json.loads(body) for (body,) in rows]})


def next_due(_: sqlite3.Connection) -> None:
    """Nothing happens by itself."""


PARTS: tuple[Part, ...] = (
    SimpleNamespace(
        TABLES=TABLES,
        ROUTES=(Route("POST", "/parcels", send), Route("GET", "/parcels", read)),
        next_due=next_due,
        step=None,
    ),
)
