"""Write JSON Schemas (draft 2020-12) of recipes and of the configuration, for editors."""

import ast
import inspect
from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from textwrap import dedent
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct

from feedtool.check.recipes.recipe import PICKS, Join, Match, RecipeFile
from feedtool.feeds.area import Areas
from feedtool.model.call import Budget
from feedtool.model.settings import ROOM_SETTINGS, AccountSettings, Added, FilledText, Range
from feedtool.runs.config import ACTIONS, BUDGET_BOUNDS, EVERY, FILE, PageRights
from feedtool.runs.profiles import (
    ACCOUNT,
    FLAGS,
    TIMEOUTS,
    all_settings,
    choices_of,
    settings_of_areas,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT = {"type": "string"}
LEAST = {"limits": 1, "reading": 1, "guards": 0}
"""The lowest number in each of these records."""
FILLED = {**TEXT, "minLength": 1}
NAME = r"^[^\W\d]\w*$"
AGE = r"^\s*(\d+(\.\d+)?\s*[mhd])?\s*$"

Document = dict[str, Any]


def recipe_schema(areas: Areas) -> Document:
    """Return the schema of a recipe; editors complete kinds and fields by it."""
    document = msgspec.json.schema(RecipeFile)
    tables = {kind: document["$defs"][kind.__name__] for kind in (RecipeFile, Match, Join)}
    for kind, table in tables.items():
        for name, text in field_docs(kind).items():
            table["properties"][name]["description"] = text
    settings, feeds = AccountSettings(), areas.feeds
    keys = {column.key for feed in feeds.values() for column in feed.sheet.understood(settings)}
    recipe = tables[RecipeFile]["properties"]
    recipe["columns"]["additionalProperties"] = {
        "anyOf": [{"const": False}, {"enum": sorted(keys)}, TEXT]
    }
    recipe["names"]["propertyNames"] = {"pattern": NAME}
    tables[Match]["properties"]["kind"] |= {"enum": list(feeds)}
    tables[Join]["properties"]["too_old"] |= {"pattern": AGE}
    tables[Join]["properties"]["pick"] |= {"pattern": rf"^\s*(({'|'.join(PICKS)})\s+\S.*)?$"}
    tables[Join]["anyOf"] = [{"required": ["file"]}, {"required": ["sheet"]}]
    return {"$schema": DRAFT, "title": "A recipe of feedtool", **document}


def configuration_schema(options: Mapping[str, Document]) -> Document:
    """Return the schema of `feedtool.toml`; `options` are those of all commands, by name."""
    settings = _properties(AccountSettings)
    for kind in (*ROOM_SETTINGS, *settings_of_areas()):
        settings |= {kind.TABLE: _record(kind)} if kind.TABLE else _properties(kind)
    profile = _table({key: settings[key] for key in all_settings(AccountSettings())})
    profile["properties"] |= {
        **dict.fromkeys(ACCOUNT, TEXT),
        **{name: {"type": "number", "exclusiveMinimum": 0} for name in TIMEOUTS},
        **{name: {"type": "boolean"} for name in FLAGS},
        "recipes": {**TEXT, "description": "The folder of its recipes, beside this file."},
        "budget": {**TEXT, "description": "The name of a table of `budgets`."},
        "default": {
            **_mapping({"type": ["string", "number", "boolean"]}),
            "description": "Values of blank cells and absent columns, by field.",
        },
    }
    tables = {
        "defaults": _table(options),
        "profile": _mapping(profile),
        "page": _table({"users": _mapping(_page_rights())}),
        "budgets": _mapping({**_budget(), "required": ["per_second"]}),
    }
    return {"$schema": DRAFT, "title": FILE, **_table(tables)}


def _budget() -> Document:
    kinds, meanings = {"per_second": "number", "burst": "integer"}, field_docs(Budget)
    return _table(
        {
            name: {
                "type": kinds[name],
                "description": meanings[name],
                "minimum": least,
                "maximum": most,
            }
            for name, (least, most) in BUDGET_BOUNDS.items()
        }
    )


def _page_rights() -> Document:
    rights = _record(PageRights)
    profiles, may = rights["properties"]["profiles"], rights["properties"]["may"]
    rights["properties"]["profiles"] = {
        "anyOf": [{"const": EVERY}, {"type": profiles.pop("type"), "items": profiles.pop("items")}],
        **profiles,
    }
    may["items"] = {"enum": list(ACTIONS)}
    return rights


def _table(properties: Mapping[str, Document]) -> Document:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def _mapping(value: Document) -> Document:
    return {"type": "object", "additionalProperties": value}


def _record(kind: type[Any], least: int | None = None) -> Document:
    return _table(_properties(kind, least))


def _properties(kind: type[Any], least: int | None = None) -> dict[str, Document]:
    """Return the schemas of the fields of a record, whose numbers are not below `least`."""
    meanings, default = field_docs(kind), kind()
    hints = get_type_hints(kind, include_extras=True)
    properties = {}
    for name in kind.__struct_fields__:
        setting = _setting(name, getattr(default, name), hints[name])
        if least is not None:
            setting["minimum"] = least
        if meaning := meanings.get(name):
            setting["description"] = meaning
        properties[name] = setting | (FILLED if hints[name] == FilledText else {})
    return properties


def _setting(name: str, default: object, hint: Any) -> Document:
    """Return the schema of a setting, by its type and its default."""
    if isinstance(default, Struct):
        return _record(type(default), LEAST.get(name))
    schema: Document = {"type": "integer"}
    marks = getattr(hint, "__metadata__", ())
    match default:
        case _ if choices := choices_of(hint):
            schema = {"enum": list(choices)}
        case Decimal():
            schema = {"type": "number"}
        case tuple():
            schema = {"type": "array", "items": TEXT}
        case Mapping():
            schema = _mapping(FILLED if hint == Mapping[str, FilledText] else TEXT)
            if any(isinstance(mark, Added) and mark.is_closed for mark in marks):
                schema = _table(dict.fromkeys(default, TEXT))
        case str():
            schema = TEXT
    for mark in marks:
        if isinstance(mark, Range):
            schema |= {"minimum": 0, "maximum": mark.most}
    return schema if default is None else {**schema, "default": default}


def field_docs(kind: type[Any]) -> dict[str, str]:
    """Return the docstrings of a class's fields, from its source: Python forgets them."""
    tree = ast.parse(dedent(inspect.getsource(kind))).body[0]
    return {
        ast.unparse(field.targets[0] if isinstance(field, ast.Assign) else field.target): text
        for field, below in pairwise(getattr(tree, "body", ()))
        if isinstance(field, ast.Assign | ast.AnnAssign)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if (text := " ".join(str(below.value.value).split()))
    }
