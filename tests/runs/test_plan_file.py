"""A plan in a file: whole, as it was saved, and of what would be sent."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedtool.areas.offers.settings import OfferSettings
from feedtool.check import ReadOptions
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.settings import AccountSettings, Bounds
from feedtool.runs.plan_file import Account, Conditions, conditions_of, differences, load, save
from tests.conftest import Files, checked, offer, planned, update

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CONDITIONS = conditions_of([("offers.csv", "aa")], ReadOptions(), Account())


@pytest.fixture
def place(files: Files) -> Path:
    """A plan of three rows, two of them valid."""
    path = files.csv(offer(1), offer(2, quantity="-1"), offer(3))
    return saved(path, files.folder / "plan.jsonl")


def saved(path: Path, place: Path) -> Path:
    save(place, CONDITIONS, planned(checked(path)), words={}, effects={}, now=NOW)
    return place


def lines(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.read_text("utf-8").splitlines()]


def test_a_plan_holds_the_requests(place: Path) -> None:
    head, first, second, sheet, effects, digest = lines(place)
    assert (head["plan"], head["madeAt"]) == (1, "2026-03-02T09:00:00+00:00")
    assert head["inputs"] == [{"file": "offers.csv", "sha256": "aa"}]
    assert (sheet["rows"], sheet["valid"], sheet["invalid"]) == (3, 2, 1)
    assert [first["row"], second["row"]] == [2, 4]
    assert second["request"]["sellerExternalReference"] == "SKU-3"
    assert (second["package"], second["upload"], second["packageType"]) == (1, 1, "Upsert")
    assert effects == {"effects": {}}
    assert digest["digest"] == load(place).digest


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_edit_is_noticed(place: Path, data: st.DataObject) -> None:
    content = place.read_bytes()
    at = data.draw(st.integers(0, len(content)))
    old = data.draw(st.integers(0, 3))
    new = data.draw(st.binary(max_size=3))
    edited = content[:at] + new + content[at + old :]
    copy = place.with_name("edited.jsonl")
    copy.write_bytes(edited)
    if edited.rstrip() == content.rstrip():  # a line break at the end says nothing
        return
    with pytest.raises(UsageProblem) as raised:
        load(copy)
    assert raised.value.exit is Exit.USAGE


NO_PLANS = {
    "empty": (b"", "is not a plan"),
    "another file": (b"sellerExternalReference;gtin\n", "is not a plan"),
    "a list": (b"[1]\n", "is not a plan"),
    "another form": (b'{"plan": 2}\n', "is of another form, 2"),
    "only its head": (b'{"plan": 1}\n', "not as it was saved"),
    "5,000 digits": (b'{"plan": ' + b"9" * 5000 + b"}\n", "is not a plan"),
    "100,000 brackets": (b'{"plan": 1, "x": ' + b"[" * 100_000 + b"\n", "is not a plan"),
}


@pytest.mark.parametrize(("content", "said"), NO_PLANS.values(), ids=NO_PLANS)
def test_files_that_are_no_plans_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(UsageProblem, match=said):
        load(tmp_path / "p")


ABSURD: dict[str, Any] = {
    "words": [],
    "tool": 7,
    "inputs": [1],
    "seller": {},
    "settings": None,
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_plans_are_refused(place: Path, name: str) -> None:
    """The digest fits: it can be computed by anyone who can write the file."""
    head, *others = lines(place)
    content = "\n".join(json.dumps(line) for line in ({**head, name: ABSURD[name]}, *others[:-1]))
    digest = hashlib.sha256(f"{content}\n".encode()).hexdigest()
    place.write_text(f'{content}\n{{"digest": "sha256:{digest}"}}\n', "utf-8")
    with pytest.raises(UsageProblem, match="is not a plan"):
        load(place)


@pytest.mark.parametrize(
    "line",
    [
        '{"recipes": ' + "[" * 100_000,
        '{"recipes": [' + "9" * 5000 + "]}",
        '{"recipes": 1}',
        '{"recipes": [{"file": 1}]}',
        '{"kept": "a", "gzip": "YQ=="}',
    ],
)
def test_recipes_that_no_command_has_saved(place: Path, tmp_path: Path, line: str) -> None:
    head, *others = place.read_text("utf-8").splitlines()[:-1]
    content = "\n".join([head, line, *others])
    digest = hashlib.sha256(f"{content}\n".encode()).hexdigest()
    place.write_text(f'{content}\n{{"digest": "sha256:{digest}"}}\n', "utf-8")
    with pytest.raises(UsageProblem, match="is not a plan"):
        load(place).recipes(tmp_path, [])


def test_only_plans_are_replaced(place: Path, files: Files) -> None:
    path = files.csv(offer(7))
    assert load(saved(path, place)).digest
    with pytest.raises(UsageProblem, match="exists already, and is not a plan"):
        saved(path, path)


CHANGED = {
    "the same": ([offer(1), offer(3)], None),
    "another price": ([offer(1), offer(3, price__price="99")], "row 3 would be sent otherwise"),
    "one less": ([offer(1), offer(3, quantity="-1")], "row 3 would no longer be sent"),
    "one more": ([offer(1), offer(3), offer(4)], "row 4 would now be sent"),
    "another kind": ([update(1, quantity="3")], "row 2 would be sent otherwise"),
    "an invalid one more": ([offer(1), offer(3), offer(4, quantity="-1")], "rows are judged"),
}


@pytest.mark.parametrize(("rows", "said"), CHANGED.values(), ids=CHANGED)
def test_changed_requests_make_a_plan_unfit(
    files: Files, rows: list[dict[str, str]], said: str | None
) -> None:
    plan = load(saved(files.csv(offer(1), offer(3)), files.folder / "plan.jsonl"))
    sheets = checked(files.csv(*rows))
    if said is None:
        plan.refuse_changes(planned(sheets))
        return
    with pytest.raises(UsageProblem, match=f"no longer fits: .*{said}"):
        plan.refuse_changes(planned(sheets))


INPUT = ("offers.csv", "aa")
SHOP = Account("https://a.example/v2", "12345", "shop")


def made(
    *inputs: tuple[str, str | None],
    account: Account = SHOP,
    dialect: AccountSettings | None = None,
    tool: str = "feedtool 1",
    all_or_nothing: bool = False,
    **asked: Any,
) -> Conditions:
    found = conditions_of(
        inputs or [INPUT],
        ReadOptions(dialect or AccountSettings(), **asked),
        account,
        all_or_nothing=all_or_nothing,
    )
    return {**found, "tool": tool}


def of(**changes: Any) -> Conditions:
    return made(account=SHOP._replace(**changes))


OTHER = AccountSettings(bounds=Bounds(longest_preparation=9))
UNFIT = [
    (made(), made(tool="9"), "it was made by feedtool 1, and this is 9"),
    (made(), made(("offers.csv", "bb")), "the file offers.csv was changed"),
    (made(("-", "aa")), made(("-", "bb")), "standard input holds something else"),
    (made(), made(("b.csv", "bb")), "b.csv is not offers.csv as it was"),
    (made(), made(("offers.csv", None)), "offers.csv cannot be read"),
    (made(), made(INPUT, INPUT), "it is for offers.csv, and not for 2 files"),
    (made(), of(seller="9"), "the seller was 12345, and is 9"),
    (made(), of(service="https://b"), "the service was https://a.example/v2, and is https://b"),
    (made(), of(profile=None), "the profile was shop, and is not set"),
    (made(account=Account(is_sandbox=True)), made(), "it is for the sandbox"),
    (made(), of(is_sandbox=True), "it is not for the sandbox"),
    (
        made(dialect=AccountSettings().having(OfferSettings(vat_scale=1))),
        made(),
        "vat_scale was 1, and is not set",
    ),
    (made(), made(dialect=OTHER), "bounds.longest_preparation was not set, and is 9"),
    (made(), made(channel="SECOND"), "--channel was PRIMARY, and is SECOND"),
    (made(kind="offers-update"), made(), "--as was offers-update, and is not set"),
    (made(), made(purges=True), "--purge-and-replace was not set, and is set"),
    (made(), made(all_or_nothing=True), "--all-or-nothing was not set, and is set"),
    # What still fits.
    (made(), made(), ""),
    (made(), made(("/feeds/offers.csv", "aa")), ""),
    (made(account=Account()), made(), ""),
    (made(), made(dialect=AccountSettings().having(OfferSettings(vat_scale=100))), ""),
    (made(("a.csv", None)), made(("a.csv", None)), ""),
]


@pytest.mark.parametrize(("planned", "now", "said"), UNFIT)
def test_the_differences_that_make_a_plan_unfit(
    planned: Conditions, now: Conditions, said: str
) -> None:
    assert ", ".join(differences(planned, now)) == said
