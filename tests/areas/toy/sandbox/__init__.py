"""The sandbox's parcels: a table, and two routes."""

import json

from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Part,
    QuietPart,
    Route,
    bad_request,
    json_answer,
    not_found,
)

TABLES = """
CREATE TABLE IF NOT EXISTS parcels(
    id INTEGER PRIMARY KEY, seller TEXT, orders TEXT, channel TEXT, body TEXT, sent TEXT
);
"""


def send(exchange: Exchange) -> HttpResponse:
    """POST /parcels: one more parcel each time. Nobody sends dragons."""
    parcel = json.loads(exchange.request.body)
    if any(toy["toy"] == "Dragon" for toy in parcel["toys"]):
        raise bad_request("toy", "Nobody sends dragons.", "T-1")
    at = exchange.now.isoformat()
    values = (exchange.seller, parcel["order"], parcel["channel"], json.dumps(parcel), at)
    exchange.db.execute("INSERT INTO parcels VALUES (NULL, ?, ?, ?, ?, ?)", values)
    return json_answer(201, {})


def read(exchange: Exchange) -> HttpResponse:
    """GET /parcels: the seller's, of an order, a channel, a time on, where these are given."""
    asked = exchange.request.parameters
    names = ("order", "channel", "since")
    rows = exchange.db.execute(
        "SELECT id, body, sent FROM parcels"
        " WHERE seller = ? AND ? IN ('', orders) AND ? IN ('', channel) AND sent >= ?",
        (exchange.seller, *(asked.get(name, "") for name in names)),
    )
    items = [{**json.loads(body), "id": number, "sentAt": sent} for number, body, sent in rows]
    return json_answer(200, {"items": items})


def label(exchange: Exchange) -> HttpResponse:
    """GET /parcels/{number}/label: that of the parcel, none of the parcels to SECOND."""
    query = "SELECT orders, channel FROM parcels WHERE id = ?"
    order, channel = exchange.db.execute(query, (exchange.ids["number"],)).fetchone()
    if channel == "SECOND":
        raise not_found("The label")
    return HttpResponse(200, {"Content-Type": "text/plain"}, f"To {order}".encode())


PARTS: tuple[Part, ...] = (
    QuietPart(
        (
            Route("POST", "/parcels", send),
            Route("GET", "/parcels", read),
            Route("GET", "/parcels/{number}/label", label),
        ),
        TABLES,
    ),
)
