"""`feedtool.toml`: where an account is reached and how its service speaks.

[defaults]                       any option of the commands, by its name
language = "fr"

[profile.shop]                   chosen with --profile shop
base_url = "https://…/v2"
seller = "12345"
channel = "PRIMARY"
token_file = "/run/secrets/token"   (or token_url and client_id, see `ACCOUNT`)
call_timeout = 300               seconds, see `TIMEOUTS`
changed_only = true              see `FLAGS`
insecure_http = true             lets the token travel over http://, unencrypted
hook = "tell-the-team"           gets what came of each run, as JSON on its stdin
webhook = "https://…"            the same, posted
log = "/var/log/feedtool.jsonl"  what is done, a JSON object a line
vat_scale = 100                  any field of `dialect.Dialect`

[profile.shop.columns]           the seller's own headers
"Mon EAN" = "product.gtin"

[profile.shop.bounds]            any field of `dialect.Bounds`
[profile.shop.guards]            any field of `dialect.Guards`: what holds rows back
[profile.shop.limits]            any field of `dialect.Limits`
[profile.shop.reading]           any field of `limits.Limits`: how much of a file is read
"""

import codecs
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from feedtool.model.errors import UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import CELL, AccountSettings, Bounds, Guards, PackageLimits

FILE = "feedtool.toml"

ACCOUNT = (
    "base_url",
    "seller",
    "channel",
    "token",
    "token_file",
    "token_command",
    "token_url",
    "client_id",
    "client_secret",
    "client_secret_file",
    "client_secret_command",
    "token_scope",
    "token_audience",
    "hook",
    "webhook",
    "log",
)
"""What a profile says of reaching the service, and of telling people; each is an option too."""

MOST_NOTES = 30
"""Rows of a template's notes; its header is looked for among the first 40 rows of a sheet."""

LONGEST_PAUSE = 86_400
"""Seconds between two batches of products."""

TIMEOUTS = ("connect_timeout", "answer_timeout", "call_timeout", "notify_wait")
"""In seconds; each is an option too."""

FLAGS = ("changed_only", "prefer_update", "insecure_http")
"""What a profile says of how its files are sent; each is an option too."""

CHOICES = {
    "upload_body": ("array", "offerRequests"),
    "vat_scale": (100, 1),
    "gtin_as": ("string", "number"),
    "legacy_transport": ("bytes", "url"),
}


Record = Bounds | Guards | PackageLimits | ReadingLimits

