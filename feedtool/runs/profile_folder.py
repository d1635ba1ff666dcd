"""Profiles in a folder, a file for each: hundreds of sellers, whose secrets change on their own.

`NAME.toml` holds the lines of a table `[profile.NAME]` of `feedtool.toml`. Each access to a profile
looks at its file, and reads it if it has changed; no other file is read. So a change counts from
the next access on, also in processes that have run for weeks, and a wrong file stops its own seller
alone.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from feedtool.model.budget import Budget
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.file_version import Version, version_of
from feedtool.model.text import tr
from feedtool.runs.config_tables import config_problem, read_tables
from feedtool.runs.profile import Profile, profile_of

ENDING = ".toml"


@dataclass(frozen=True)
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
    _read: dict[str, tuple[Version, Profile]] = field(default_factory=dict, compare=False)
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
