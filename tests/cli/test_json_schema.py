"""The JSON Schemas for editors: they take what is right and refuse the usual mistakes."""

import json
import re
import tomllib
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from feedtool.cli import run
from feedtool.runs.recipes import presets
from tests.runs.test_config import ABSURD, REFUSED, WHOLE

ROOT = Path(__file__).resolve().parents[2]
PRESETS = ROOT / "feedtool/check/recipes/presets"
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
SAMPLES = [
    text
    for path in DOCUMENTS
    for text in re.findall(r"```toml\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
]
RECIPE = '[match]\nkind = "offers-upsert"\n'
WRONG = {
    "no kind": '[match]\nheaders = ["A"]',
    "no such kind": '[match]\nkind = "offers"',
    "a table": f"{RECIPE}[colums]\nA = false",
    "a key": f'{RECIPE}header = ["A"]',
    "headers": f'{RECIPE}headers = "A"',
    "rows": f'{RECIPE}rows = "all"',
    "column": f"{RECIPE}[columns]\nA = true",
    "name": f'{RECIPE}[names]\n"PA HT" = "PA HT"',
    "value": f"{RECIPE}[values]\ncondition = 'New'",
    "default": f"{RECIPE}[default]\nquantity = [1]",
    "compute": f"{RECIPE}[compute]\nquantity = 1",
    "skip": f"{RECIPE}[skip]\nnothing = true",
    "join without key": f"{RECIPE}[join.a]\nfile = 'b.csv'\ntake = {{}}",
    "join": f"{RECIPE}[join.a]\nfile = 'b'\nkey = {{}}\ntake = {{}}\nmissing = 'drop'",
    "share": f"{RECIPE}[join.a]\nfile = 'b'\nkey = {{}}\ntake = {{}}\nat_least = 95",
    "age": f"{RECIPE}[join.a]\nfile = 'b'\nkey = {{}}\ntake = {{}}\ntoo_old = '2 weeks'",
    "pick": f"{RECIPE}[join.a]\nfile = 'b'\nkey = {{}}\ntake = {{}}\npick = 'newest'",
    "join of nothing": f"{RECIPE}[join.a]\nkey = {{}}\ntake = {{}}",
    "channel": f"{RECIPE}[channels]\nSECOND = 'price.price'",
}
BEYOND = {
    "^[profile",
    'legacy_transport = "url"\nlegacy_address = "https://a.example"',
    'legacy_transport = "url"\nlegacy_folder = "/srv/offers"',
    'legacy_transport = "url"\nlegacy_folder = "x"\nlegacy_address = "a"',
    "bounds.highest_price = nan",
    "^[budgets.slow]\nper_second = nan",
    "budget = 'operator'",
    "call_timeout = inf",
    "csv_fallback = 'cp9999'",
    "invoice_name = '.*[.]pdf'",
    "invoice_name = '(.*'",
    "operator_category = '1C'",
    "guards.price_factor = 0.5",
    "default.quantity = nan",
    *ABSURD,
}
"""Mistakes that are refused on reading, but unknown to the schema."""


@cache
def schema(command: str) -> Any:
    with redirect_stdout(StringIO()) as out:
        assert run(command.split()) == 0
    return json.loads(out.getvalue())


@pytest.fixture
def recipes() -> Draft202012Validator:
    return Draft202012Validator(schema("map --json-schema"))


@pytest.fixture
def configurations() -> Draft202012Validator:
    return Draft202012Validator(schema("config show --json-schema"))


def test_both_are_schemas_that_describe_their_fields() -> None:
    for command in ("map --json-schema", "config show --json-schema"):
        Draft202012Validator.check_schema(schema(command))
    match = schema("map --json-schema")["$defs"]["Match"]["properties"]
    assert match["headers"]["description"] == "The headers that the sheet must have."
    assert "offers-upsert" in match["kind"]["enum"]


@pytest.mark.parametrize("name", presets())
def test_presets_are_right(recipes: Draft202012Validator, name: str) -> None:
    recipes.validate(tomllib.loads((PRESETS / f"{name}.toml").read_text("utf-8")))


def test_samples_in_the_documents_are_right(
    recipes: Draft202012Validator, configurations: Draft202012Validator
) -> None:
    assert SAMPLES
    for text in (WHOLE, *SAMPLES):
        tables = tomllib.loads(text)
        if "base_url" in tables:  # a file of a folder of profiles
            tables = {"profile": {"shop": tables}}
        is_configuration = tables.keys() <= {"defaults", "profile", "page", "budgets"}
        (configurations if is_configuration else recipes).validate(tables)


@pytest.mark.parametrize("case", WRONG)
def test_wrong_recipes_are_refused(recipes: Draft202012Validator, case: str) -> None:
    recipes.validate(tomllib.loads(RECIPE))
    assert not recipes.is_valid(tomllib.loads(WRONG[case]))


@pytest.mark.parametrize("text", sorted(REFUSED.keys() - BEYOND))
def test_wrong_settings_are_refused(configurations: Draft202012Validator, text: str) -> None:
    whole = text[1:] if text.startswith("^") else f"[profile.shop]\n{text}\n"
    assert not configurations.is_valid(tomllib.loads(whole))


OPTIONS = {
    'language = "fr"\nformat = "jsonl"\n"dry-run" = true': True,
    "dry_run = true\nconnect_timeout = 5": True,
    'language = "it"': False,
    'format = "xml"': False,
    "lang = 'fr'": False,
    "insecure_http = true": False,
    "json_schema = true": False,
}


@pytest.mark.parametrize("text", OPTIONS)
def test_options_of_all_commands(configurations: Draft202012Validator, text: str) -> None:
    assert configurations.is_valid(tomllib.loads(f"[defaults]\n{text}")) is OPTIONS[text]