RECORDS: Mapping[str, type[Record]] = {
    "bounds": Bounds,
    "guards": Guards,
    "limits": PackageLimits,
    "reading": ReadingLimits,
}
"""The fields of a dialect that have fields of their own: each is a table."""


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration file, read and checked."""

    path: Path | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, "Profile"] = field(default_factory=dict)

    def profile(self, name: str | None) -> "Profile":
        """The profile of a name; without a name the defaults alone.

        Raises:
            UsageProblem: there is no such profile.
        """
        if name is None:
            return Profile()
        if name not in self.profiles:
            known = ", ".join(self.profiles) or "none"
            where = f"in {self.path}" if self.path else f"since there is no {FILE}"
            raise UsageProblem(
                f"there is no profile “{name}” {where}",
                f"known profiles: {known}; add a table [profile.{name}] to {self.path or FILE}",
            )
        return self.profiles[name]


@dataclass(frozen=True, slots=True)
class Profile:
    """One account."""

    account: Mapping[str, str | float] = field(default_factory=dict)
    """Values of `ACCOUNT`, `TIMEOUTS` and `FLAGS`."""
    dialect: AccountSettings = field(default_factory=AccountSettings)


def load(path: Path | None, fallbacks: tuple[Path, ...] = ()) -> Config:
    """Reads the configuration.

    Args:
        path: The file that was asked for; it must be there.
        fallbacks: Where to look otherwise; the first that exists is taken.

    Raises:
        UsageProblem: the file is missing, is no TOML, or holds a name that nobody knows.
    """
    found = path or next((one for one in fallbacks if one.is_file()), None)
    if found is None:
        return Config()
    try:
        tables = tomllib.loads(found.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why, hint = _unread(error)
        raise UsageProblem(f"the configuration {found} cannot be read: {why}", hint) from error
    _known(tables, ("defaults", "profile"), str(found))
    profiles = _table(tables, "profile", str(found))
    return Config(
        found,
        _table(tables, "defaults", str(found)),
        {
            name: _profile(_table(profiles, name, f"{found}, [profile]"), f"{found}, {name}")
            for name in profiles
        },
    )


def _unread(error: Exception) -> tuple[str, str]:
    """Why a file cannot be read, and what to do."""
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower(), "name another with --config"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8", "save it as UTF-8"
    return f"it is no TOML: {error}", "correct the file"


def _profile(table: Mapping[str, Any], where: str) -> Profile:
    known = [one.name for one in fields(AccountSettings)]
    own = (*ACCOUNT, *TIMEOUTS, *FLAGS)
    _known(table, (*own, *known), where)
    account = {name: table[name] for name in own if name in table}
    for name, value in account.items():
        _check_account(name, value, where)
    return Profile(account, dialect_of({n: v for n, v in table.items() if n in known}, where))


def _check_account(name: str, value: Any, where: str) -> None:
    if name in ACCOUNT and not isinstance(value, str):
        is_secret = any(word in name for word in ("token", "secret", "hook"))
        shown = "…" if is_secret else value
        raise UsageProblem(f"{where}: {name} must be a text", f'write {name} = "{shown}"')
    if name in FLAGS and not isinstance(value, bool):
        raise UsageProblem(f"{where}: {name} = {value!r} is no yes or no", f"write {name} = true")
    if name in TIMEOUTS:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value < math.inf:
            raise UsageProblem(
                f"{where}: {name} = {value!r} must be a number of seconds", f"write {name} = 60"
            )


def dialect_of(table: Mapping[str, Any], where: str) -> AccountSettings:
    """A dialect from the fields of a profile that differ from the default."""
    default = AccountSettings()
    _known(table, [one.name for one in fields(AccountSettings)], where)
    values = dict(table)
    for name, allowed in CHOICES.items():
        if name in values and values[name] not in allowed:
            raise UsageProblem(
                f"{where}: {name} = {values[name]!r} is not possible",
                f"use one of {', '.join(map(repr, allowed))}",
            )
    values |= {
        name: _record(kind, _table(table, name, where), f"{where}, [{name}]")
        for name, kind in RECORDS.items()
        if name in table
    }
    for name, value in values.items():
        values[name] = _like(getattr(default, name), value, f"{where}: {name}")
    if "tax_codes" in values:
        _known(values["tax_codes"], default.tax_codes, f"{where}, [tax_codes]")
    for name in ("tax_codes", "legacy_conditions", "legacy_modes"):
        if name in values:
            values[name] = {**getattr(default, name), **values[name]}
    _legacy_transport(values, where)
    _encoding(values.get("csv_fallback", default.csv_fallback), where)
    _operators(values, where)
    for name in ("batch_pause", "quota_pause", "resend_pause"):
        if not 0 <= values.get(name, 0) <= LONGEST_PAUSE:
            raise UsageProblem(
                f"{where}: {name} = {values[name]} is no pause that can be kept",
                f"write a number of seconds from 0 to {LONGEST_PAUSE}",
            )
    return AccountSettings(**values)


def _legacy_transport(values: Mapping[str, Any], where: str) -> None:
    """A zip that travels by its address needs a place, and an address that is one."""
    if values.get("legacy_transport") != "url":
        return
    if not values.get("legacy_folder"):
        raise UsageProblem(
            f'{where}: legacy_transport = "url" needs legacy_folder',
            "name the folder that your web server publishes",
        )
    if not str(values.get("legacy_address", "")).startswith(("https://", "http://")):
        raise UsageProblem(
            f'{where}: legacy_transport = "url" needs legacy_address',
            'write the public address of that folder: "https://files.example.com/offers"',
        )


def _operators(values: Mapping[str, Any], where: str) -> None:
    """Where the channel operator's templates have what is looked for there."""
    if not CELL.fullmatch(cell := str(values.get("operator_category", "C1"))):
        raise UsageProblem(
            f"{where}: operator_category = {cell!r} is no cell", 'write its name: "C1"'
        )
    if not 0 <= (rows := values.get("operator_notes", 0)) <= MOST_NOTES:
        raise UsageProblem(
            f"{where}: operator_notes = {rows} is no number of rows between codes and products",
            f"write a number from 0 to {MOST_NOTES}",
        )


def _encoding(name: str, where: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError as error:
        raise UsageProblem(
            f"{where}: csv_fallback = {name!r} is no encoding", 'write "cp1252", for example'
        ) from error


def _record(kind: type[Record], table: Mapping[str, Any], where: str) -> Any:
    default = kind()
    _known(table, [one.name for one in fields(kind)], where)
    values = {
        name: _like(getattr(default, name), value, f"{where}: {name}")
        for name, value in table.items()
    }
    try:
        return kind(**values)
    except ValueError as error:
        raise UsageProblem(f"{where}: {error}", "correct it in the file") from error


def _like(default: object, value: Any, where: str) -> Any:
    """The value in the type of its default, or a clear word."""
    if isinstance(value, bool):
        pass  # Python takes it for a number, and no setting is one of them
    elif isinstance(default, Decimal) and isinstance(value, int | float):
        if Decimal(str(value)).is_finite():
            return Decimal(str(value))
    elif isinstance(default, tuple) and isinstance(value, list):
        if all(isinstance(one, str) for one in value):
            return tuple(value)
    elif isinstance(default, Mapping) and isinstance(value, Mapping):
        if all(isinstance(one, str) for one in value.values()):
            return value
    elif isinstance(value, int if default is None else type(default)):
        return value
    wanted = {
        tuple: "a list of texts",
        str: "a text",
        Decimal: "a number",
        dict: "a table of texts",
    }
    kind = wanted.get(type(default), "a whole number")
    raise UsageProblem(f"{where} = {value!r} must be {kind}", "correct it in the file")


def _table(tables: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    value = tables.get(name, {})
    if not isinstance(value, Mapping):
        raise UsageProblem(f"{where}: {name} must be a table", f"write [{name}] above its lines")
    return value


def _known(table: Mapping[str, Any], names: Any, where: str) -> None:
    for name in table:
        if name not in names:
            near = get_close_matches(name, list(names), n=1)
            raise UsageProblem(
                f"{where}: nobody knows “{name}”",
                f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}",
            )
