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
hook = "tell-the-team"           gets the summary of each run, as JSON on its stdin
webhook = "https://…"            the same, posted
log = "/var/log/feedtool.jsonl"  what is done, a JSON object a line
vat_scale = 100                  any field of `AccountSettings`

[profile.shop.columns]           the seller's own headers
"Mon EAN" = "product.gtin"

recipes = "recipes"              the folder of its recipes, beside this file

[profile.shop.default]           values of blank cells and absent columns
preparationTime = 2

[profile.shop.bounds]            any field of `Bounds`
[profile.shop.orders]            any field of `OrderSettings`; so inbound, outbound, discussions
[profile.shop.discussions.replies]
parcel = "Your parcel {parcelNumber} is on its way: {trackingUrl}"

[profile.shop.guards]            any field of `Guards`: what holds rows back
[profile.shop.limits]            any field of `PackageLimits`
[profile.shop.reading]           any field of `ReadingLimits`: how much of a file is read

[budgets.operator-eu]            what the profiles with `budget = "operator-eu"` may ask together
per_second = 20
burst = 20

[page.users."anna@example.org"]  any field of `PageRights`: a user of a shared page
profiles = ["shop"]
may = ["check", "send"]
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from feedtool.model.budget import Budget
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import tr
from feedtool.runs.config_tables import refuse_unknown, refused, table_of
from feedtool.runs.page_rights import PageRights, page_rights
from feedtool.runs.profile import Profile, profile_of

FILE = "feedtool.toml"

BUDGET_BOUNDS = {"per_second": (0.1, 1000), "burst": (1, 1000)}
"""The least and the most of a budget: whole numbers of calls at once, and any each second."""


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration file, read and checked."""

    path: Path | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    page_users: Mapping[str, PageRights] = field(default_factory=dict)
    budgets: Mapping[str, Budget] = field(default_factory=dict)

    def profile(self, name: str | None) -> Profile:
        """The profile of a name, else UsageProblem; without a name the defaults alone."""
        if name is None:
            return Profile()
        if name not in self.profiles:
            known = ", ".join(self.profiles) or tr("none")
            lack = tr("there is no profile “{name}” since there is no {file}", name=name, file=FILE)
            if self.path:
                lack = tr("there is no profile “{name}” in {path}", name=name, path=self.path)
            raise UsageProblem(
                lack,
                tr(
                    "known profiles: {known}; add a table [profile.{name}] to {file}",
                    known=known,
                    name=name,
                    file=self.path or FILE,
                ),
            )
        return self.profiles[name]


def load(path: Path | None, fallbacks: tuple[Path, ...] = ()) -> Config:
    """The configuration at `path`, else at the first of `fallbacks` that exists.

    UsageProblem where the file is missing, is no TOML, or holds a name that nobody knows.
    """
    path = path or next((place for place in fallbacks if place.is_file()), None)
    if path is None:
        return Config()
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        if isinstance(error, OSError):
            why = reason_of(error)
            hint = tr("name another with --config")
        elif isinstance(error, UnicodeDecodeError):
            why, hint = tr("it is not UTF-8"), tr("save it as UTF-8")
        else:
            why, hint = tr("it is no TOML: {error}", error=error), tr("correct the file")
        raise UsageProblem(
            tr("the configuration {path} cannot be read: {why}", path=path, why=why), hint
        ) from error
    refuse_unknown(tables, ("defaults", "profile", "page", "budgets"), str(path))
    profiles, budgets = table_of(tables, "profile", str(path)), _budgets(tables, str(path))
    return Config(
        path,
        table_of(tables, "defaults", str(path)),
        {
            name: profile_of(
                table_of(profiles, name, f"{path}, [profile]"),
                f"{path}, {name}",
                path.parent,
                budgets,
            )
            for name in profiles
        },
        page_rights(tables, profiles, str(path)),
        budgets,
    )


def _budgets(tables: Mapping[str, Any], path: str) -> Mapping[str, Budget]:
    budgets = table_of(tables, "budgets", path)
    return {
        name: _budget(name, table_of(budgets, name, f"{path}, [budgets]"), f"{path}, {name}")
        for name in budgets
    }


def _budget(name: str, table: Mapping[str, Any], where: str) -> Budget:
    refuse_unknown(table, BUDGET_BOUNDS, where)
    if "per_second" not in table:
        raise refused(where, tr("per_second is missing"), tr("write per_second = 20"))
    values = {"burst": 1, **table}
    for key, (least, most) in BUDGET_BOUNDS.items():
        kinds = (int,) if key == "burst" else (int, float)
        value = values[key]
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
            reason = tr("{name} = {value} is not possible", name=key, value=repr(value))
            hint = tr("write a number from {least} to {most}", least=least, most=most)
            raise refused(where, reason, hint)
    return Budget(name, **values)
