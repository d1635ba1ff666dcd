"""Tab completes commands, options and what can be chosen, and never says or changes anything."""

import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, made_by
from tests.conftest import Files, offer
from tests.forked import forking

CONFIGURATION = '[profile.shop]\nbase_url = "https://shop.example/v2"\n[profile.stall]\n'


def completed(feedtool: Feedtool, words: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The completions of `feedtool WORDS`, each with its meaning behind a colon, for zsh."""
    line = f"feedtool {words}"
    monkeypatch.setenv("_FEEDTOOL_COMPLETE", "zsh_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(f"{line}|".split()) - 1))
    ran = feedtool()
    monkeypatch.delenv("_FEEDTOOL_COMPLETE")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.strip().splitlines()
    batched = zip(lines[::3], lines[1::3], lines[2::3], strict=True)
    return [f"{value}: {meaning}" for _, value, meaning in batched]


@pytest.fixture
def _shop(catalogue: Path) -> None:
    """A home with a catalogue and two runs, and two profiles twice, one of them broken."""
    del catalogue
    Path("feedtool.toml").write_text(CONFIGURATION, "utf-8")
    Path("sellers").mkdir()
    Path("sellers/south.toml").write_text('base_url = "https://south.example/v2"', "utf-8")
    Path("sellers/sad.toml").write_text("base_url = ", "utf-8")


COMPLETED = {
    "resu": ["resume: Go on with a run", "results: Fetch the answers"],
    "catalog s": ["search: Find categories", "show: Show one", "sync: Download"],
    "submit --dry": ["--dry-run: Stop after the plan and show it; send nothing."],
    "submit --plan lost.plan --dry": ["--dry-run: Stop"],
    "validate --format json": ["json: _", "jsonl: _"],
    "validate --as offers-d": ["offers-delete: Offers that are removed"],
    "convert a.csv b.xlsx --to offers-d": ["offers-delete: Offers"],
    "template prod": ["products: "],
    "explain gtin": ["gtin-checksum: The check digit is wrong.", "gtin-format: "],
    "explain Reje": ["Rejected: "],
    "submit --release mass-removal,price-f": ["mass-removal,price-factor: "],
    "validate --fix round,sto": ["round,stock: "],
    "submit --profile s": ["shop: https://shop.example/v2", "stall: _"],
    "template products --category 01,0102": [r"01,0102: ", r"01,010201: "],
    "catalog show 010201": ["010201: Cups and mugs"],
    "results 9": [],
    "xyzzy ": [],
    "submit --config lost.toml --profile ": [],
    "submit --profiles sellers --profile s": [
        "shop: https://shop.example/v2",
        "stall: _",
        "sad: _",
        "south: https://south.example/v2",
    ],
}


@pytest.mark.usefixtures("_shop")
def test_completions_of_words(feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, wanted in COMPLETED.items():
        entries = completed(feedtool, words, monkeypatch)
        begun = [entry[: len(start)] for start, entry in zip(wanted, entries, strict=False)]
        assert begun == wanted, words
        assert bool(entries) is bool(wanted), words


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody with two runs."""
    folder = tmp_path_factory.mktemp("runs")
    names = ("monday.csv", "tuesday.csv")
    for number, name in enumerate(names):
        Files(folder).csv(offer(number), name=name)
    return made_by(folder, *(f"submit {name} --sandbox" for name in names))


TAKE_RUNS = ("results", "resume", "status", "undo", "runs --abandon", "diff")


def test_runs_are_the_newest_first(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    for command in TAKE_RUNS:
        # No runs but for files.
        assert completed(feedtool, f"{command} ", monkeypatch)[-1:] in ([], [": _"]), command
        assert not Path("home").exists()
    shutil.copytree(home, "home")
    before = Path("home/ledger.sqlite").read_bytes()
    for command in TAKE_RUNS:
        runs = completed(feedtool, f"{command} ", monkeypatch)[-2:]
        named = [run.partition(" 20")[0] for run in runs]
        assert named == ["2: tuesday.csv", "1: monday.csv"], command
        assert Path("home/ledger.sqlite").read_bytes() == before


LEDGERS = {"of an earlier version": b"", "broken": b"no ledger at all, but a text of some length"}


@pytest.mark.parametrize("content", LEDGERS.values(), ids=LEDGERS)
def test_a_ledger_that_cannot_be_read_is_left_alone(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    ledger = Path("home/ledger.sqlite")
    ledger.parent.mkdir()
    ledger.write_bytes(content)
    if not content:
        sqlite3.connect(ledger).execute("CREATE TABLE runs (number INTEGER)").connection.close()
    before = ledger.read_bytes()
    assert completed(feedtool, "results ", monkeypatch) == []
    assert ledger.read_bytes() == before
    assert [path.name for path in ledger.parent.iterdir()] == ["ledger.sqlite"]


def test_meanings_are_in_the_language_of_the_configuration(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("feedtool.toml").write_text('[defaults]\nlanguage = "fr"\n', "utf-8")
    (entry,) = completed(feedtool, "validate --as offers-del", monkeypatch)
    assert "offres" in entry


SCRIPTS = {
    "bash": "complete -o nosort -F _feedtool_completion feedtool",
    "zsh": "compdef _feedtool_completion feedtool",
    "fish": "complete --no-files --command feedtool",
    "powershell": "Register-ArgumentCompleter -Native -CommandName feedtool",
}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_of_a_shell(feedtool: Feedtool, shell: str) -> None:
    ran = feedtool(f"completion {shell}")
    assert (ran.code, ran.err) == (0, "")
    assert SCRIPTS[shell] in ran.out
    assert f"{shell}_complete" in ran.out


BASH = shutil.which("bash") or ""


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_bash_completes() -> None:
    script = """
        PATH="$PWD:$PATH"
        eval "$(feedtool completion bash)"
        COMP_WORDS=(feedtool validate --as offers-u); COMP_CWORD=3
        _feedtool_completion feedtool
        echo "${COMPREPLY[@]}"
    """
    with forking(Path.cwd()):
        ran = subprocess.run(  # noqa: S603  # our own script
            [BASH, "-c", script], capture_output=True, check=True
        )
    assert ran.stdout.decode().split() == ["offers-update", "offers-upsert"]
    assert ran.stderr == b""
