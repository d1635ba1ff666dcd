"""A profile: where an account is reached, and how its service speaks; see `config`."""

import codecs
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from feedtool.model.budget import Budget
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import CELL, AccountSettings, Constant, is_constant
from feedtool.model.text import tr
from feedtool.runs.config_tables import config_problem, refuse_unknown, table_of, typed_like

ACCOUNT = (
    *("base_url", "seller", "channel", "token", "token_file", "token_command", "token_url"),
    *("client_id", "client_secret", "client_secret_file", "client_secret_command"),
    *("token_scope", "token_audience", "hook", "webhook", "log", "results"),
)
"""Texts of a profile that say how the service and people are reached; each is an option too."""

PATHS = ("token_file", "client_secret_file", "log")
"""Those that are paths: in a file of its own they are of its folder."""

TIMEOUTS = ("connect_timeout", "answer_timeout", "call_timeout", "notify_wait")
"""In seconds; each is an option too."""

FLAGS = ("changed_only", "prefer_update", "insecure_http")
"""Yes or no in a profile on how its files are sent; each is an option too."""

CHOICES = {
    "upload_body": ("array", "offerRequests"),
    "vat_scale": (100, 1),
    "gtin_as": ("string", tr("number")),
    "legacy_transport": ("bytes", "url"),
}

RANGES = {
    "operator_notes": (30, tr("number of rows between codes and products"), tr("number")),
    "batch_pause": (86_400, tr("pause that can be kept"), tr("number of seconds")),
    "quota_pause": (86_400, tr("pause that can be kept"), tr("number of seconds")),
    "cursor_overlap": (86_400, tr("time that is read again"), tr("number of seconds")),
    "reconcile_every": (365, tr("number of days"), tr("number of days")),
    "reconcile_days": (365, tr("number of days"), tr("number of days")),
    "keep_personal": (3_650, tr("number of days"), tr("number of days")),
    "vat_rate": (100, tr("rate of VAT"), tr("percentage")),
    "resend_pause": (86_400, tr("pause that can be kept"), tr("number of seconds")),
}
"""The highest value of numbers from 0 on, and two names of them. The header of a template is looked
for among the first 40 rows of a sheet."""

RECORDS: Mapping[str, type[Any]] = {
    name: type(value)
    for name in AccountSettings.__struct_fields__
    if isinstance(value := getattr(AccountSettings(), name), Struct)
}
"""The fields of the settings that have fields of their own: each is a table."""


class Profile(Struct, frozen=True):
    """One account."""

    account: Mapping[str, str | float] = field(default_factory=dict)
    """Values of `ACCOUNT`, `TIMEOUTS` and `FLAGS`."""
    dialect: AccountSettings = field(default_factory=AccountSettings)
    recipes: Path | None = None
    """The folder of its recipes and of the files that they join."""
    default: Mapping[str, Constant] = field(default_factory=dict)
    """Values of blank and absent cells, by key."""
    budget: Budget | None = None
    """What it may ask of the service together with others; None is as much as it likes."""
    path: Path | None = None
    """Its file, where it has one of its own."""


def profile_of(
    table: Mapping[str, Any],
    where: str,
    folder: Path,
    budgets: Mapping[str, Budget],
    path: Path | None = None,
) -> Profile:
    """The profile of a table; UsageProblem for a name that nobody knows, or a value that cannot be.

    Args:
        table: What stands under `[profile.NAME]`.
        where: The place of it, for people.
        folder: Where its recipes are.
        budgets: Those that it may name.
        path: Its file, if it has one of its own.
    """
    table = dict(table)
    default = table_of(table, "default", where)
    recipes = table.pop("recipes", None)
    budget = table.pop("budget", None)
    table.pop("default", None)
    if budget is not None and not (isinstance(budget, str) and budget in budgets):
        raise _unknown_budget(budget, where, budgets)
    if not isinstance(recipes, str | None):
        raise config_problem(where, tr("recipes must be a folder"), tr('write recipes = "recipes"'))
    for key, value in default.items():
        if not is_constant(value):
            reason = tr("{name} = {value} is no text or number", name=key, value=value)
            hint = tr("write {name} = 2, for example", name=key)
            raise config_problem(f"{where}, [default]", reason, hint)
    known, own = AccountSettings.__struct_fields__, (*ACCOUNT, *TIMEOUTS, *FLAGS)
    refuse_unknown(table, (*own, *known, "recipes", "default", "budget"), where)
    account = {name: table[name] for name in own if name in table}
    for name, value in account.items():
        _check_account(name, value, where)
    if path:
        account |= {name: str(folder / account[name]) for name in PATHS if name in account}
    settings = dialect_of({name: value for name, value in table.items() if name in known}, where)
    own_recipes = folder / recipes if recipes else None
    shared = None if budget is None else budgets[budget]
    return Profile(account, settings, own_recipes, default, shared, path)


