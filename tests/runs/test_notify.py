"""Notices of runs: real commands, and a real server on loopback."""

import json
import threading
from contextlib import AbstractContextManager
from pathlib import Path
from time import monotonic, sleep

import pytest

from feedtool.model.call import NotSent, Reply
from feedtool.model.errors import UsageProblem
from feedtool.runs.notify import Hook, NoticeAttempt, Notifier, Target, Webhook, as_body, targets_of
from feedtool.service.client import post_json
from feedtool.service.network import Timeouts
from tests.loopback import Served, serving_answers

ONE, TWO = b'{"run": 1}\n', b'{"run": 2}\n'
LONG = 60.0
"""Seconds after which a test would rather fail."""


def post(url: str, body: bytes) -> Reply:
    return post_json(url, body, Timeouts(connect=5, answer=5, whole=5))


def served(*answers: tuple[int, dict[str, str]]) -> AbstractContextManager[Served]:
    """A webhook that gives these answers one after the other, and then 204."""
    left = list(answers)
    return serving_answers(
        lambda _path: (*(left.pop(0) if left else (204, {})), b""), "/secret-path"
    )


def targets_with(hook: str | None, webhook: str | None) -> dict[str, Target]:
    return targets_of(hook, webhook, post)


class Targets:
    """A notifier whose pauses take no time."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.warnings: list[str] = []
        self.notifier = Notifier(
            self.warnings.append, lambda: 1.0, lambda _, seconds: self.pauses.append(seconds)
        )

    def tell(
        self,
        hook: str | None = None,
        webhook: str | None = None,
        *bodies: bytes,
        within: float = LONG,
    ) -> list[str]:
        """All are told, and waited for; the warnings."""
        for body in bodies or (ONE,):
            self.notifier.send(targets_with(hook, webhook), body)
        self.notifier.close(within)
        return self.warnings


@pytest.fixture
def targets() -> Targets:
    return Targets()


def hook(script: Path, code: str) -> str:
    """A command that runs some code, whose second word may be a secret.

    The shell starts in a tenth of Python's time.
    """
    script.write_text(code)
    return f"{SHELL} '{script}'"


SHELL = "/bin/sh"
KEEP = 'cat >> "${0%/*}/told"\n'
FAIL_TWICE = f'{KEEP} [ "$(grep -c run "${{0%/*}}/told")" -ge 3 ] || exit 3\n'


FAILED = "it ended with exit code 3 (tried 6 times)"
Case = tuple[str, list[bytes], bytes, list[float], list[str]]
HOOKS: dict[str, Case] = {
    "each notice": (KEEP, [ONE, TWO], ONE + TWO, [], []),
    "tried again": (FAIL_TWICE, [ONE], ONE * 3, [2, 4], []),
    "warned of": (f"{KEEP} exit 3", [ONE], ONE * 6, [2, 4, 8, 16, 32], [FAILED]),
}


@pytest.mark.parametrize("case", HOOKS.values(), ids=HOOKS)
def test_a_hook_gets_notices_on_its_stdin(targets: Targets, tmp_path: Path, case: Case) -> None:
    code, notices, told, pauses, warnings = case
    found = targets.tell(hook(tmp_path / "hook.sh", code), None, *notices)
    name = f"the hook {SHELL} was not told of a run: "
    assert found == [name + warning for warning in warnings]
    assert (tmp_path / "told").read_bytes() == told
    assert targets.pauses == pauses


def test_a_hook_gets_no_secret(
    targets: Targets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TOKEN", "CLIENT_SECRET", "LEDGER", "PROFILE"):
        monkeypatch.setenv(f"FEEDTOOL_{name}", "kept?")
    seen = tmp_path / "seen"
    assert targets.tell(hook(tmp_path / "hook.sh", f"env | grep 'kept?' > '{seen}'")) == []
    assert seen.read_text() == "FEEDTOOL_PROFILE=kept?\n"


def test_output_of_a_hook_is_discarded(
    targets: Targets, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    targets.tell(hook(tmp_path / "hook.sh", "echo told"))
    out, _ = capfd.readouterr()
    assert out == ""


def test_a_hook_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    command = hook(tmp_path / "hook.sh", "exec sleep 600")
    assert Hook(command, longest=0.05).send(b"{}") == NoticeAttempt("it took longer than 0.05 s")


def test_a_hook_that_is_not_there(targets: Targets) -> None:
    (warning,) = targets.tell("/nowhere/hook --secret")
    assert warning == ("the hook /nowhere/hook was not told of a run: No such file or directory")
    assert targets.pauses == []


def test_waiting_for_a_hook_is_limited(targets: Targets, tmp_path: Path) -> None:
    began = tmp_path / "began"
    code = f"touch '{began}'; exec sleep 600"
    (warning,) = targets.tell(hook(tmp_path / "hook.sh", code), within=0.05)
    assert warning.endswith("was not told of a run within 0.05 s")


# A webhook.


def test_a_webhook_is_posted_to(targets: Targets) -> None:
    with served() as server:
        assert targets.tell(None, server.url) == []
    assert server.bodies == [ONE]
    (headers,) = server.headers
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("feedtool/")
    assert not {"authorization", "sellerid"} & set(headers)


Answers = list[tuple[int, dict[str, str]]]
ELSEWHERE = {"Location": "http://127.0.0.1:9/"}
ANSWERS: dict[str, tuple[Answers, list[float], str]] = {
    "it is broken": ([(500, {}), (503, {})], [2, 4], ""),
    "it says when": ([(429, {"Retry-After": "7"}), (503, {"Retry-After": "9"})], [7, 9], ""),
    "refused": ([(400, {})], [], "it answers HTTP 400"),
    "elsewhere": ([(302, ELSEWHERE)], [], "it answers HTTP 302, which is not followed"),
}


@pytest.mark.parametrize(("answers", "pauses", "said"), ANSWERS.values(), ids=ANSWERS)
def test_a_webhook_is_tried_again_unless_it_will_never_take_it(
    targets: Targets, answers: Answers, pauses: list[float], said: str
) -> None:
    with served(*answers) as server:
        warnings = targets.tell(None, server.url)
    expected = f"the webhook at 127.0.0.1 was not told of a run: {said}"
    assert warnings == ([expected] if said else [])
    assert server.bodies == [ONE] * (len(answers) + (not said))
    assert targets.pauses == pauses


def test_an_absent_webhook_is_reported(targets: Targets) -> None:
    with served() as server:
        url = server.url
    (warning,) = targets.tell(None, url)
    assert "the webhook at 127.0.0.1 was not told of a run: " in warning
    assert warning.endswith("(tried 6 times)")
    assert "secret-path" not in warning


def test_the_address_of_a_webhook_is_hidden_in_failures() -> None:
    def fail(url: str, body: bytes) -> Reply:
        del body
        raise NotSent(f"cannot connect to {url}")

    told = Webhook("https://hooks.example/s3cret", fail).send(b"{}")
    assert told == NoticeAttempt("cannot connect to the webhook at hooks.example")


def test_a_silent_target_does_not_delay_others(targets: Targets, tmp_path: Path) -> None:
    place = tmp_path / "told"
    gate = threading.Event()
    with serving_answers(lambda _path: (204 if gate.wait(LONG) else 500, {}, b"")) as server:
        command = hook(tmp_path / "hook.sh", KEEP)
        targets.notifier.send(targets_with(command, server.url), b"1")
        targets.notifier.send(targets_with(command, None), b"2")
        targets.notifier.send(targets_with(None, server.url), b"3")
        end = monotonic() + LONG
        while monotonic() < end and not (place.exists() and place.read_bytes() == b"12"):
            sleep(0.005)
        targets.notifier.close(0.05)
        gate.set()
    assert place.read_bytes() == b"12"
    # The hook has written what it was told, and may still be on its way out.
    assert "the webhook at 127.0.0.1 was not told of 2 runs within 0.05 s" in targets.warnings


WRONG = {
    "in the open": ("http://hooks.example/x", "without encryption"),
    "no address": ("hooks.example", "is not an address"),
    "another scheme": ("ftp://hooks.example/x", "is not an address"),
    "with a password": ("https://me:secret@hooks.example/x", "is not an address"),
    "a port that is none": ("https://hooks.example:x/", "is not an address"),
    "a quote alone": ("'", "the hook command"),
    "blanks": ("   ", "the hook command"),
}


@pytest.mark.parametrize(("url", "said"), WRONG.values(), ids=WRONG)
def test_targets_that_cannot_be(url: str, said: str) -> None:
    is_hook = "hook command" in said
    with pytest.raises(UsageProblem, match=said) as raised:
        targets_with(url if is_hook else None, None if is_hook else url)
    assert "secret" not in f"{raised.value.message} {raised.value.hint}"


def test_equal_notices_have_the_same_id() -> None:
    one, same, other = (json.loads(as_body({"run": run})) for run in ("1", "1", "2"))
    assert one == same
    assert one["id"] != other.pop("id")
    assert other == {"run": "2"}
    assert as_body({"run": "1"}).endswith(b"\n")
