"""Commands whose options are read into a record.

A record declares the options in the order of `--help`. Each of its fields is `Annotated` with an
option, whose parameter has the field's name, or is a record of further options. An option of type
None acts while it is read and has no value.

    class ValidateOptions(Struct, frozen=True, kw_only=True):
        files: Annotated[tuple[str, ...], FILES]
        reading: ReadingOptions
        annotate: Annotated[bool, flag("--annotate", "Also write the annotated copy.")]

    @command_of(ValidateOptions, FixingCommand)
    def validate(ctx: click.Context, options: ValidateOptions) -> int: ...

A class body assigns a default before it reads the annotation, so an option is not named like its
field.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, TypeVar

import click
from msgspec import Struct

from feedtool.cli.help import HelpfulCommand

Record = TypeVar("Record", bound=Struct)
Result = TypeVar("Result")


def command_of(
    record: type[Record],
    kind: type[click.Command] = HelpfulCommand,
    *,
    name: str | None = None,
    group: click.Group | None = None,
) -> Callable[[Callable[[click.Context, Record], Result]], click.Command]:
    """Make a command from a function of a context and a record; add it to the group, if any."""

    def declare(function: Callable[[click.Context, Record], Result]) -> click.Command:
        @wraps(function)
        def run(**values: Any) -> Result:
            return function(click.get_current_context(), read_record(record, values))

        command = click.command(name, kind, params=[*parameters(record)])(run)
        if group:
            group.add_command(command)
        return command

    return declare


def parameters(record: type[Struct]) -> Iterator[click.Parameter]:
    """Click's parameters of a record, in the order of `--help`."""
    for kind in record.__annotations__.values():
        if isinstance(kind, type):
            yield from parameters(kind)
        else:
            yield kind.__metadata__[0]


def read_record(record: type[Record], values: Mapping[str, Any]) -> Record:
    """The record from the values that click has read; values of other options are left out."""
    fields: dict[str, Any] = {}
    for name, kind in record.__annotations__.items():
        if isinstance(kind, type):
            fields[name] = read_record(kind, values)
        elif name in values:
            fields[name] = values[name]
    return record(**fields)
