"""The accounts that a command serves while it runs: those of all profiles, and the sandbox's.

Each is read as if the command line had named its profile. So options, environment and configuration
have the same precedence for every account, and a renewed token or a corrected profile is used from
the next time on.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import click
from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.cli.console import StopSignal
from feedtool.cli.files import Selecting, read_options, recipe_folders, selection_of
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.options import SANDBOX as SANDBOX_ADDRESS
from feedtool.cli.options import (
    SANDBOX_SELLER,
    SOURCES,
    ChosenProfile,
    Common,
    Configuration,
    ReadingOptions,
    Records,
    chosen,
    language_of,
    on_command_line,
)
from feedtool.cli.options_account import SANDBOX_OPTION, ConnectionOptions, Notifying
from feedtool.cli.typed import read_record
from feedtool.model.errors import FeedtoolError
from feedtool.model.file_version import version_of
from feedtool.model.text import joined, tr
from feedtool.runs.config import FILE, SANDBOX

if TYPE_CHECKING:
    from feedtool.check import ReadOptions
    from feedtool.cli.notifier import RunNotices
    from feedtool.ledger.records import SellerKey
    from feedtool.model.file_version import Version
    from feedtool.runs.profiles import Profile
    from feedtool.runs.recipes import RecipeFolders
    from feedtool.runs.sellers import PlanningAccount, SellerAccount

    Seen = Mapping[Path, Version | None]

WORDS = "feedtool.words"
"""The key under which a context keeps the words of its command line."""
ACCOUNT = ("base_url", "seller")
"""The options that identify the seller: the address of the service and the SellerId."""


class ServingCommand(HelpfulCommand):
    """A command that keeps its words, so that it can be read again with another profile."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, args)


class Serving(Struct, frozen=True, kw_only=True):
    """The options of a serving command for its accounts."""

    sandbox: Annotated[bool, SANDBOX_OPTION]
    configuration: Configuration
    selecting: Selecting
    connection: ConnectionOptions
    reading: ReadingOptions
    notifying: Notifying
    common: Common
    records: Records


