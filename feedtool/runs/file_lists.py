"""Files that are a sheet together become a workbook of a row for each, and then go its way."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from feedtool.areas.registry import load
from feedtool.check import Input
from feedtool.feeds.area import FileList
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import Language


class ListedFiles(list[Mapping[str, Any]]):
    """The rows of a list of files."""

    @property
    def columns(self) -> frozenset[str]:
        """The keys that a row fills."""
        return frozenset(key for row in self[:1] for key in row)


def with_lists(
    inputs: Sequence[Input],
    kind: str | None,
    settings: AccountSettings,
    language: Language,
    folder: Path,
) -> list[Input]:
    """The inputs, of which folders, and files that are rows together, are workbooks in a folder.

    A folder and a ZIP are a workbook each, single files are one together. `kind` is what was asked
    for.
    """
    read: list[Input] = []
    single: dict[str, list[Path]] = {}
    for file in inputs:
        found = list_of(file.path, kind)
        if found is None:
            read.append(file)
        elif file.path.is_dir() or file.path.suffix.casefold() == ".zip":
            read.append(_listed(found, [file.path], settings, language, folder))
        else:
            single.setdefault(found.kind, []).append(file.path)
    lists = {item.kind: item for area in load().areas for item in area.file_lists}
    single_lists = (
        _listed(lists[name], paths, settings, language, folder) for name, paths in single.items()
    )
    return [*read, *single_lists]


def list_of(path: Path, kind: str | None = None) -> FileList | None:
    """The list that a folder is, or that a file belongs to; `kind` is what was asked for."""
    try:
        is_other = path.is_file() and load().format_of(path) is not None
        return None if is_other else load().file_list_of(path, kind)
    except OSError:  # which is told where it is read
        return None


def _listed(
    found: FileList,
    paths: Sequence[Path],
    settings: AccountSettings,
    language: Language,
    folder: Path,
) -> Input:
    """The workbook of a list, beside which it would lie, and in whose folder its paths begin."""
    name = _name(found.kind, paths)
    target = folder / f"{len(list(folder.iterdir()))}.xlsx"
    write_list(found, paths, name.parent, target, settings, language)
    stem = name.name if paths[0].is_dir() else name.stem
    place = name.with_name(f"{stem}.xlsx" if len(paths) == 1 else f"{found.kind}.xlsx")
    return Input(str(name), target, place=place)


def write_list(
    found: FileList,
    paths: Sequence[Path],
    folder: Path,
    target: Path,
    settings: AccountSettings,
    language: Language,
) -> None:
    """Writes the workbook of a list, in which paths begin in a folder."""
    from feedtool.feeds.template import Basis
    from feedtool.templates.contents import contents_of
    from feedtool.templates.rows import SheetRows, write

    contents = contents_of(load().feeds[found.kind], Basis(language, Context(settings)))
    rows = ListedFiles(found.rows(paths, folder, settings))
    write(target, [SheetRows(contents, rows)], settings.reading)


def _name(kind: str, paths: Sequence[Path]) -> Path:
    """The name of one, or that of several in the folder that they share."""
    if len(paths) == 1:
        path = paths[0]
        return path if path.name else path.resolve()
    folder = os.path.commonpath([path.absolute().parent for path in paths])
    return Path(os.path.relpath(folder)) / kind
