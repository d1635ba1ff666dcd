"""The conditions on which a plan was made, and how they differ when it is sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from feedtool import __version__
from feedtool.check import ReadOptions
from feedtool.model.text import joined, option_name, tr
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions

Conditions = Mapping[str, Any]
"""The facts that must be the same when a plan is sent, as in its first line."""
CONDITIONS = frozenset(("tool", "inputs", "service", "seller", "profile", "sandbox", "settings"))
Hashes = Sequence[tuple[str, str | None]]
"""Each file's name, and the SHA-256 of its content; None if it cannot be read."""

ACCOUNT_NAMES = {
    "service": tr("the service"),
    "seller": tr("the seller"),
    "profile": tr("the profile"),
}
"""The fields that identify the account, with their names for people."""

TOOL = f"feedtool {__version__}"


class Account(NamedTuple):
    """The account of a plan; None in each field if it was made without one."""

    service: str | None = None
    seller: str | None = None
    profile: str | None = None
    is_sandbox: bool = False


def conditions_of(
    inputs: Hashes, reading: ReadOptions, account: Account, **options: str | bool | None
) -> Conditions:
    """Return the conditions of a command; `options`, by click's names, decide what is sent."""
    by_name = {
        "as": reading.kind,
        "sheet": ", ".join(reading.sheets),
        "channel": reading.channel,
        "purge-and-replace": reading.purges,
        "as-row": list(reading.as_rows),
        **{f"default {key}": value for key, value in reading.defaults.items()},
        **{name.replace("_", "-"): value for name, value in options.items()},
    }
    typed = {f"--{name}": value for name, value in by_name.items() if value}
    return {
        "tool": TOOL,
        "inputs": [{"file": name, "sha256": sha256} for name, sha256 in inputs],
        "service": account.service,
        "seller": account.seller,
        "profile": account.profile,
        "sandbox": account.is_sandbox,
        "settings": {**typed, **dict(_flat(RunOptions(reading, Outputs()).as_json()["dialect"]))},
    }


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def differences(planned: Conditions, now: Conditions) -> Iterator[str]:
    """Yield the reasons why a plan no longer fits: each former value, in a few words."""
    if planned["tool"] != now["tool"]:
        yield tr(
            "it was made by {planned}, and this is {now}", planned=planned["tool"], now=now["tool"]
        )
    yield from _other_inputs(planned["inputs"], now["inputs"])
    for word, name in ACCOUNT_NAMES.items():
        before, after = planned[word], now[word]
        if before is not None and before != after:  # a plan without account fits any
            yield tr("{name} was {shown}, and is {now}", name=name, shown=before, now=_shown(after))
    if planned["sandbox"] != now["sandbox"]:
        is_for = tr("it is for the sandbox")
        yield is_for if planned["sandbox"] else tr("it is not for the sandbox")
    for name in sorted({*planned["settings"], *now["settings"]}):
        before, after = planned["settings"].get(name), now["settings"].get(name)
        if before != after:
            yield tr(
                "{name} was {shown}, and is {now}",
                name=_setting_name(name),
                shown=_shown(before),
                now=_shown(after),
            )


def _other_inputs(planned: Sequence[Conditions], now: Sequence[Conditions]) -> Iterator[str]:
    if len(planned) != len(now):
        names = ", ".join(file["file"] for file in planned)
        yield tr("it is for {names}, and not for {count} files", names=names, count=len(now))
        return
    for then, file in zip(planned, now, strict=True):
        name, present_name = then["file"], file["file"]
        if file["sha256"] is None and then["sha256"] is not None:
            yield tr("{given} cannot be read", given=present_name)
        elif then["sha256"] != file["sha256"] and name == present_name == "-":
            yield tr("standard input holds something else")
        elif then["sha256"] != file["sha256"]:
            is_same = name == present_name
            yield (
                tr("the file {given} was changed", given=present_name)
                if is_same
                else tr("{given} is not {name} as it was", given=present_name, name=name)
            )


def _setting_name(name: str) -> str:
    """Return the name of a setting; an option keeps its argument: `--release price-factor`."""
    option, _, rest = name.partition(" ")
    if not option.startswith("--"):
        return name
    return joined((option_name(option), *filter(None, (rest,))), " ")


def _shown(value: object) -> str:
    if value is None or value is False:
        return tr("not set")
    return tr("set") if value is True else str(value)
