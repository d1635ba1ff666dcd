"""The Dockerfile and compose.yaml: their commands exist, and their names are declared."""

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from feedtool.cli import feedtool

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE: Mapping[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: Mapping[str, Mapping[str, Any]] = COMPOSE["services"]
PAGE = (ROOT / "docs" / "fleet.md").read_text("utf-8")
OURS = [name for name, service in SERVICES.items() if "build" in service]


def words_of(service: Mapping[str, Any]) -> Iterator[list[str]]:
    """The calls of feedtool in a service: its command, and perhaps its health check."""
    yield service["command"]
    test = service["healthcheck"]["test"]
    if test[0] == "CMD-SHELL":
        yield shlex.split(test[1].removesuffix(" || exit 1"))[1:]


def called() -> Iterator[list[str]]:
    (command,) = re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    (check,) = re.findall(
        r"^HEALTHCHECK .* CMD feedtool (.*) \|\| exit 1$", DOCKERFILE, re.MULTILINE
    )
    yield yaml.safe_load(command)
    yield check.split()
    for name in OURS:
        yield from words_of(SERVICES[name])


@pytest.mark.parametrize("words", [*called()], ids=" ".join)
def test_each_command_is_one(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FEEDTOOL_HOME", raising=False)
    name, *rest = words
    with click.Context(feedtool) as above:
        command = feedtool.get_command(above, name)
        assert command
        assert command.make_context(name, rest, above).args == []


def test_the_image_has_the_extras_that_there_are() -> None:
    (names,) = re.findall(r"'/source\[(.*)\]'", DOCKERFILE)
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(names.split(",")) == set(declared["optional-dependencies"]) - {"dev"}


def test_the_parts_of_a_fleet_are_there() -> None:
    commands = {name: SERVICES[name]["command"][0] for name in OURS}
    assert commands == {"worker": "worker", "watcher": "watch", "page": "page"}
    assert SERVICES["worker"]["deploy"] == {"replicas": 2}
    is_open = any("ports" in service for service in SERVICES.values())
    assert not is_open, "nobody gets in from outside"
    for service in SERVICES.values():
        assert service["healthcheck"]["test"]
        assert service["restart"]
    for name in OURS:
        assert SERVICES[name]["depends_on"] == {"postgres": {"condition": "service_healthy"}}


def test_mounts_are_declared_and_belong_to_the_user() -> None:
    mounts = [mount for service in SERVICES.values() for mount in service["volumes"]]
    volumes = {mount.partition(":")[0] for mount in mounts if mount[0] != "."}
    assert volumes == set(COMPOSE["volumes"])
    (made,) = re.findall(r"install -d -o feedtool (.*)$", DOCKERFILE, re.MULTILINE)
    own_mounts = [mount.split(":") for name in OURS for mount in SERVICES[name]["volumes"]]
    assert {path for source, path, *_ in own_mounts if source[0] != "."} <= set(made.split())


def test_docs_list_files_to_put_beside_compose_yaml() -> None:
    files = {file for service in SERVICES.values() for file in service["env_file"]}
    mounted = {
        mount.split(":")[0].removeprefix("./")
        for service in SERVICES.values()
        for mount in service["volumes"]
        if mount[0] == "."
    }
    section = PAGE.partition("## In containers")[2]
    assert set(re.findall(r"^\| `(\S+)` \|", section, re.MULTILINE)) == files | mounted


def test_compose_yaml_holds_no_secret() -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    assert not re.search(r"(?i)(password|token|secret)\S*\s*[:=]\s*\S", re.sub("#.*", "", text))