def _unknown_budget(budget: object, where: str, budgets: Mapping[str, Budget]) -> UsageProblem:
    hint = tr(
        "known budgets: {known}; add a table [budgets.NAME] with per_second = 20 to feedtool.toml",
        known=", ".join(budgets) or tr("none"),
    )
    return config_problem(where, tr("there is no budget “{name}”", name=budget), hint)


def _check_account(name: str, value: Any, where: str) -> None:
    if name in ACCOUNT and not isinstance(value, str):
        is_secret = any(word in name for word in ("token", "secret", "hook"))
        shown = "…" if is_secret else value
        hint = tr('write {name} = "{shown}"', name=name, shown=shown)
        raise config_problem(where, tr("{name} must be a text", name=name), hint)
    if name in FLAGS and not isinstance(value, bool):
        reason = tr("{name} = {value} is no yes or no", name=name, value=repr(value))
        raise config_problem(where, reason, tr("write {name} = true", name=name))
    if name in TIMEOUTS:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value < math.inf:
            reason = tr(
                "{name} = {value} must be a number of seconds", name=name, value=repr(value)
            )
            raise config_problem(where, reason, tr("write {name} = 60", name=name))


def dialect_of(table: Mapping[str, Any], where: str) -> AccountSettings:
    """The settings with the fields of a profile that differ from the default."""
    default = AccountSettings()
    for name, allowed in CHOICES.items():
        if name in table and table[name] not in allowed:
            reason = tr("{name} = {value} is not possible", name=name, value=repr(table[name]))
            hint = tr("use one of {choices}", choices=", ".join(map(repr, allowed)))
            raise config_problem(where, reason, hint)
    values = _values(default, table, where)
    if "tax_codes" in values:
        refuse_unknown(values["tax_codes"], default.tax_codes, f"{where}, [tax_codes]")
    for name in ("tax_codes", "legacy_conditions", "legacy_modes"):
        if name in values:
            values[name] = {**getattr(default, name), **values[name]}
    settings = AccountSettings(**values)
    for lack, way_out in _impossible(settings):
        raise config_problem(where, lack, way_out)
    return settings


def _impossible(settings: AccountSettings) -> Iterator[tuple[str, str]]:
    """Values that cannot be, and what to do."""
    if settings.legacy_transport == "url":
        if not settings.legacy_folder:
            yield (
                tr('legacy_transport = "url" needs legacy_folder'),
                tr("name the folder that your web server publishes"),
            )
        if not settings.legacy_address.startswith(("https://", "http://")):
            yield (
                tr('legacy_transport = "url" needs legacy_address'),
                tr('write the public address of that folder: "https://files.example.com/offers"'),
            )
    try:
        codecs.lookup(settings.csv_fallback or "ascii")
    except LookupError:
        reason = tr("csv_fallback = {value} is no encoding", value=repr(settings.csv_fallback))
        yield reason, tr('write "cp1252", for example')
    if settings.invoice_name and not _has_group(settings.invoice_name):
        reason = tr("invoice_name = {value} has no group", value=repr(settings.invoice_name))
        yield reason, tr("write invoice_name = {example}", example="'.*_([^_]+)[.]pdf'")
    if not CELL.fullmatch(settings.operator_category):
        value = repr(settings.operator_category)
        reason = tr("operator_category = {value} is no cell", value=value)
        yield reason, tr('write its name: "C1"')
    if not (settings.journal and all(settings.accounts.values())):
        reason = tr("the journal, and each of its accounts, needs a text")
        yield reason, tr('write journal = "MKT", for example')
    for name, (most, meaning, number) in RANGES.items():
        value = getattr(settings, name)
        if not 0 <= value <= most:
            yield (
                tr("{name} = {value} is no {meaning}", name=name, value=value, meaning=meaning),
                tr("write a {number} from 0 to {most}", number=number, most=most),
            )


def _values(default: Any, table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The fields of a table as their defaults are: those of `RECORDS` as records."""
    refuse_unknown(table, default.__struct_fields__, where)
    values = {}
    for name, value in table.items():
        if name not in RECORDS:
            values[name] = typed_like(getattr(default, name), value, f"{where}: {name}")
            continue
        own, place = table_of(table, name, where), f"{where}, [{name}]"
        try:
            values[name] = RECORDS[name](**_values(getattr(default, name), own, place))
        except ValueError as error:
            raise config_problem(place, str(error), tr("correct it in the file")) from error
    return values


def _has_group(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups > 0
    except re.error:
        return False
