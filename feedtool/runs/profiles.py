"""A profile: the address of an account, and the form of its service; see `config`."""

import codecs
import dataclasses
import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from feedtool.model.call import Budget
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.file_version import Version, version_of
from feedtool.model.settings import CELL, AccountSettings, Constant, is_constant
from feedtool.model.text import tr
from feedtool.runs.config_tables import (
    config_problem,
    read_tables,
    refuse_unknown,
    table_of,
    typed_like,
)

ACCOUNT = (
    *("base_url", "seller", "channel", "token", "token_file", "token_command", "token_url"),
    *("client_id", "client_secret", "client_secret_file", "client_secret_command"),
    *("token_scope", "token_audience", "hook", "webhook", "log", "results"),
)
"""Texts of a profile for reaching the service and people; each is an option, too."""

PATHS = ("token_file", "client_secret_file", "log")
"""Texts that are paths; in a separate file of a profile they start at its folder."""

TIMEOUTS = ("connect_timeout", "answer_timeout", "call_timeout", "notify_wait")
"""Seconds; each is an option, too."""

FLAGS = ("changed_only", "prefer_update", "insecure_http")
"""Yes or no, about the sending of files; each is an option, too."""

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
"""The settings that are records: each is a table in the file."""


class Profile(Struct, frozen=True):
    """One account."""

    account: Mapping[str, str | float] = field(default_factory=dict)
    """Values of `ACCOUNT`, `TIMEOUTS` and `FLAGS`."""
    dialect: AccountSettings = field(default_factory=AccountSettings)
    recipes: Path | None = None
    """The folder of its recipes, and of the files that they join."""
    default: Mapping[str, Constant] = field(default_factory=dict)
    """Values of blank and absent cells, by key."""
    budget: Budget | None = None
    """The budget of calls that it shares with others; None: no limit."""
    path: Path | None = None
    """The separate file of the profile, if it has one."""


def profile_of(
    table: Mapping[str, Any],
    where: str,
    folder: Path,
    budgets: Mapping[str, Budget],
    path: Path | None = None,
) -> Profile:
    """Return the profile of a table; UsageProblem for an unknown name, or an impossible value.

    Args:
        table: The table `[profile.NAME]`.
        where: Its place, for people.
        folder: The folder for relative paths of recipes.
        budgets: The budgets that it may name.
        path: Its separate file, if it has one.
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
    known, account_names = AccountSettings.__struct_fields__, (*ACCOUNT, *TIMEOUTS, *FLAGS)
    refuse_unknown(table, (*account_names, *known, "recipes", "default", "budget"), where)
    account = {name: table[name] for name in account_names if name in table}
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
    """Return the settings with the fields of a profile that differ from the default."""
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
    """Yield impossible values, and how to correct them."""
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
    """Return the fields of a table in the types of their defaults, `RECORDS` as records."""
    refuse_unknown(table, default.__struct_fields__, where)
    values = {}
    for name, value in table.items():
        if name not in RECORDS:
            values[name] = typed_like(getattr(default, name), value, f"{where}: {name}")
            continue
        subtable, place = table_of(table, name, where), f"{where}, [{name}]"
        try:
            values[name] = RECORDS[name](**_values(getattr(default, name), subtable, place))
        except ValueError as error:
            raise config_problem(place, str(error), tr("correct it in the file")) from error
    return values


def _has_group(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups > 0
    except re.error:
        return False


# Profiles in a folder, a file for each.


ENDING = ".toml"


@dataclasses.dataclass(frozen=True)
class FolderProfiles(Mapping[str, Profile]):
    """The profiles of a configuration, then those of a folder by their names.

    An access raises KeyError for an unknown name, and UsageProblem for an unusable file.
    """

    in_config: Mapping[str, Profile]
    """The profiles of the configuration."""
    folder: Path
    budgets: Mapping[str, Budget]
    config: Path | None = None
    """The path of the configuration, for messages."""
    _read: dict[str, tuple[Version, Profile]] = dataclasses.field(
        default_factory=dict, compare=False
    )
    """The profiles that were read, with the versions of their files."""

    def __getitem__(self, name: str) -> Profile:
        place = self.place_of(name)
        version = version_of(place) if _is_name(name) else None
        if name in self.in_config:
            if version:
                raise self._twice(name, place)
            return self.in_config[name]
        if version is None:
            raise KeyError(name)
        known, profile = self._read.get(name, (None, None))
        if profile is None or known != version:
            profile = self._profile(name, place)
            self._read[name] = version, profile
        return profile

    def _profile(self, name: str, place: Path) -> Profile:
        tables = read_tables(place, tr("see that feedtool may read it, or take it away"))
        if "profile" in tables:
            raise config_problem(
                str(place),
                tr("it is one profile, and has a table [profile]"),
                tr("write its lines without [profile.{name}] above them", name=name),
            )
        return profile_of(tables, str(place), place.parent, self.budgets, place)

    def __contains__(self, name: object) -> bool:
        return name in self.in_config or (
            isinstance(name, str) and _is_name(name) and self.place_of(name).is_file()
        )

    def __iter__(self) -> Iterator[str]:
        yield from self.in_config
        yield from sorted(name for name in self._names() if name not in self.in_config)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self.in_config) or any(True for _ in self._names())

    def place_of(self, name: str) -> Path:
        """Return the path of a profile's file, which may be missing."""
        return self.folder / f"{name}{ENDING}"

    def _names(self) -> Iterator[str]:
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    name = entry.name.removesuffix(ENDING)
                    if name != entry.name and _is_name(name) and entry.is_file():
                        yield name
        except OSError as error:
            raise folder_problem(self.folder, reason_of(error)) from error

    def _twice(self, name: str, place: Path) -> UsageProblem:
        places = {"path": self.config, "place": place}
        text = tr("the profile “{name}” is both in {path} and in {place}", name=name, **places)
        return UsageProblem(text, tr("take one of them away: nobody can tell which is meant"))


def folder_problem(folder: Path, why: str) -> UsageProblem:
    text = tr("the folder of profiles {folder} cannot be read: {why}", folder=folder, why=why)
    return UsageProblem(text, tr("name another one with --profiles"))


def _is_name(name: str) -> bool:
    """False for paths, and for hidden files of editors and servers."""
    return bool(name) and not name.startswith(".") and Path(name).name == name
