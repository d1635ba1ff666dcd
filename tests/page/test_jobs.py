"""Jobs: one of a key at a time, and no error of one ends the page."""

from collections.abc import Iterator
from threading import Event

import pytest

from feedtool.model.errors import UsageProblem
from feedtool.page.jobs import Job, Jobs

LONG = 30.0
"""Seconds that nothing here takes."""


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs(lambda error: f"/tmp/{type(error).__name__}.txt")  # noqa: S108  # only its text
    yield jobs
    jobs.close()


def test_a_working_job_of_a_key_is_not_started_again(jobs: Jobs) -> None:
    go_on = Event()
    first = jobs.start("check 1", "check", lambda _: waiting(go_on))
    assert jobs.start("check 1", "check", lambda _: None) is first
    assert not first.is_over
    go_on.set()
    first.wait(LONG)
    assert jobs.start("check 1", "check", lambda _: None) is not first


def waiting(event: Event) -> None:
    event.wait(LONG)


def test_an_error_is_kept_for_the_page(jobs: Jobs) -> None:
    def fail(_: Job) -> None:
        raise UsageProblem("no", "do this")

    job = jobs.start("a", "check", fail)
    job.wait(LONG)
    assert (job.error and job.error.message, job.error and job.error.hint) == ("no", "do this")


def test_a_bug_is_reported_without_a_traceback(jobs: Jobs) -> None:
    def break_down(_: Job) -> None:
        raise ZeroDivisionError

    job = jobs.start("a", "check", break_down)
    job.wait(LONG)
    assert job.error
    assert job.error.message == "this is a bug in feedtool: ZeroDivisionError"
    assert "/tmp/ZeroDivisionError.txt" in job.error.hint  # noqa: S108  # only its text


def test_a_wait_ends_when_a_run_is_begun_and_the_run_leads_to_its_job(jobs: Jobs) -> None:
    go_on = Event()

    def deliver(job: Job) -> None:
        job.begin_run(7)
        go_on.wait(LONG)

    job = jobs.start("send x", "delivery", deliver)
    job.wait(LONG)
    assert (job.is_over, jobs.of_run(7), jobs.of_run(8)) == (False, job, None)
    go_on.set()


def test_a_check_ends_with_the_page() -> None:
    jobs, begun = Jobs(str), Event()

    def check(job: Job) -> None:
        begun.set()
        while True:
            job.count(1)

    job = jobs.start("check 1", "check", check)
    begun.wait(LONG)
    jobs.close()
    assert job.error
    assert job.error.message == "the page is ending"
