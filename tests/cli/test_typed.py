"""A record declares the options of a command, in order, and gets what click has read."""

from typing import Annotated

import click
from msgspec import Struct

from feedtool.cli import feedtool as commands
from feedtool.cli.help import HelpfulGroup
from feedtool.cli.options import count, option, text
from feedtool.cli.typed import command_of, read_record

SEEN: list[str] = []


def _note(_: click.Context, parameter: click.Parameter, value: object) -> None:
    if value:
        SEEN.append(str(parameter.name))


class Shelf(Struct, frozen=True, kw_only=True):
    shelf: Annotated[int | None, count("--shelf", "Its number.")] = None
    note: Annotated[None, option("--note", is_flag=True, expose_value=False, callback=_note)] = None


class StoreOptions(Struct, frozen=True, kw_only=True):
    what: Annotated[str, click.Argument(["what"])]
    place: Shelf
    kind: Annotated[str | None, text("--as kind", "KIND", "What it is.")]


store = HelpfulGroup("store")


@command_of(StoreOptions, group=store)
def put(ctx: click.Context, options: StoreOptions) -> tuple[str | None, StoreOptions]:
    """Put something somewhere."""
    return ctx.command.name, options


def test_options_are_read_into_the_record() -> None:
    words = ["put", "tea", "--as", "drink", "--shelf", "3", "--note"]
    name, options = store.main(words, "store", standalone_mode=False)
    assert name == "put"
    assert options == StoreOptions(what="tea", place=Shelf(shelf=3), kind="drink")
    assert SEEN == ["note"]


def test_options_are_in_the_order_of_the_record() -> None:
    assert [option.name for option in put.params] == ["what", "shelf", "note", "kind"]
    assert put.help == "Put something somewhere."


def test_values_of_other_options_are_left_out() -> None:
    assert read_record(Shelf, {"shelf": 2, "what": "tea"}) == Shelf(shelf=2)


def test_no_parameter_is_twice_in_a_command() -> None:
    for command in commands.every():
        names = [parameter.name for parameter in command.params]
        assert len(names) == len({*names}), command.name