class ServedAccounts(Struct, frozen=True):
    """The accounts of a command line, by the names of their profiles.

    None means the account that the options alone describe.
    """

    line: click.Context
    stop: StopSignal
    notices: "RunNotices"
    needs_channel: bool = False
    """True if each account needs a channel, also to send products."""
    _lacks: "dict[tuple[str, bool], tuple[Seen, str]]" = field(default_factory=dict)
    """Results of `lack` by account, each valid until one of the files it was read from changes."""

    @property
    def profiles(self) -> Sequence[str]:
        """The names of all profiles; a folder of profiles is listed anew each time."""
        return tuple(iter(self._known))

    @property
    def names(self) -> Sequence[str]:
        """The names of all accounts: that of the options alone, those of profiles, the sandbox's.

        If the options decide both address and seller, no profile can change them, so none is
        listed.
        """
        is_decided = self.options_account and all(map(self._is_set, ACCOUNT))
        profiles = () if is_decided else self.profiles
        return tuple(dict.fromkeys(filter(None, (self.options_account, *profiles, SANDBOX))))

    @property
    def options_account(self) -> str:
        """The name of the account that the options alone describe, `7@host`; empty for none."""
        options = self._options
        address, seller = options.connection.base_url or "", options.connection.seller or ""
        is_named = address and seller if self._known else address or seller
        if options.sandbox or options.configuration.profile or not is_named:
            return ""
        return "@".join(filter(None, (seller, urlsplit(address).netloc or address)))

    @property
    def usual(self) -> str:
        """The name of the account that the command line selects, else the first."""
        options = self._options
        return SANDBOX if options.sandbox else options.configuration.profile or self.names[0]

    @property
    def _options(self) -> Serving:
        return read_record(Serving, self.line.params)

    @property
    def _known(self) -> "Mapping[str, Profile]":
        return chosen(self.line).config.profiles

    @property
    def sellers(self) -> "Mapping[str, SellerKey]":
        """Account → its seller, if it has one; as `seller_of`, but faster for many accounts."""
        from feedtool.ledger.records import seller_key
        from feedtool.runs.sellers import known_sellers

        options, options_account = self._options, self.options_account
        address, seller = options.connection.base_url or "", options.connection.seller or ""
        sandbox = seller_key(SANDBOX_ADDRESS, _sandbox_seller(self.line))
        if options.sandbox:
            return dict.fromkeys(self.names, sandbox)
        settings = {"base_url": address, "seller": seller}
        typed = {name: value for name, value in settings.items() if self._is_set(name)}
        known = {SANDBOX: sandbox} | known_sellers(self._known, typed)
        if options_account:
            known[options_account] = seller_key(address, seller)
        return {name: known[name] for name in self.names if name in known}

    def _is_set(self, name: str) -> bool:
        """True if an option is typed or in the environment, and so applies to all accounts."""
        return self.line.get_parameter_source(name) in SOURCES[:2]

    def is_sandbox(self, name: str) -> bool:
        return self._options.sandbox or (name == SANDBOX and SANDBOX not in self._known)

    def of_seller(self, address: str, seller: str) -> str:
        """The name of the options' account if it has this seller; else empty."""
        from feedtool.ledger.records import seller_key

        name = self.options_account
        return name if name and self.sellers[name] == seller_key(address, seller) else ""

    def lack(self, name: str, *, needs_channel: bool = False) -> str:
        """The reason why nothing can be sent from an account, without a request; empty for none.

        It is shown for hundreds of accounts at once, so it is worked out again only after a file
        has changed.
        """
        key = name, needs_channel
        seen, lack = self._lacks.get(key, ({}, ""))
        if not seen or any(version_of(file) != version for file, version in seen.items()):
            seen, lack = self._lack(name, needs_channel=needs_channel)
            self._lacks[key] = seen, lack
        return lack

    def _lack(self, name: str, *, needs_channel: bool) -> "tuple[Seen, str]":
        """The reason, and the versions of the files that it depends on, taken before reading."""
        from feedtool.cli.session import chosen_account, missing_settings

        config = chosen(self.line).config
        files = config.path or Path(FILE), *config.files_of(name)
        seen = {file: version_of(file) for file in files}
        try:
            with self._named(name) as ctx:
                account = chosen_account(ctx)
                if token := account.connection.tokens.token_file:
                    seen[token] = version_of(token)
                is_whole = account.is_sandbox
                missing = [] if is_whole else missing_settings(account, needs_channel=needs_channel)
        except FeedtoolError as error:
            return seen, error.message
        return seen, tr("missing: {what}", what=joined(missing)) if missing else ""

    def results(self, name: str) -> str | None:
        """The place for the answers of an account; None if no option or profile names one."""
        with self._named(name) as ctx:
            place: str | None = ctx.params["results"]
            return place

    @contextmanager
    def reading(self, name: str | None) -> "Iterator[ReadOptions]":
        """The options for reading the files of an account."""
        with self.planning(name) as account:
            yield account.reading

    def recipes(self, name: str) -> "RecipeFolders":
        with self._named(name) as ctx:
            return recipe_folders(ctx)

    @contextmanager
    def planning(self, name: str | None) -> "Iterator[PlanningAccount]":
        """The account for a dry run; its settings may be incomplete."""
        from feedtool.cli.session import chosen_account
        from feedtool.cli.submit import account_of
        from feedtool.runs.sellers import PlanningAccount

        with self._named(name) as ctx:
            account, options = chosen_account(ctx), read_record(Serving, ctx.params)
            reading = read_options(ctx, replace(options.reading, channel=account.channel))
            yield PlanningAccount(reading, selection_of(options.selecting), account_of(account))

    @contextmanager
    def open(self, name: str | None) -> "Iterator[SellerAccount]":
        """Open an account: its session and its records."""
        from feedtool.cli.export import query_in
        from feedtool.cli.session import chosen_account, connect
        from feedtool.runs.notify import targets_of
        from feedtool.runs.sellers import SellerAccount

        with self._named(name) as ctx:
            account, options = chosen_account(ctx), read_record(Serving, ctx.params)
            reading = read_options(ctx, replace(options.reading, channel=account.channel))
            home, page = home_folder(options.common.home), reading.dialect.report_page_size
            targets = targets_of(options.notifying.hook, options.notifying.webhook)
            notices = replace(self.notices, profile=account.profile, targets=targets)
            with (
                connect(
                    home, account, self.stop, needs_channel=self.needs_channel, page=page
                ) as session,
                open_workspace(home, options.records) as workspace,
            ):
                yield SellerAccount(
                    session,
                    workspace,
                    reading,
                    partial(notices.run, seller=session.seller),
                    partial(notices.refused, seller=session.seller),
                    selection_of(options.selecting),
                    language_of(ctx),
                    partial(query_in, ctx),
                )

    def seller_of(self, name: str | None) -> "SellerKey":
        from feedtool.ledger.records import seller_key

        with self._named(name) as ctx:
            options = read_record(Serving, ctx.params)
            if options.sandbox:
                return seller_key(SANDBOX_ADDRESS, _sandbox_seller(ctx))
            address, seller = options.connection.base_url or "", options.connection.seller
            # Accounts without a seller, which cannot send, are told apart by their profile.
            return seller_key(address, seller or options.configuration.profile or "")

    def _named(self, name: str | None) -> AbstractContextManager[click.Context]:
        """Read the command line again as if it named an account."""
        if name == SANDBOX and name not in self._known:
            return options_with(self.line, "--base-url", "", "--profile", "", "--sandbox")
        is_named = name is not None and name not in {"", self.options_account}
        return options_with(self.line, *(("--profile", str(name)) if is_named else ()))


def _sandbox_seller(ctx: click.Context) -> str:
    return on_command_line(ctx, "seller")["seller"] or SANDBOX_SELLER


@contextmanager
def options_with(line: click.Context, *more: str) -> Iterator[click.Context]:
    """Read a command line with more options, without an effect on the terminal's language."""
    words = list(line.meta[WORDS])
    end = words.index("--") if "--" in words else len(words)
    words[end:end] = more  # of an option that is repeated the last one counts
    silent = ChosenProfile(is_shown=False)
    with line.command.make_context(line.info_name, words, obj=silent) as ctx:
        yield ctx
