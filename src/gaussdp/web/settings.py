"""Where and how the calculator is run."""

from collections.abc import Collection
from dataclasses import dataclass, field

from gaussdp.domains import integer, one_of
from gaussdp.errors import DomainError
from gaussdp.web.books import Books, token_from
from gaussdp.web.limits import Limits
from gaussdp.web.safety.hosts import LOOPBACK_NAMES, Proxies, allowed_names, checked_name, checked_root, is_loopback
from gaussdp.web.sharing import MOST_PROCESSES
from gaussdp.web.telling import KINDS, Kind


@dataclass(frozen=True)
class Site:
    """Where the calculator stands.

    Attributes:
        hosts: names under which it answers, any port.
        more_hosts: further names, given by whoever runs it, as --allow-host.
        any_address: whether it also answers under any IP address.
        trusted_proxies: addresses or networks whose word about who asks is taken.
        root_path: under which a proxy shows it, as /gaussdp; needed only where that stands in the paths it sends.
    """

    hosts: Collection[str] = LOOPBACK_NAMES
    more_hosts: Collection[str] = ()
    any_address: bool = False
    trusted_proxies: Collection[str] = ()
    root_path: str = ""


@dataclass(frozen=True)
class Settings:
    """How the calculator is run.

    Attributes:
        host: name or address of this machine to listen on; loopback unless others are meant to reach it.
        port: to listen on; 0 takes any that is free.
        allow_hosts: further names under which it answers.
        trusted_proxies: addresses or networks whose word about who asks is taken.
        root_path: under which a proxy shows it, if that stands in the paths it sends.
        workers: processes that answer requests, besides those that compute.
        access_log: whether requests are logged, and how.
        ledgers: URLs of budget books to show.
        ledger_token_file: with the token that lets spend from them; without one, the environment may have it.
        limits: what clients, requests and computations may take.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    allow_hosts: Collection[str] = ()
    trusted_proxies: Collection[str] = ()
    root_path: str = ""
    workers: int = 1
    access_log: Kind = "off"
    ledgers: Collection[str] = ()
    ledger_token_file: str = ""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        integer("workers", self.workers, 1, MOST_PROCESSES - 1)
        one_of("access_log", self.access_log, KINDS)
        Proxies(self.trusted_proxies)
        checked_root(self.root_path)
        for name in self.allow_hosts:
            checked_name(name)

    @property
    def site(self) -> Site:
        """Where it stands."""
        return Site(
            allowed_names(self.host, self.allow_hosts),
            tuple(self.allow_hosts),
            any_address=not is_loopback(self.host),
            trusted_proxies=tuple(self.trusted_proxies),
            root_path=self.root_path,
        )

    def books(self) -> Books | None:
        """The books, opened; None if there are none.

        Raises:
            DomainError, LedgerError: if a book is not there, or the token is none.
        """
        if not self.ledgers and self.ledger_token_file:
            raise DomainError("ledger_token_file", problem="goes with a ledger")
        return Books(self.ledgers, token_from(self.ledger_token_file)) if self.ledgers else None
