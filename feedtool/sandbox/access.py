"""Tokens, required headers, languages and quotas.

Specification, part "Authentication"; of quotas it has no figures (part "Limits").
"""

import math
import sqlite3
from datetime import datetime, timedelta

from feedtool.sandbox.message import HttpRequest
from feedtool.sandbox.problem import FIELD_EMPTY, RequestRefused, bad_request
from feedtool.sandbox.route import Exchange
from feedtool.sandbox.settings import Quota, SandboxSettings
from feedtool.sandbox.state import moment_of, stamp

LANGUAGES = ("en-US", "fr-FR", "es-ES")
"""Those that the service speaks."""

BY_PRIMARY_TAG = {language.partition("-")[0]: language for language in LANGUAGES}


QUOTA_TABLE = """
CREATE TABLE IF NOT EXISTS quota(
  seller TEXT PRIMARY KEY,
  opened_at TEXT NOT NULL,
  used INTEGER NOT NULL
) WITHOUT ROWID;
"""


def check_token(request: HttpRequest, settings: SandboxSettings) -> None:
    """Let the bearer of the token in: 401 for nobody, 403 for one without rights."""
    scheme, _, token = request.headers.get("authorization", "").strip().partition(" ")
    known = {settings.token, settings.forbidden_token}
    if scheme.lower() != "bearer" or token.strip() not in known:
        raise RequestRefused(
            401,
            "The credential is missing or invalid.",
            headers={"WWW-Authenticate": 'Bearer realm="sandbox"'},
        )
    if token.strip() == settings.forbidden_token:
        raise RequestRefused(403, "The credential does not give access to this resource.")


def required_header(request: HttpRequest, name: str) -> str:
    """The header's value, or 400 ER400-9250 when it is missing or blank."""
    value = request.headers.get(name.lower(), "").strip()
    if not value:
        raise bad_request(name, f"The header {name} is null or empty.", FIELD_EMPTY)
    return value


def asked(exchange: Exchange, name: str) -> str | None:
    """The query parameter's value or comma list, None when it was not sent.

    A blank value, or a blank entry of a list, is 400 ER400-9250: left out, a filter that was meant
    to be one would let everything through.
    """
    text = exchange.parameters.get(name)
    if text is not None and not all(entry.strip() for entry in text.split(",")):
        raise bad_request(name, f"{name} is null or empty.", FIELD_EMPTY)
    return text


def known_channel(channel: str, cause: str, settings: SandboxSettings) -> str:
    """The channel itself, or 400 when the service has no such sales channel."""
    if channel not in settings.channels:
        raise bad_request(cause, f"The sales channel {channel!r} does not exist.")
    return channel


def language_of(request: HttpRequest, default: str = LANGUAGES[0]) -> str:
    """The language to answer in: one that Accept-Language names, else the default."""
    wanted = request.headers.get("accept-language", "")
    for tag in sorted(wanted.split(","), key=_weight, reverse=True):
        primary = tag.partition(";")[0].strip().partition("-")[0].lower()
        if primary in BY_PRIMARY_TAG:
            return BY_PRIMARY_TAG[primary]
    return default


def _weight(tag: str) -> float:
    """A language tag's q-value (RFC 9110, 12.5.4); sorting keeps the order of equals."""
    _, _, weight = tag.partition(";q=")
    try:
        return float(weight or 1)
    except ValueError:
        return 0.0


def count_request(db: sqlite3.Connection, quota: Quota, seller: str, now: datetime) -> None:
    """Count one request, or refuse it with 429 and Retry-After in seconds."""
    window = timedelta(seconds=quota.seconds)
    row = db.execute("SELECT opened_at, used FROM quota WHERE seller = ?", (seller,)).fetchone()
    if row is None or moment_of(row["opened_at"]) + window <= now:
        db.execute("INSERT OR REPLACE INTO quota VALUES (?, ?, 1)", (seller, stamp(now)))
        return
    if row["used"] >= quota.requests:
        wait = moment_of(row["opened_at"]) + window - now
        raise RequestRefused(
            429,
            f"The quota of {quota.requests} requests in {quota.seconds:g} s is used up.",
            headers={"Retry-After": str(max(1, math.ceil(wait.total_seconds())))},
        )
    db.execute("UPDATE quota SET used = used + 1 WHERE seller = ?", (seller,))
