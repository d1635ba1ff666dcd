"""The language of what is said before a command has read its options."""

import re
from pathlib import Path

import pytest

from feedtool.cli import console
from feedtool.cli.console import language_passed_on
from tests.cli.conftest import Feedtool
from tests.messages import ROOT

SPANISH = '[defaults]\nlanguage = "es"\n'

SPOKEN = {
    "as it was asked for": ("validate --help --language fr", {}, "", "Résultat:"),
    "before the command": ("--language fr validate --help", {}, "", "Résultat:"),
    "of all commands": ("--language=fr", {}, "", "Au quotidien:"),
    "of a group": ("catalog --help --language fr", {}, "", "Commandes:"),
    "help of a command": ("help validate --language fr", {}, "", "Résultat:"),
    "by the environment": ("--help", {"FEEDTOOL_LANGUAGE": "fr"}, "", "Au quotidien:"),
    "by the configuration": ("--help", {}, SPANISH, "A diario:"),
    "asked for against both": (
        "--help --language fr",
        {"FEEDTOOL_LANGUAGE": "en"},
        SPANISH,
        "Au quotidien:",
    ),
    "the environment first": ("--help", {"FEEDTOOL_LANGUAGE": "fr"}, SPANISH, "Au quotidien:"),
    "by a named configuration": ("map --help --config own.toml", {}, "", "Opciones:"),
    "a configuration that is broken": ("--help", {}, "[defaults", "Every day:"),
    "a language that is none of ours": ("--help --language de", {}, "", "Every day:"),
    "an argument is no option": ("validate --help -- --language fr", {}, "", "Output:"),
}


@pytest.mark.parametrize(
    ("command", "environment", "configuration", "heading"), SPOKEN.values(), ids=SPOKEN
)
def test_help_is_in_the_known_language(
    *,
    feedtool: Feedtool,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    environment: dict[str, str],
    configuration: str,
    heading: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    Path("own.toml").write_text(SPANISH, "utf-8")
    if configuration:
        Path("feedtool.toml").write_text(configuration, "utf-8")
    ran = feedtool(command)
    assert heading in ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")


REFUSED = {
    "validate --language fr": "erreur\u00a0: Il manque l'argument 'FILE...'.",
    "validate x --language fr --format xml": "erreur\u00a0: Valeur incorrecte pour '--format'",
    "validate x --config lost.toml --language fr": "erreur\u00a0: la configuration lost.toml ne",
    "status --language fr": "erreur\u00a0: indiquez le numéro de l'exécution",
    "runs --last 0 --language es": "error: Valor no válido para '--last': 0 está fuera",
    "submit --dry-rum --language es": "error: No existe la opción '--dry-rum'. ¿Quería decir",
    "--language es validato": "error: no hay ningún comando “validato”",
}


@pytest.mark.parametrize("command", REFUSED)
def test_errors_of_options_are_translated(feedtool: Feedtool, command: str) -> None:
    ran = feedtool(command)
    assert ran.err.startswith(REFUSED[command])
    assert ran.err.splitlines()[1].startswith(("aide\u00a0: ", "ayuda: "))
    assert ran.code == 2


PASSED_ON = {
    "--language fr catalog show": "catalog --language fr show",
    "--language=fr help runs": "help --language=fr runs",
    "runs --language fr": "runs --language fr",
    "--help --language fr": "--help",
    "--language": "",
    "": "",
}


@pytest.mark.parametrize("words", PASSED_ON)
def test_the_language_is_handed_on_to_the_command(words: str) -> None:
    assert language_passed_on(words.split()) == PASSED_ON[words].split()


def test_each_label_of_a_line_is_a_message() -> None:
    sources = "".join(path.read_text("utf-8") for path in ROOT.rglob("*.py"))
    labels = set(re.findall(r'echo\("([^"]+)"', sources))
    assert "error" in labels
    assert labels <= console.LABELS.keys()
