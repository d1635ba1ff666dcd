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
results = "s3://bucket/shop"     where workers put the answers
vat_scale = 100                  any field of `AccountSettings`, or of the settings of an area

[profile.shop.columns]           the seller's own headers
"Mon EAN" = "product.gtin"

recipes = "recipes"              the folder of its recipes, beside this file

[profile.shop.default]           values of blank cells and absent columns
preparationTime = 2

[profile.shop.bounds]            any field of `Bounds`
[profile.shop.orders]            any field of `OrderSettings`; others have a table, too
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

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.model.call import Budget
from feedtool.model.errors import UsageProblem
from feedtool.model.text import joined, tr
from feedtool.runs.config_tables import (
    config_problem,
    read_tables,
    refuse_unknown,
    table_of,
    typed_like,
)
from feedtool.runs.profiles import FolderProfiles, Profile, folder_problem, profile_of

FILE = "feedtool.toml"
MOST_NAMES = 10
"""The most profiles that an error for an unknown name lists in full."""

BUDGET_BOUNDS = {"per_second": (0.1, 1000), "burst": (1, 1000)}
"""The minimum and maximum: calls per second are any number, a burst is a whole one."""

ACTIONS = ("check", "send", "release")
"""All values of `PageRights.may`."""
EVERY = "*"
"""All profiles, in the rights of a user."""
SANDBOX = "sandbox"
"""The name of the embedded sandbox among the profiles."""


class PageRights(Struct, frozen=True):
    """The rights of a user of a shared page."""

    profiles: tuple[str, ...] = ()
    """The profiles whose files and runs are shown to the user, or `"*"` for all; `sandbox` is the
    embedded sandbox."""
    may: tuple[str, ...] = ()
    """What the user may do with them: `check`, `send`, `release` held rows. All may look."""


class Config(Struct, frozen=True):
    """A configuration file, read and checked."""

    path: Path | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    page_users: Mapping[str, PageRights] = field(default_factory=dict)
    budgets: Mapping[str, Budget] = field(default_factory=dict)

    def with_folder(self, folder: Path | None) -> "Config":
        """Return it with the profiles of a folder; UsageProblem if the folder is missing."""
        if folder is None:
            return self
        if not folder.is_dir():
            raise folder_problem(folder, tr("there is no such folder"))
        profiles = FolderProfiles(self.profiles, folder, self.budgets, self.path)
        return replace(self, profiles=profiles)

    def files_of(self, name: str) -> Sequence[Path]:
        """Return the separate file of a profile, if the profiles have files."""
        profiles = self.profiles
        return (profiles.place_of(name),) if isinstance(profiles, FolderProfiles) else ()

    def profile(self, name: str | None) -> Profile:
        """Return the profile of a name, else UsageProblem; without a name the defaults alone."""
        if name is None:
            return Profile()
        try:
            return self.profiles[name]
        except KeyError:
            raise self._no_profile(name) from None

    def _no_profile(self, name: str) -> UsageProblem:
        known, file = list(self.profiles), self.path or FILE
        lack = tr("there is no profile “{name}” since there is no {file}", name=name, file=FILE)
        if self.path:
            lack = tr("there is no profile “{name}” in {path}", name=name, path=self.path)
        hint = tr("add a table [profile.{name}] to {file}", name=name, file=file)
        if isinstance(self.profiles, FolderProfiles):
            places = [*filter(None, (self.path, self.profiles.folder))]
            lack = tr("there is no profile “{name}” in {path}", name=name, path=joined(places))
            hint = tr("add a file {file}", file=self.profiles.place_of(name))
        if len(known) > MOST_NAMES:
            known = get_close_matches(name, known, n=3)
        names = ", ".join(known) or tr("none")
        return UsageProblem(lack, joined((tr("known profiles: {known}", known=names), hint), "; "))

    def users_of_page(self) -> Mapping[str, PageRights]:
        """Return the rights of a shared page's users; UsageProblem for an unknown profile."""
        for name, rights in self.page_users.items():
            where = f"{self.path}, {name}: profiles"
            refuse_unknown(rights.profiles, (*self.profiles, SANDBOX, EVERY), where)
        return self.page_users


def load(path: Path | None = None, fallbacks: tuple[Path, ...] = ()) -> Config:
    """Load the configuration at `path`, else at the first of `fallbacks` that exists.

    UsageProblem if the file is missing, is no TOML, or holds an unknown name.
    """
    path = path or next((place for place in fallbacks if place.is_file()), None)
    if path is None:
        return Config()
    hint = tr("name another with --config")
    tables, where = read_tables(path, hint), str(path)
    refuse_unknown(tables, ("defaults", "profile", "page", "budgets"), where)
    profiles = table_of(tables, "profile", where)
    budget_tables = table_of(tables, "budgets", where)
    budgets = {
        name: _budget(name, table_of(budget_tables, name, f"{where}, [budgets]"), where)
        for name in budget_tables
    }
    return Config(
        path,
        table_of(tables, "defaults", where),
        {
            name: profile_of(
                table_of(profiles, name, f"{where}, [profile]"),
                f"{where}, {name}",
                path.parent,
                budgets,
            )
            for name in profiles
        },
        _page_rights(tables, where),
        budgets,
    )


def _budget(name: str, table: Mapping[str, Any], path: str) -> Budget:
    where = f"{path}, {name}"
    refuse_unknown(table, BUDGET_BOUNDS, where)
    if "per_second" not in table:
        raise config_problem(where, tr("per_second is missing"), tr("write per_second = 20"))
    values = {"burst": 1, **table}
    for key, (least, most) in BUDGET_BOUNDS.items():
        kinds = (int,) if key == "burst" else (int, float)
        value = values[key]
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
            reason = tr("{name} = {value} is not possible", name=key, value=repr(value))
            hint = tr("write a number from {least} to {most}", least=least, most=most)
            raise config_problem(where, reason, hint)
    return Budget(name, **values)


def _page_rights(tables: Mapping[str, Any], where: str) -> Mapping[str, PageRights]:
    """Return the rights of each user of a configuration; `where` is the name of its file."""
    page = table_of(tables, "page", where)
    refuse_unknown(page, ("users",), f"{where}, [page]")
    users = table_of(page, "users", f"{where}, [page]")
    return {
        name: _rights(table_of(users, name, f"{where}, [page.users]"), f"{where}, {name}")
        for name in users
    }


def _rights(table: Mapping[str, Any], where: str) -> PageRights:
    refuse_unknown(table, PageRights.__struct_fields__, where)
    lists = {name: [EVERY] if value == EVERY else value for name, value in table.items()}
    rights = PageRights(
        **{name: typed_like((), value, f"{where}: {name}") for name, value in lists.items()}
    )
    refuse_unknown(rights.may, ACTIONS, f"{where}: may")
    return rights
