"""Health of a watcher for monitors: the written file, and the answers about it."""

import json
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from feedtool.model.errors import Exit, Interrupted, NotAuthorised, UsageProblem
from feedtool.model.text import Translator, tr
from feedtool.watch.reporting import DONE, STOPPED, Health, Turn, check_health
from tests.watch.conftest import NOON

MINUTE = timedelta(minutes=1)


def health_of(root: Path, lines: list[str] | None = None) -> Health:
    """A watcher's health at noon, and its messages."""
    return Health(root, lambda: NOON, ([] if lines is None else lines).append)


def test_a_turn_is_written_whole(tmp_path: Path) -> None:
    health_of(tmp_path).turn(Turn(1, 2, [("shop", NotAuthorised("no right"))]))
    (path,) = tmp_path.iterdir()
    assert path.name == "health.json"
    fields = json.loads(path.read_text("utf-8"))
    assert fields.pop("translatable")
    assert fields == {
        "state": "watching",
        "turnAt": "2026-03-02T12:00:00+00:00",
        "inWork": 1,
        "waiting": 2,
        "exitCode": 4,
        "troubles": ["profile shop: no right"],
    }


def test_files_left_by_a_killed_watcher_are_removed(tmp_path: Path) -> None:
    """It was killed before the file took its place."""
    with pytest.MonkeyPatch.context() as killed:
        killed.setattr(Path, "replace", lambda *_: sys.exit())
        with pytest.raises(SystemExit):
            health_of(tmp_path).turn(Turn())
    assert len(list(tmp_path.iterdir())) == 1
    health_of(tmp_path)
    assert list(tmp_path.iterdir()) == []


TROUBLES = [("shop", Interrupted("cannot be reached")), (None, NotAuthorised("no right"))]
BROKEN = [(None, UsageProblem("inbox cannot be read"))]
BOTH = "profile shop: cannot be reached; no right (0 in work, 0 waiting)"
UNREAD = "inbox cannot be read (0 in work, 0 waiting)"
NOBODY = "no watcher looks after ROOT: last turn 61 s ago"
STOP = "the watcher of ROOT was stopped; last turn 1 s ago"
ANSWERS: dict[str, tuple[Turn, str | None, int, Exit, str]] = {
    "at work": (Turn(1, 4), None, 9, Exit.OK, "watching: last turn 9 s ago, 1 in work, 4 waiting"),
    "old": (Turn(), None, 60, Exit.OK, "watching: last turn 60 s ago, 0 in work, 0 waiting"),
    "too old": (Turn(), None, 61, Exit.INTERRUPTED, NOBODY),
    "ahead": (Turn(), None, -5, Exit.OK, "watching: last turn 0 s ago, 0 in work, 0 waiting"),
    "trouble": (Turn(troubles=TROUBLES), None, 1, Exit.AUTH, BOTH),
    "broken": (Turn(troubles=BROKEN), None, 1, Exit.USAGE, UNREAD),
    "done": (Turn(), DONE, 1, Exit.OK, "done: last turn 1 s ago, 0 in work, 0 waiting"),
    "done long ago": (Turn(), DONE, 61, Exit.INTERRUPTED, NOBODY),
    "stopped": (Turn(), STOPPED, 1, Exit.INTERRUPTED, STOP),
}


@pytest.mark.parametrize(("turn", "end", "age", "code", "text"), ANSWERS.values(), ids=ANSWERS)
def test_answers_of_check_health(
    tmp_path: Path, turn: Turn, end: str | None, age: int, code: Exit, text: str
) -> None:
    health = health_of(tmp_path)
    health.turn(turn)
    if end:
        health.write(end)
    answer = check_health(tmp_path, NOON + timedelta(seconds=age), MINUTE)
    assert answer == (code, text.replace("ROOT", str(tmp_path)))


def test_troubles_are_answered_in_the_asking_language(tmp_path: Path) -> None:
    gone = UsageProblem(tr("there is no folder {root}", root="shop"))
    health_of(tmp_path).turn(Turn(troubles=[("shop", gone)]))
    _, text = check_health(tmp_path, NOON, MINUTE)
    assert Translator("fr")(text) == (
        "profil shop\u00a0: il n'y a pas de dossier shop (0 en cours, 0 en attente)"
    )


def test_a_folder_that_was_never_watched(tmp_path: Path) -> None:
    code, text = check_health(tmp_path, NOON, MINUTE)
    assert (code, text) == (Exit.INTERRUPTED, f"no watcher has ever looked into {tmp_path}")
    with pytest.raises(UsageProblem, match="there is no folder"):
        check_health(tmp_path / "none", NOON, MINUTE)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"state": "watching"}', '{"state": 1, "turnAt": 2}']
)
def test_a_file_of_another_kind(tmp_path: Path, content: str) -> None:
    (tmp_path / "health.json").write_text(content)
    with pytest.raises(UsageProblem, match="does not say how the watcher is"):
        check_health(tmp_path, NOON, MINUTE)


def test_an_unwritable_health_file_is_reported_once(tmp_path: Path) -> None:
    lines: list[str] = []
    health = health_of(tmp_path / "gone", lines)
    health.turn(Turn())
    health.turn(Turn())
    (text,) = lines
    assert text.endswith("No such file or directory")
