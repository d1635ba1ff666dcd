"""A profile: the address of an account, and the form of its service; see `config`."""

import dataclasses
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.model.call import Budget
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.file_version import Version, version_of
from feedtool.model.settings import (
    ROOM_SETTINGS,
    AccountSettings,
    Added,
    Constant,
    Range,
    Settings,
    is_constant,
)
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

AnyStruct = TypeVar("AnyStruct", bound=Struct)


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
            reason = tr("{name} = {value} is neither text nor a number", name=key, value=value)
            hint = tr("write {name} = 2, for example", name=key)
            raise config_problem(f"{where}, [default]", reason, hint)
    account_names = (*ACCOUNT, *TIMEOUTS, *FLAGS)
    of_areas = _settings_for(table.keys() - account_names)
    known = AccountSettings().by_key(of_areas)
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
        reason = tr("{name} = {value} is neither yes nor no", name=name, value=repr(value))
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
    of_areas = _settings_for(table)
    refuse_unknown(table, AccountSettings().by_key(of_areas), where)
    left, records = dict(table), []
    for kind in (*ROOM_SETTINGS, *of_areas):
        if kind.TABLE:
            fields, place = table_of(left, kind.TABLE, where), f"{where}, [{kind.TABLE}]"
            left.pop(kind.TABLE, None)
        else:
            names, place = kind.__struct_fields__, where
            fields = {name: left.pop(name) for name in names if name in left}
        if fields:
            records.append(_record(kind, fields, place))
    return replace(_record(AccountSettings, left, where), records=tuple(records))


def all_settings(settings: AccountSettings) -> dict[str, Any]:
    return settings.by_key(settings_of_areas())


def settings_of_areas() -> tuple[type[Settings], ...]:
    from feedtool.areas.registry import load  # slow to import

    return load().settings


def _settings_for(keys: Iterable[str]) -> tuple[type[Settings], ...]:
    # Areas are imported only for a key that is in no other record.
    return settings_of_areas() if set(keys).difference(AccountSettings().by_key(())) else ()


def _record(kind: type[AnyStruct], table: Mapping[str, Any], where: str) -> AnyStruct:
    """Return a record with the fields of a table, in the types of their defaults."""
    default, hints = kind(), get_type_hints(kind, include_extras=True)
    refuse_unknown(table, kind.__struct_fields__, where)
    values: dict[str, Any] = {}
    for name, value in table.items():
        usual = getattr(default, name)
        if isinstance(usual, Struct):
            subtable = table_of(table, name, where)
            values[name] = _record(type(usual), subtable, f"{where}, [{name}]")
        else:
            values[name] = _value(name, value, usual, hints[name], where)
    try:
        return kind(**values)
    except ValueError as error:
        reason, hint = (*error.args, tr("correct it in the file"))[:2]
        raise config_problem(where, reason, hint) from error


def _value(name: str, value: Any, usual: Any, hint: Any, where: str) -> Any:
    """Return a setting in the type of its default; UsageProblem for an impossible value."""
    allowed = choices_of(hint)
    if allowed and value not in allowed:
        reason = tr("{name} = {value} is not possible", name=name, value=repr(value))
        choices = tr("use one of {choices}", choices=", ".join(map(repr, allowed)))
        raise config_problem(where, reason, choices)
    value = typed_like(usual, value, f"{where}: {name}")
    for mark in getattr(hint, "__metadata__", ()):
        if isinstance(mark, Range) and not 0 <= value <= mark.most:
            raise config_problem(
                where,
                tr(
                    "{name} = {value} is not a {meaning}",
                    name=name,
                    value=value,
                    meaning=mark.meaning,
                ),
                tr("write a {number} from 0 to {most}", number=mark.unit, most=mark.most),
            )
        if isinstance(mark, Added):
            if mark.is_closed:
                refuse_unknown(value, usual, f"{where}, [{name}]")
            value = {**usual, **value}
    return value


def choices_of(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()


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
                raise UsageProblem(
                    tr(
                        "the profile “{name}” is both in {path} and in {place}",
                        name=name,
                        path=self.config,
                        place=place,
                    ),
                    tr("take one of them away: nobody can tell which is meant"),
                )
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


def folder_problem(folder: Path, why: str) -> UsageProblem:
    text = tr("the folder of profiles {folder} cannot be read: {why}", folder=folder, why=why)
    return UsageProblem(text, tr("name another one with --profiles"))


def _is_name(name: str) -> bool:
    """False for paths, and for hidden files of editors and servers."""
    return bool(name) and not name.startswith(".") and Path(name).name == name
