"""Request bodies: JSON of the structure that a route declares."""

from collections.abc import Collection
from typing import Any

import jsonschema_rs
import orjson

from feedtool.sandbox.message import HttpRequest
from feedtool.sandbox.problem import (
    FIELD_EMPTY,
    FIELD_MISSING,
    ErrorEntry,
    RequestRefused,
    bad_request,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT = {"type": ["string", "null"]}
NUMBER = {"type": ["number", "null"]}
WHOLE = {"type": ["integer", "null"]}


def record(**properties: Any) -> dict[str, Any]:
    """The schema of an object or null, whose other fields are let through."""
    return {"type": ["object", "null"], "properties": properties}


def records(**properties: Any) -> dict[str, Any]:
    """The schema of a list of such objects, or null."""
    return {"type": ["array", "null"], "items": {"type": "object", "properties": properties}}


def json_body(request: HttpRequest) -> Any:
    """The body as a document: 415 for another media type than JSON, 400 for what is no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestRefused(
            415, f"The media type {kind!r} is not supported; send application/json."
        )
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise bad_request("body", f"The body is not well-formed JSON: {error}") from error


def chosen(request: HttpRequest, name: str, values: Collection[str]) -> str:
    """The field of the body that must be one of some values, case and all; else 400."""
    document = json_body(request)
    if not isinstance(document, dict):
        raise bad_request("body", "The body must be a JSON object.")
    if name not in document:
        raise bad_request(name, f"{name} is required.", FIELD_MISSING)
    value = document[name]
    if value is None or value == "":
        raise bad_request(name, f"{name} is null or empty.", FIELD_EMPTY)
    if not isinstance(value, str) or value not in values:
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return value


def check_structure(
    validator: jsonschema_rs.Draft202012Validator, document: Any, what: str
) -> None:
    """Refuse a document of another structure, and name every place where it is wrong."""
    if not validator.is_valid(document):
        errors = [
            ErrorEntry(_place(error), error.message, _code(error))
            for error in validator.iter_errors(document)
        ]
        raise RequestRefused(400, f"The body is not {what}.", *errors)


def _code(error: jsonschema_rs.ValidationError) -> str:
    """ER400-7480 for what is missing, ER400-9250 for what is null or empty (part "Errors")."""
    if error.schema_path[-1] == "required":
        return FIELD_MISSING
    is_empty = error.instance is None or error.schema_path[-1] == "minItems"
    return FIELD_EMPTY if is_empty else ""


def _place(error: jsonschema_rs.ValidationError) -> str:
    """`[3].price.taxes[0].value`, as a client would write it; what is missing has a place too."""
    missing = getattr(error.kind, "property", None)
    path = error.instance_path if missing is None else [*error.instance_path, missing]
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).lstrip(".") or "body"
