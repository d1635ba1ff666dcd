"""Every request passes its JSON Schema before it counts as valid (`feedtool/schemas`).

jsonschema-rs answers yes or no for all of them; only for a request that it refuses is jsonschema
asked what is wrong. A refusal never goes without a message, even if the two should differ.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs
import orjson

from feedtool.model import Fault
from feedtool.rules import schema_mismatch


@cache
def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind's requests."""
    text = (files("feedtool") / "schemas" / f"{kind}.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def gate(kind: str) -> Callable[[bytes], bool]:
    """Whether a request's body is as its schema says; asked of the very bytes that are sent."""
    is_valid = jsonschema_rs.Draft202012Validator(schema(kind)).is_valid
    return lambda body: is_valid(orjson.loads(body))


def faults(kind: str, body: bytes) -> Iterator[Fault]:
    """What is wrong with a request that the gate refuses; at least one fault."""
    from jsonschema import Draft202012Validator  # slow to import, and hardly ever needed

    found = False
    for error in Draft202012Validator(schema(kind)).iter_errors(json.loads(body)):
        found = True
        yield schema_mismatch.fault("/".join(map(str, error.absolute_path)), error.message)
    if not found:
        yield schema_mismatch.fault("", "refused by the schema")


def encoded(request: dict[str, object]) -> bytes:
    """The request as JSON, amounts as numbers with the digits they have in the sheet."""
    return orjson.dumps(request, default=_amount)


def _amount(value: object) -> int | float:
    """A Decimal as JSON number; exact, since money has far fewer than 15 digits."""
    if not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} is no part of a request")
    number = float(value)
    return int(number) if number.is_integer() else number
