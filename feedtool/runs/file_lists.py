"""Turn files that form a sheet together into a workbook with a row for each."""

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
        return frozenset(key for row in self[:1] for key in row)


def with_lists(
    inputs: Sequence[Input],
    kind: str | None,
    settings: AccountSettings,
    language: Language,
    folder: Path,
) -> list[Input]:
    """Return the inputs; folders, and files that form a list, become workbooks in `folder`.

    A folder and a ZIP are a workbook each, single files are one together. `kind` is the requested
    one.
    """
    read: list[Input] = []
    single: dict[str, list[Path]] = {}
    for file in inputs:
        file_list = list_of(file.path, kind)
        if file_list is None:
            read.append(file)
        elif file.path.is_dir() or file.path.suffix.casefold() == ".zip":
            read.append(_write_listed(file_list, [file.path], settings, language, folder))
        else:
            single.setdefault(file_list.kind, []).append(file.path)
    lists = {item.kind: item for area in load().areas for item in area.file_lists}
    single_lists = (
        _write_listed(lists[name], paths, settings, language, folder)
        for name, paths in single.items()
    )
    return [*read, *single_lists]


def list_of(path: Path, kind: str | None = None) -> FileList | None:
    """Return the list that a folder is, or that a file belongs to; `kind` is the requested one."""
    try:
        is_other = path.is_file() and load().format_of(path) is not None
        return None if is_other else load().file_list_of(path, kind)
    except OSError:  # the reading reports it
        return None


def _write_listed(
    file_list: FileList,
    paths: Sequence[Path],
    settings: AccountSettings,
    language: Language,
    folder: Path,
) -> Input:
    """Write the workbook of a list, and return it as an input.

    Its place is beside the list; the paths in its rows are relative to the folder of the list.
    """
    name = _name(file_list.kind, paths)
    target = folder / f"{len(list(folder.iterdir()))}.xlsx"
    write_list(file_list, paths, name.parent, target, settings, language)
    stem = name.name if paths[0].is_dir() else name.stem
    place = name.with_name(f"{stem}.xlsx" if len(paths) == 1 else f"{file_list.kind}.xlsx")
    return Input(str(name), target, place=place)


def write_list(
    file_list: FileList,
    paths: Sequence[Path],
    folder: Path,
    target: Path,
    settings: AccountSettings,
    language: Language,
) -> None:
    """Write the workbook of a list; the paths in its rows are relative to `folder`."""
    from feedtool.feeds.template import Basis
    from feedtool.templates.contents import contents_of
    from feedtool.templates.rows import SheetRows, write

    contents = contents_of(load().feeds[file_list.kind], Basis(language, Context(settings)))
    rows = ListedFiles(file_list.rows(paths, folder, settings))
    write(target, [SheetRows(contents, rows)], settings.reading)


def _name(kind: str, paths: Sequence[Path]) -> Path:
    """Return the only path, or the name of a list in the folder that several share."""
    if len(paths) == 1:
        path = paths[0]
        return path if path.name else path.resolve()
    folder = os.path.commonpath([path.absolute().parent for path in paths])
    return Path(os.path.relpath(folder)) / kind
