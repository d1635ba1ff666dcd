"""Lengths of time as they are typed: 90s, 10m, 2h, 90d."""

import re
from datetime import timedelta

import click

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
TYPED = re.compile(r"([1-9][0-9]{0,5})([smhd])")


def duration(ctx: click.Context, parameter: click.Parameter, text: str | None) -> timedelta | None:
    """Read an option's length of time, as a callback of click; None if the option is not set."""
    del ctx
    if text is None:
        return None
    match = TYPED.fullmatch(text.strip())
    if match is None:
        raise UsageProblem(
            tr("{option} {time} is no time", option=parameter.opts[0], time=text),
            tr("write it like 90s, 10m, 2h or 90d"),
        )
    return timedelta(**{UNITS[match[2]]: int(match[1])})
