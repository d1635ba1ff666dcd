"""Who asks, and in which language: part "Authentication" of the specification."""

from feedtool.sandbox.message import HttpRequest
from feedtool.sandbox.problem import FIELD_EMPTY, RequestRefused, bad_request
from feedtool.sandbox.route import Exchange
from feedtool.sandbox.settings import SandboxSettings

LANGUAGES = ("en-US", "fr-FR", "es-ES")
"""Those that the service speaks."""

BY_PRIMARY_TAG = {language.partition("-")[0]: language for language in LANGUAGES}


def check_token(request: HttpRequest, settings: SandboxSettings) -> None:
    """Let the bearer of the token in: 401 for nobody, 403 for one without rights."""
    scheme, _, token = request.headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() != "bearer" or token.strip() not in {
        settings.token,
        settings.forbidden_token,
    }:
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
    """The language to answer in, the default unless Accept-Language asks for one that there is."""
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
