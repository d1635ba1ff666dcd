"""Requests that the guards let through, and the headers of answers."""

import pytest

from feedtool.page.access import (
    CONTENT_POLICY,
    GUARDS,
    HEADERS,
    Guard,
    SharedAccess,
    denial_of,
    facts_of,
    with_headers,
)
from tests.page.requests import ANNA, CASES, NAME, PROXY, Case


def status_of(case: Case, guards: tuple[Guard, ...] = tuple(GUARDS)) -> int | None:
    header = case.access.user_header if isinstance(case.access, SharedAccess) else ""
    denial = denial_of(facts_of(case.environ, header), case.access, guards)
    return int(denial.status) if denial else None


def test_guards() -> None:
    statuses = {name: status_of(case) for name, case in CASES.items()}
    assert statuses == {name: case.status for name, case in CASES.items()}


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_no_guard_could_be_missed(guard: Guard) -> None:
    others = tuple(other for other in GUARDS if other is not guard)
    assert [name for name, case in CASES.items() if status_of(case, others) != case.status]


def test_a_refusal_names_its_reason_and_hides_the_page() -> None:
    case = CASES["shared, a stranger"]
    denial = denial_of(facts_of(case.environ, "Remote-User"), case.access)
    assert denial
    assert "eve@example.org has no rights here" in denial.text
    assert not any(secret in denial.text for secret in (ANNA, NAME, PROXY))


FILE = [("Content-Disposition", "attachment; filename=report.html")]


def test_headers_of_every_answer() -> None:
    given = [("Content-Type", "text/html"), ("cache-control", "public"), ("Referrer-Policy", "x")]
    assert with_headers(given) == [("Content-Type", "text/html"), *HEADERS.items()]
    assert dict(HEADERS) == {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'",
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


def test_a_downloaded_file_runs_no_script() -> None:
    headers = dict(with_headers(FILE))
    assert headers["Content-Security-Policy"] == f"{CONTENT_POLICY}; sandbox"
    assert headers["Content-Disposition"] == FILE[0][1]
