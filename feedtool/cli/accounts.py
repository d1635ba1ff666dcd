"""The accounts that a command serves while it runs: those of all profiles, and the sandbox's.

Each is reached as if the command line had named it. So options, environment and configuration come
in the one order for every account; and a token that was renewed, or a profile that was fixed,
counts from the next time on.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.cli import options, options_account
from feedtool.cli.errors import Stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.rows import selection_of
from feedtool.cli.typed import read_record
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import joined, tr
from feedtool.runs.config import FILE
from feedtool.runs.page_rights import SANDBOX

if TYPE_CHECKING:
    from feedtool.check import ReadOptions
    from feedtool.cli.notifier import RunNotices
    from feedtool.ledger.records import SellerKey
    from feedtool.model.file_version import Version
    from feedtool.runs.profile import Profile
    from feedtool.runs.recipes import RecipeFolders
    from feedtool.runs.seller_account import PlanningAccount, SellerAccount

    Seen = Mapping[Path, Version | None]

WORDS = "feedtool.words"
"""The key under which a context keeps the words of its command line."""
ACCOUNT = ("base_url", "seller")
"""The options that say whose files are sent, and where."""


class ServingCommand(HelpfulCommand):
    """A command that remembers its words, so that accounts can be named in their midst."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keeps the words on the context."""
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, args)


serving = options.group(
    options_account.sandbox,
    options.configuration,
    options_account.selection,
    options_account.connection,
    options.reading,
    options_account.notifying,
    options.common,
    options.ledger,
)
"""The options that a serving command needs for its accounts."""


