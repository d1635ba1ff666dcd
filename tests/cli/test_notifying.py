"""`--hook`, `--webhook` and `--log`, as a user's run has them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer, table
from tests.runs.test_notify import served

LOG, TOLD = Path("log.jsonl"), Path("told")


def lines(path: Path = TOLD) -> list[dict[str, Any]]:
    """The notices that the hook was given, or the events of the log."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def hook_into(place: Path) -> str:
    """A command that adds its input to a file."""
    script = place.with_suffix(".sh")
    script.write_text(f"cat >> '{place}'\n", "utf-8")
    return f"/bin/sh '{script}'"


@pytest.fixture
def hook(tmp_path: Path) -> str:
    return hook_into(tmp_path / TOLD)


@pytest.fixture
def file(files: Files) -> Path:
    return files.csv(offer(1), offer(2, quantity="-1"))


def test_notices_have_the_names_of_json(feedtool: Feedtool, file: Path, hook: str) -> None:
    with served() as server:
        options = ("--hook", hook, "--webhook", server.url)
        ran = feedtool("submit", file.name, "--sandbox", "--format", "json", *options)
    assert ran.code == 1, ran.err
    (notice,) = lines()
    assert server.bodies == [TOLD.read_bytes()]
    assert (notice["event"], notice["command"], notice["exitCode"]) == ("run", "submit", 1)
    assert (notice["seller"], notice["profile"], notice["stopped"]) == ("sandbox", None, None)
    shown = {name: value for name, value in ran.only.items() if name not in {"problems", "results"}}
    assert notice["files"] == [{**shown, "statuses": {"Invalid": 1, "Integrated": 1}}]


@pytest.mark.parametrize("options", ["--dry-run", "--dry-run --save-plan p"])
def test_a_dry_run_sends_no_notice(feedtool: Feedtool, file: Path, hook: str, options: str) -> None:
    assert feedtool(f"submit {file.name} --sandbox {options} --hook", hook).code == 1
    assert not TOLD.exists()


def test_each_resumed_run_notifies_its_own_targets(
    feedtool: Feedtool, files: Files, hook: str
) -> None:
    settings = '[defaults]\nhook = "/nowhere/hook"\n[profile.shop]\nhook = """{}"""\n'
    settings += 'seller = "5"\nlog = "log.jsonl"\n'
    Path("feedtool.toml").write_text(settings.format(hook))
    one, other = files.csv(offer(1), name="a.csv"), files.csv(offer(2), name="b.csv")
    feedtool("submit", one, "--sandbox", "--no-wait")
    feedtool("submit", other, "--sandbox", "--no-wait", "--profile", "shop")
    assert lines()[0]["profile"] == lines(LOG)[0]["profile"] == "shop"
    TOLD.unlink()
    ran = feedtool("resume")
    assert ran.code == 0
    assert ran.err.count("/nowhere/hook was not told of a run") == 1
    (notice,) = lines()
    assert (notice["command"], notice["profile"], notice["exitCode"]) == ("resume", "shop", 0)
    assert [file["run"] for file in notice["files"]] == ["2"]


def test_the_log_has_one_event_a_line_and_stopped_runs_send_notices(
    feedtool: Feedtool, file: Path, hook: str
) -> None:
    for more in ((), ("--token", "wrong", "--hook", hook)):
        feedtool("submit", file, "--sandbox", "--no-failed", "--log", LOG, *more)
    (notice,) = lines()
    assert (notice["exitCode"], "token" in notice["stopped"]["message"]) == (4, True)
    events = lines(LOG)
    assert all(event["at"].endswith("+00:00") for event in events)
    types = [event["type"] for event in events]
    first = types[: types.index("ended") + 1]
    assert first == ["started", *["progress"] * (len(first) - 4), "summary", "said", "ended"]
    assert len(first) > 5
    assert [event["exitCode"] for event in events if event["type"] == "ended"] == [1, 4]
    (said,) = [event for event in events if event.get("label") == "error"]
    assert "token" in said["text"]
    progress = {event["kind"] for event in events if event["type"] == "progress"}
    assert {"created", "upload", "committed", "closed"} <= progress


def test_a_failed_notice_is_a_warning_without_secrets(
    feedtool: Feedtool, file: Path, hook: str
) -> None:
    with served((400, {})) as server:
        targets = ("--webhook", server.url, "--hook", f"{hook} --key hush", "--log", LOG)
        told = feedtool("submit", file, "--sandbox", "--no-failed", *targets)
        feedtool("submit", file, "--sandbox", "--token", "very-secret-token", *targets)
    content = LOG.read_text("utf-8")
    for secret in ("very-secret-token", "secret-path", "hush"):
        assert secret not in content + told.err
    assert '"label": "warning"' in content
    assert told.code == 1
    assert told.err.startswith("warning: the webhook at 127.0.0.1 was not told of a run: ")


def test_a_watched_folder_sends_a_notice_for_each_file(
    feedtool: Feedtool, files: Files, hook: str
) -> None:
    other = hook_into(files.folder / "told-shop")
    files.text(
        f'[defaults]\nhook = """{hook}"""\n[profile.shop]\nhook = """{other}"""\n', "feedtool.toml"
    )
    dropped = {"a.csv": table([offer(1)]), "b.csv": "x,y\n1,2\n"}
    dropped |= {"nobody/c.csv": table([offer(3)]), "shop/d.csv": table([offer(4)])}
    for name, content in dropped.items():
        files.text(content, f"feeds/inbox/{name}")
    quick = ("--once", "--settle", "0.01", "--poll", "0.01", "--sandbox")
    ran = feedtool("watch feeds", *quick, "--log", LOG)
    assert ran.code == 3, ran.err
    run, unread, astray = sorted(lines(), key=lambda notice: str(notice.get("file")))
    assert (run["event"], run["files"][0]["file"]) == ("run", "inbox/a.csv")
    assert (unread["event"], unread["file"]) == ("refused", "inbox/b.csv")
    assert (astray["event"], astray["file"]) == ("refused", "inbox/nobody/c.csv")
    assert unread["error"]["message"].startswith("no row looks like a header; the widest one has")
    (shops,) = lines(Path("told-shop"))
    assert (shops["profile"], shops["files"][0]["file"]) == ("shop", "inbox/shop/d.csv")
    events = lines(LOG)
    labels = [event["label"] for event in events if event["type"] == "said"]
    assert sorted(labels) == ["answered", "answered", "refused", "refused"]
    assert [event["type"] for event in events].count("summary") == 2
