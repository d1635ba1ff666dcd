"""The programs of the system that tests need; each is a package of Debian with this name."""

import os
import shutil
import subprocess

NAMES = {
    # The headless shell takes a third of the time.
    "chromium-headless-shell": (
        "chromium-headless-shell",
        *("chromium", "chromium-browser", "google-chrome", "chrome"),
    ),
    "pgbouncer": ("/usr/sbin/pgbouncer", "pgbouncer"),
}
"""Package → the possible names of its program, the preferred one first."""


def program(package: str) -> str | None:
    """The path of an installed program, or None."""
    return next(filter(None, map(shutil.which, NAMES[package])), None)


def missing(package: str) -> str:
    """The message of a test that fails since a program is missing; such tests are not skipped."""
    return f"no {package}: `apt install {package}`, or put one on the PATH"


def install() -> None:
    """Install missing programs by Debian's tools, if possible; `tests/run.py` calls this."""
    absent = [package for package, (first, *_) in NAMES.items() if shutil.which(first) is None]
    apt = shutil.which("apt-get")
    if absent and apt and os.geteuid() == 0:
        packages = ("install", "-y", "-qq", "--no-install-recommends", *absent)
        environment = {**os.environ, "RUNLEVEL": "1"}  # no service is started
        for words in (("update", "-qq"), packages):
            subprocess.run(  # noqa: S603  # its own words
                [apt, *words], check=False, stdout=subprocess.DEVNULL, env=environment
            )


if __name__ == "__main__":
    install()
