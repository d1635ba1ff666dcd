from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.ledger.snapshots import Snapshots
from feedtool.model.errors import FileProblem
from feedtool.model.file_version import TRIES, FileChanging, read_unchanged, version_of
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.convert import ConversionOptions, convert, form_of
from feedtool.runs.outputs import Outputs
from feedtool.runs.validate import validate
from tests.conftest import Files, offer, table
from tests.overwritten import Overwritten, overwritten

OLD, NEW = ([offer(number) for number in numbers] for numbers in (range(1, 4), range(7, 9)))
IN_PLACE = [pytest.param(False, id="in place"), pytest.param(True, id="replaced")]


def turned(rows: list[dict[str, str]]) -> bytes:
    """The rows, their columns in another order."""
    return table([dict(reversed(row.items())) for row in rows]).encode()


OLD_CSV, NEW_CSV = table(OLD).encode(), turned(NEW)


def references(sheet: CheckedSheet) -> list[str]:
    return [item.reference for item in sheet.valid_items()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "offers.csv"
    path.write_text(table(OLD))
    return path


def once_at(
    path: Path, old: bytes = OLD_CSV, new: bytes = NEW_CSV, *, is_replaced: bool = False
) -> Iterator[tuple[int, Overwritten]]:
    """The path, overwritten at each of the moments at which it is opened, and once at none."""
    for moment in count(1):
        path.write_bytes(old)
        changing = overwritten(path, {moment: new}, is_replaced=is_replaced)
        yield moment, changing
        if changing.opened < moment:
            assert moment > 1, "the file was never opened"
            return


@pytest.mark.parametrize("is_replaced", IN_PLACE)
def test_all_rows_are_of_one_version(path: Path, *, is_replaced: bool) -> None:
    for moment, changing in once_at(path, is_replaced=is_replaced):
        (sheet,) = check([Input("offers.csv", changing)], ReadOptions(), load())
        rows = NEW if changing.opened >= moment else OLD
        assert references(sheet) == [row["sellerExternalReference"] for row in rows], moment
        assert sheet.counts().valid == len(rows)
        assert sheet.version == version_of(path)


def test_rows_of_an_earlier_version_are_no_duplicates(path: Path) -> None:
    for _, changing in once_at(path, new=OLD_CSV):
        (sheet,) = check([Input("offers.csv", changing)], ReadOptions(), load())
        assert sheet.counts().valid == sheet.size == len(OLD)


def test_a_file_that_never_rests_stops_no_other(path: Path, files: Files) -> None:
    changing = overwritten(path, dict.fromkeys(range(1, 99), NEW_CSV))
    other = files.csv(offer(1), name="other.csv")
    first, second = check(
        [Input("offers.csv", changing), Input("other.csv", other)], ReadOptions(), load()
    )
    assert first.error
    assert (first.error.code, first.version) == ("file-changing", None)
    assert first.error.message.startswith("offers.csv is being written")
    assert (second.error, second.counts().valid) == (None, 1)


@pytest.mark.parametrize("is_replaced", IN_PLACE)
@pytest.mark.parametrize("is_in_place", [False, True])
def test_a_copy_is_of_the_checked_version(
    path: Path, tmp_path: Path, *, is_replaced: bool, is_in_place: bool
) -> None:
    target = path if is_in_place else tmp_path / "offers.result.csv"
    is_written = set()
    for _, changing in once_at(path, is_replaced=is_replaced):
        inputs = [Input("offers.csv", changing)]
        outputs = Outputs({"offers.csv": target}, is_in_place=is_in_place)
        (outcome,) = validate(inputs, ReadOptions(), outputs)
        is_written.add(outcome.copy_failed is None)
        if outcome.copy_failed:
            assert isinstance(outcome.copy_failed, FileChanging)
            assert path.read_bytes() == NEW_CSV
            assert is_in_place or not target.exists()
        else:
            assert target.read_text("utf-8").count("Valid") == outcome.checked.size
            target.unlink()
    assert is_written == {True, False}


@pytest.mark.parametrize(
    "is_replaced",
    [IN_PLACE[0], pytest.param(True, id="replaced", marks=pytest.mark.long)],
)
def test_a_workbook_is_of_one_version(files: Files, tmp_path: Path, *, is_replaced: bool) -> None:
    old, new = (files.book({"Offers": rows}).read_bytes() for rows in (OLD, NEW))
    path, target = tmp_path / "offers.xlsx", tmp_path / "offers.result.xlsx"
    ends = set()
    for _, changing in once_at(path, old, new, is_replaced=is_replaced):
        (outcome,) = validate(
            [Input("offers.xlsx", changing)], ReadOptions(), Outputs({"offers.xlsx": target})
        )
        ends.add(type(outcome.copy_failed))
        found = outcome.checked
        assert found.counts().valid == found.size
        if outcome.annotated:
            kept = check([Input("copy", target)], ReadOptions(), load())[0]
            assert references(kept) == references(found)
            target.unlink()
    assert ends == {type(None), FileChanging}


@pytest.mark.parametrize("is_replaced", IN_PLACE)
def test_a_snapshot_is_of_one_version(path: Path, tmp_path: Path, *, is_replaced: bool) -> None:
    snapshots = Snapshots(tmp_path / "snapshots")
    changing = overwritten(path, {1: turned(OLD), 2: NEW_CSV}, is_replaced=is_replaced)
    assert snapshots.path_of(snapshots.keep(changing)).read_bytes() == NEW_CSV
    changing = overwritten(path, dict.fromkeys(range(1, 9), OLD_CSV))
    with pytest.raises(FileProblem, match="is being written"):
        snapshots.keep(changing)
    assert len(list((tmp_path / "snapshots").iterdir())) == 1


def test_converted_rows_are_of_one_version(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "converted.csv"
    form = form_of(target, load())
    options = ConversionOptions(target, form, None, "en", is_channel_given=False)

    def converted(source: Path) -> bytes:
        convert(Input("offers.csv", source), ReadOptions(), options, load())
        return target.read_bytes()

    for moment, changing in once_at(path):
        found = converted(changing)
        assert found == converted(path), moment


@pytest.mark.parametrize("changes", range(TRIES + 1))
def test_a_file_that_changes_is_read_again(path: Path, changes: int) -> None:
    contents = [b"A" * size for size in range(changes)]

    def read(_: object) -> bytes:
        found = path.read_bytes()
        if contents:
            path.write_bytes(contents.pop(0))
            raise ValueError("half of it")
        return found

    if changes < TRIES:
        assert read_unchanged(path, "offers.csv", read) == path.read_bytes()
    else:
        with pytest.raises(FileChanging, match=r"^offers.csv is being written"):
            read_unchanged(path, "offers.csv", read)


def test_an_error_of_an_unchanged_file_is_its_own(path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        read_unchanged(path, "offers.csv", lambda _: 1 // 0)
