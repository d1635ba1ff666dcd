"""Every request passes its JSON Schema before it counts as valid (`schemas/` of its area).

jsonschema-rs answers yes or no for all of them; only for a request that it refuses is jsonschema
asked what is wrong. A refusal never goes without a message, even if the two should differ.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from feedtool.check.rules import schema_mismatch
from feedtool.feeds.feed import Feed
from feedtool.model.nouns import Issue


@cache
def schema(feed: Feed) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a feed's requests, from the folder of its area."""
    text = (files(feed.area) / "schemas" / f"{feed.kind}.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def gate(feed: Feed) -> Callable[[object], bool]:
    """Whether a request is as its schema says."""
    return jsonschema_rs.Draft202012Validator(schema(feed)).is_valid


def faults(feed: Feed, request: dict[str, object]) -> Iterator[Issue]:
    """What is wrong with a request that the gate refuses; at least one fault."""
    from jsonschema import Draft202012Validator  # slow to import, and hardly ever needed

    result = False
    for error in Draft202012Validator(schema(feed)).iter_errors(request):
        result = True
        yield schema_mismatch.fault("/".join(map(str, error.absolute_path)), error.message)
    if not result:
        yield schema_mismatch.fault("", "refused by the schema")
