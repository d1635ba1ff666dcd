"""The conditions on which a plan was made, and which of them no longer hold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from feedtool import __version__
from feedtool.check import ReadOptions
from feedtool.runs.annotated_copy import Outputs
from feedtool.runs.run_record import RunOptions

TOOL = f"feedtool {__version__}"
STDIN = "-"


class Account(NamedTuple):
    """The account that a plan is for; None where it was made without one."""

    service: str | None = None
    seller: str | None = None
    profile: str | None = None
    is_sandbox: bool = False


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions that must be the same when a plan is sent."""

    inputs: Sequence[tuple[str, str | None]]
    """Each file's name as it was given, and the SHA-256 of its content; None: it cannot be read."""
    account: Account
    settings: Mapping[str, Any]
    """Of reading files and making requests, as far as they are not the default."""
    tool: str

    def as_json(self) -> dict[str, Any]:
        """As a plan's first line has it."""
        return {
            "tool": self.tool,
            "inputs": [{"file": name, "sha256": sha256} for name, sha256 in self.inputs],
            "service": self.account.service,
            "seller": self.account.seller,
            "profile": self.account.profile,
            "sandbox": self.account.is_sandbox,
            "settings": dict(self.settings),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Conditions":
        """From what `as_json` made; KeyError, TypeError or ValueError for anything else."""
        return cls(
            [(file["file"], file["sha256"]) for file in document["inputs"]],
            Account(*(document[name] for name in ("service", "seller", "profile", "sandbox"))),
            dict(document["settings"]),
            document["tool"],
        )


def conditions_of(
    inputs: Sequence[tuple[str, str | None]],
    asked: ReadOptions,
    account: Account,
    **options: bool,
) -> Conditions:
    """Those of a command; `options` are those that decide what is sent, by click's names."""
    settings = RunOptions([], asked, Outputs()).as_json()["dialect"]
    named = {
        "as": asked.kind,
        "sheet": asked.sheet,
        "channel": asked.channel,
        "purge-and-replace": asked.purges,
        "as-row": list(asked.as_rows),
        **{name.replace("_", "-"): value for name, value in options.items()},
    }
    typed = {f"--{name}": value for name, value in named.items() if value}
    return Conditions(inputs, account, {**typed, **dict(_flat(settings))}, TOOL)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def unfit(planned: Conditions, now: Conditions) -> list[str]:
    """The reasons why a plan no longer fits: what was other then, each in a few words."""
    return [
        *([f"it was made by {planned.tool}, and this is {now.tool}"] * (planned.tool != now.tool)),
        *_other_inputs(planned.inputs, now.inputs),
        *_other_account(planned.account, now.account),
        *(
            f"{name} was {_shown(before)}, and is {_shown(after)}"
            for name in sorted({*planned.settings, *now.settings})
            if (before := planned.settings.get(name)) != (after := now.settings.get(name))
        ),
    ]


def _other_inputs(
    planned: Sequence[tuple[str, str | None]], now: Sequence[tuple[str, str | None]]
) -> Iterator[str]:
    if len(planned) != len(now):
        names = ", ".join(name for name, _ in planned)
        yield f"it is for {names}, and not for {len(now)} files"
        return
    for (name, before), (given, after) in zip(planned, now, strict=True):
        if after is None and before is not None:
            yield f"{given} cannot be read"
        elif before != after and name == STDIN == given:
            yield "standard input holds something else"
        elif before != after:
            is_same = name == given
            yield f"the file {given} was changed" if is_same else f"{given} is not {name} as it was"


def _other_account(planned: Account, now: Account) -> Iterator[str]:
    """The differences of the account; any will do if the plan was made without one."""
    for word in ("service", "seller", "profile"):
        before, after = getattr(planned, word), getattr(now, word)
        if before is not None and before != after:
            yield f"the {word} was {before}, and is {_shown(after)}"
    if planned.is_sandbox != now.is_sandbox:
        yield f"it is {'' if planned.is_sandbox else 'not '}for the sandbox"


def _shown(value: object) -> str:
    if value is None or value is False:
        return "not set"
    return "set" if value is True else str(value)
