"""`--hook`, `--webhook` and `--log`, as a user's run has them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer, table
from tests.runs.test_notify import KEEP, python, served

LOG = Path("log.jsonl")
TOLD = Path("told")


def told() -> list[dict[str, Any]]:
    """The notices that the hook was given."""
    return [json.loads(line) for line in TOLD.read_text("utf-8").splitlines()]


def logged() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LOG.read_text("utf-8").splitlines()]


@pytest.fixture
def hook(tmp_path: Path) -> str:
    return python(tmp_path / "hook.py", KEEP)


@pytest.fixture
def file(files: Files) -> Path:
    return files.csv(offer(1), offer(2, quantity="-1"))


def test_a_run_is_told_by_the_names_of_json(feedtool: Feedtool, file: Path, hook: str) -> None:
    with served() as server:
        options = ("--hook", hook, "--webhook", server.url)
        ran = feedtool("submit", file.name, "--sandbox", "--format", "json", *options)
    assert ran.code == 1, ran.err
    (notice,) = told()
    assert server.bodies == [TOLD.read_bytes()]
    assert (notice["event"], notice["command"], notice["exitCode"]) == ("run", "submit", 1)
    assert (notice["seller"], notice["profile"], notice["stopped"]) == ("sandbox", None, None)
    (found,) = notice["files"]
    shown = {name: value for name, value in ran.only.items() if name not in {"problems", "results"}}
    assert found == {**shown, "statuses": {"Invalid": 1, "Integrated": 1}}


@pytest.mark.parametrize("option", ["--dry-run", "--save-plan"])
def test_nothing_is_told_of_what_is_not_sent(
    feedtool: Feedtool, file: Path, hook: str, option: str
) -> None:
    more = ("--dry-run", "--save-plan", "p") if option == "--save-plan" else ("--dry-run",)
    assert feedtool("submit", file, "--sandbox", *more, "--hook", hook).code == 1
    assert not TOLD.exists()


def test_a_run_that_was_stopped_is_told_too(feedtool: Feedtool, file: Path, hook: str) -> None:
    ran = feedtool("submit", file, "--sandbox", "--token", "wrong", "--hook", hook)
    assert ran.code == 4
    (notice,) = told()
    assert notice["exitCode"] == 4
    assert "token" in notice["stopped"]["message"]


FAILS = {
    "a hook that is not there": ("--hook", "/nowhere/hook"),
    "a webhook that is refused": ("--webhook", "REFUSED"),
}


@pytest.mark.parametrize("options", FAILS.values(), ids=FAILS)
def test_who_cannot_be_told_is_a_warning(
    feedtool: Feedtool, files: Files, options: tuple[str, str]
) -> None:
    with served((400, {})) as server:
        name, value = options
        ran = feedtool(
            "submit",
            files.csv(offer(1)),
            "--sandbox",
            name,
            value.replace("REFUSED", server.url),
        )
    assert ran.code == 0
    assert ran.err.startswith("warning: the ")
    assert " was not told of a run: " in ran.err
    assert "secret-path" not in ran.err


def test_settings_of_a_profile(feedtool: Feedtool, file: Path, hook: str) -> None:
    settings = '[profile.shop]\nseller = "5"\nhook = """{}"""\nlog = "log.jsonl"\n'
    Path("feedtool.toml").write_text(settings.format(hook))
    assert feedtool("submit", file, "--sandbox", "--profile", "shop").code == 1
    (notice,) = told()
    assert notice["profile"] == "shop"
    assert logged()[0]["profile"] == "shop"


def test_each_run_that_is_resumed_is_told_to_its_own(
    feedtool: Feedtool, files: Files, hook: str
) -> None:
    settings = '[defaults]\nhook = "/nowhere/hook"\n[profile.shop]\nhook = """{}"""\n'
    Path("feedtool.toml").write_text(settings.format(hook))
    one, other = files.csv(offer(1), name="a.csv"), files.csv(offer(2), name="b.csv")
    feedtool("submit", one, "--sandbox", "--no-wait")
    feedtool("submit", other, "--sandbox", "--no-wait", "--profile", "shop")
    TOLD.unlink()
    ran = feedtool("resume")
    assert ran.code == 0
    assert ran.err.count("/nowhere/hook was not told of a run") == 1
    (notice,) = told()
    assert (notice["command"], notice["profile"], notice["exitCode"]) == ("resume", "shop", 0)
    assert [one["run"] for one in notice["files"]] == ["2"]


def test_the_log_is_an_event_a_line(feedtool: Feedtool, file: Path) -> None:
    feedtool("submit", file, "--sandbox", "--log", LOG)
    feedtool("submit", file, "--sandbox", "--log", LOG, "--token", "wrong")
    events = logged()
    assert all(event["at"].endswith("+00:00") for event in events)
    first = [
        event["type"] for event in events[: [one["type"] for one in events].index("ended") + 1]
    ]
    assert first == ["started", *["progress"] * (len(first) - 3), "summary", "ended"]
    assert len(first) > 5
    ends = [event["exitCode"] for event in events if event["type"] == "ended"]
    assert ends == [1, 4]
    (said,) = [event for event in events if event.get("label") == "error"]
    assert "token" in said["text"]
    progress = [event["kind"] for event in events if event["type"] == "progress"]
    assert {"created", "upload", "committed", "closed"} <= set(progress)


def test_no_secret_is_in_the_log(feedtool: Feedtool, file: Path, hook: str) -> None:
    with served((400, {})) as server:
        options = (
            "--webhook",
            server.url,
            "--hook",
            f"{hook} --key hush",
            "--log",
            LOG,
        )
        feedtool("submit", file, "--sandbox", "--token", "very-secret-token", *options)
    content = LOG.read_text("utf-8")
    for secret in ("very-secret-token", "secret-path", "hush"):
        assert secret not in content
    assert '"label": "warning"' in content


def test_a_watched_folder_tells_of_each_file(feedtool: Feedtool, tmp_path: Path, hook: str) -> None:
    other = python(tmp_path / "other.py", KEEP.replace('"told"', '"told-shop"'))
    Path("feedtool.toml").write_text(
        f'[defaults]\nhook = """{hook}"""\n[profile.shop]\nhook = """{other}"""\n'
    )
    inbox = tmp_path / "feeds" / "inbox"
    (inbox / "shop").mkdir(parents=True)
    (inbox / "nobody").mkdir()
    (inbox / "a.csv").write_text(table([offer(1)]))
    (inbox / "b.csv").write_text("x,y\n1,2\n")
    (inbox / "nobody" / "c.csv").write_text(table([offer(3)]))
    (inbox / "shop" / "d.csv").write_text(table([offer(4)]))
    quick = ("--once", "--settle", "0.01", "--poll", "0.01", "--sandbox")
    ran = feedtool("watch feeds", *quick, "--log", LOG)
    assert ran.code == 3, ran.err
    run, unread, astray = sorted(told(), key=lambda one: str(one.get("file")))
    assert (run["event"], run["files"][0]["file"]) == ("run", "inbox/a.csv")
    assert [one["event"] for one in (unread, astray)] == ["refused", "refused"]
    assert [one["file"] for one in (unread, astray)] == ["inbox/b.csv", "inbox/nobody/c.csv"]
    assert unread["error"]["message"] == "no row looks like a header"
    (shops,) = [json.loads(line) for line in Path("told-shop").read_text("utf-8").splitlines()]
    assert (shops["profile"], shops["files"][0]["file"]) == ("shop", "inbox/shop/d.csv")
    labels = [event["label"] for event in logged() if event["type"] == "said"]
    assert sorted(labels) == ["answered", "answered", "refused", "refused"]
    assert len([event for event in logged() if event["type"] == "summary"]) == 2