class ServedAccounts(Struct, frozen=True):
    """The accounts of a command line, by the names of their profiles; None is its own account."""

    line: click.Context
    stop: Stopping
    notices: "RunNotices"
    needs_channel: bool = False
    """True if each is to have a channel, whatever is sent from it."""
    _lacks: "dict[tuple[str, bool], tuple[Seen, str]]" = field(default_factory=dict)
    """What was found of each, for as long as the files that say so are as they were."""

    @property
    def profiles(self) -> Sequence[str]:
        """The names of all profiles: those of a folder as they are now."""
        return tuple(iter(self._known))

    @property
    def names(self) -> Sequence[str]:
        """All by their names: the command line's own, those of profiles, and the sandbox's.

        Where the command line says both where the service is and who sells, no profile could say
        otherwise, and none is there.
        """
        is_decided = self.own and all(map(self._is_given, ACCOUNT))
        profiles = () if is_decided else self.profiles
        return tuple(dict.fromkeys(filter(None, (self.own, *profiles, SANDBOX))))

    @property
    def own(self) -> str:
        """The name of the account that options alone name, `7@host`; empty where they name none."""
        given = self.line.params
        address, seller = (given[name] or "" for name in ACCOUNT)
        is_named = address and seller if self._known else address or seller
        if given["sandbox"] or given["profile"] or not is_named:
            return ""
        return "@".join(filter(None, (seller, urlsplit(address).netloc or address)))

    @property
    def usual(self) -> str:
        """The name of the account that the command line means, else the first."""
        given = self.line.params
        return SANDBOX if given["sandbox"] else given["profile"] or self.names[0]

    @property
    def _known(self) -> "Mapping[str, Profile]":
        return options.chosen(self.line).config.profiles

    @property
    def sellers(self) -> "Mapping[str, SellerKey]":
        """The seller of each account that names one, by its name; as `seller_of`, and sooner."""
        from feedtool.ledger.records import seller_key
        from feedtool.runs.sellers import known_sellers

        line, given = self.line, self.line.params
        typed = {name: given[name] for name in ACCOUNT if self._is_given(name)}
        seller = options.on_command_line(line, "seller")["seller"] or options.SANDBOX_SELLER
        sandbox, own = seller_key(options.SANDBOX, seller), self.own
        if given["sandbox"]:
            return dict.fromkeys(self.names, sandbox)
        known = {SANDBOX: sandbox} | known_sellers(self._known, typed)
        if own:
            known[own] = seller_key(given["base_url"] or "", given["seller"] or "")
        return {name: known[name] for name in self.names if name in known}

    def _is_given(self, name: str) -> bool:
        """True if an option is typed, or is in the environment, so that it counts for all."""
        return self.line.get_parameter_source(name) in options.SOURCES[:2]

    def is_sandbox(self, name: str) -> bool:
        """True for an account of the embedded sandbox."""
        return bool(self.line.params["sandbox"]) or (name == SANDBOX and SANDBOX not in self._known)

    def of_seller(self, address: str, seller: str) -> str:
        """The name of the account that no profile names, if it is this seller's; else empty."""
        from feedtool.ledger.records import seller_key

        own = self.own
        return own if own and self.sellers[own] == seller_key(address, seller) else ""

    def lack(self, name: str, *, needs_channel: bool = False) -> str:
        """Why nothing can be sent from an account, as far as is known here; empty where it can.

        It is told of hundreds at once, and so is found out anew only when a file has changed.
        """
        from feedtool.model.file_version import version_of

        key = name, needs_channel
        seen, lack = self._lacks.get(key, ({}, ""))
        if not seen or any(version_of(file) != version for file, version in seen.items()):
            seen, lack = self._lack(name, needs_channel=needs_channel)
            self._lacks[key] = seen, lack
        return lack

    def _lack(self, name: str, *, needs_channel: bool) -> "tuple[Seen, str]":
        """What is lacking, and the files that say so as they were before they were read."""
        from feedtool.cli.account import account_options, lacks_of
        from feedtool.model.file_version import version_of

        config = options.chosen(self.line).config
        files = config.path or Path(FILE), *config.files_of(name)
        seen = {file: version_of(file) for file in files}
        try:
            with self._options(name) as (ctx, given):
                account_options(ctx, given)
                if token := given["token_file"]:
                    seen[Path(token)] = version_of(Path(token))
                is_whole = given["sandbox"]
                missing = [] if is_whole else lacks_of(given, needs_channel=needs_channel)
        except FeedtoolError as error:
            return seen, error.message
        return seen, tr("missing: {what}", what=joined(missing)) if missing else ""

    def given(self, name: str | None) -> Mapping[str, Any]:
        """The options of an account by their names, those of its profile too."""
        with self._options(name) as (_, given):
            return given

    @contextmanager
    def reading(self, name: str | None) -> "Iterator[ReadOptions]":
        """How the files of an account are read."""
        with self.planning(name) as account:
            yield account.reading

    def recipes(self, name: str) -> "RecipeFolders":
        """The recipes of an account."""
        from feedtool.cli.files import recipe_folders

        with self._options(name) as (ctx, _):
            return recipe_folders(ctx)

    @contextmanager
    def planning(self, name: str | None) -> "Iterator[PlanningAccount]":
        """An account for a dry run; it needs not even be one."""
        from feedtool.cli.account import account_options
        from feedtool.cli.files import read_options
        from feedtool.cli.planning import account_of
        from feedtool.runs.seller_account import PlanningAccount

        with self._options(name) as (ctx, given):
            account_options(ctx, given)
            reading = read_options(ctx, read_record(options.ReadingOptions, given))
            yield PlanningAccount(reading, selection_of(given), account_of(given))

    @contextmanager
    def open(self, name: str | None) -> "Iterator[SellerAccount]":
        """An account with its session and its records."""
        from feedtool.cli.account import account_options, connect
        from feedtool.cli.export import query_in
        from feedtool.cli.files import read_options
        from feedtool.runs.notify import targets_of
        from feedtool.runs.seller_account import SellerAccount

        with self._options(name) as (ctx, given):
            account_options(ctx, given)
            home, reading = (
                home_folder(given["home"]),
                read_options(ctx, read_record(options.ReadingOptions, given)),
            )
            given["page"] = reading.dialect.report_page_size
            notices = replace(self.notices, profile=given["profile"], targets=targets_of(given))
            with (
                connect(home, given, self.stop, needs_channel=self.needs_channel) as session,
                open_workspace(home, read_record(options.Records, given)) as workspace,
            ):
                yield SellerAccount(
                    session,
                    workspace,
                    reading,
                    partial(notices.run, seller=session.seller),
                    partial(notices.refused, seller=session.seller),
                    selection_of(given),
                    options.language_of(ctx),
                    partial(query_in, ctx),
                )

    def seller_of(self, name: str | None) -> "SellerKey":
        """The seller whose files an account sends."""
        from feedtool.ledger.records import seller_key

        with self._options(name) as (ctx, given):
            if given["sandbox"]:
                seller = options.on_command_line(ctx, "seller")["seller"]
                return seller_key(options.SANDBOX, seller or options.SANDBOX_SELLER)
            # Those of which nothing can be sent share nothing.
            return seller_key(given["base_url"] or "", given["seller"] or given["profile"] or "")

    def _options(
        self, name: str | None
    ) -> AbstractContextManager[tuple[click.Context, dict[str, Any]]]:
        if name == SANDBOX and name not in self._known:
            return options_with(self.line, "--base-url", "", "--profile", "", "--sandbox")
        is_named = name is not None and name not in {"", self.own}
        return options_with(self.line, *(("--profile", str(name)) if is_named else ()))


@contextmanager
def options_with(line: click.Context, *more: str) -> Iterator[tuple[click.Context, dict[str, Any]]]:
    """The options of a command line with some more, of which the terminal takes no notice."""
    words = list(line.meta[WORDS])
    end = words.index("--") if "--" in words else len(words)
    words[end:end] = more  # the last one named counts
    silent = options.ChosenProfile(is_shown=False)
    with line.command.make_context(line.info_name, words, obj=silent) as ctx:
        yield ctx, dict(ctx.params)
