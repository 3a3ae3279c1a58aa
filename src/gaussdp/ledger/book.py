"""The budget book: budgets in mu, kept for adaptively chosen releases through crashes and concurrent use."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.documents import Document
from gaussdp.domains import POSITIVE, PROBABILITY, Domain, instance, integer, number, one_of, several
from gaussdp.errors import DomainError, LedgerError
from gaussdp.figures import FORMATS
from gaussdp.guarantees import GDP
from gaussdp.ledger import decisions
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.budgets import Budget, Plan, Preview, plan_of, preview_of
from gaussdp.ledger.charges import Charge, charge_of, charge_of_each
from gaussdp.ledger.database import (
    BOOK,
    BUDGETS,
    DEFAULT_TIMEOUT,
    ENTRIES,
    VERSION,
    WITHIN,
    Database,
    migrate,
    refuse_other_versions,
    version_of,
)
from gaussdp.ledger.decisions import Request, ShortError, exceeded
from gaussdp.ledger.document import report_document, spending_figure
from gaussdp.ledger.entries import Entry
from gaussdp.ledger.names import refuse_unseen
from gaussdp.ledger.people import People, most_spent, taking_part
from gaussdp.ledger.replaying import Verification, verify
from gaussdp.ledger.transactions import Decision, unknown_budget
from gaussdp.mechanisms import Adjacency
from gaussdp.mechanisms.base import checked_adjacency
from gaussdp.statements.run import line_of_words
from gaussdp.words import say

MOST_MU = Domain(1e-15, 1e15, advice="no budget means anything beyond", meant=POSITIVE)
_LONGEST_NAME = 200


class Ledger:
    """A budget book in SQLite or PostgreSQL.

    Adaptively chosen releases whose mus fulfil sum mu_i^2 <= B^2 are B-GDP together, and with slacks that add up to at
    most D their profile is at most D + that of B-GDP; docs/ledger.md has the proof. The book refuses what would exceed
    a budget, whatever processes, threads and machines ask at once.

    Made by `Ledger.create` once, opened by `Ledger.open` from then on.

    >>> import tempfile, gaussdp
    >>> folder = tempfile.TemporaryDirectory()
    >>> book = Ledger.create(f"sqlite:///{folder.name}/budget.db", unit="one person", adjacency="add-remove")
    >>> book.open_budget("health/2027", gaussdp.GDP(1.0), slack=1e-9).left
    GDP(mu=1.0)
    >>> entry = book.reserve("health/2027", gaussdp.Gaussian(noise_multiplier=1.25), key="table-7", purpose="a table")
    >>> book.commit("table-7").kind, book.budget("health/2027").spent, book.budget("health/2027").left
    ('commit', GDP(mu=0.8), GDP(mu=0.6))
    >>> book.verify().ok
    True
    >>> book.close(); folder.cleanup()
    """

    def __init__(self, url: str, *, timeout: float = DEFAULT_TIMEOUT) -> None:
        self._database = Database(url, number("timeout", timeout, POSITIVE))
        file = self._database.file
        if file is not None and not file.exists():
            raise LedgerError(
                f"there is no budget book in {self._database.place}; make one with `gaussdp ledger create`"
            )
        try:
            with self._database.reading() as connection:
                refuse_other_versions(connection, self._database.place)
                row = connection.execute(sa.select(BOOK)).one()
        except BaseException:
            self._database.close()
            raise
        self.unit: str = row.unit
        self.adjacency: Adjacency = row.adjacency

    @classmethod
    def create(cls, url: str, *, unit: str, adjacency: Adjacency, timeout: float = DEFAULT_TIMEOUT) -> "Ledger":
        """Make a book.

        Args:
            url: "sqlite:///budget.db", "postgresql+psycopg://user@host/database", or the path of a SQLite file.
            unit: whom its budgets protect, such as "one person".
            adjacency: "add-remove" or "replace-one"; with the unit the meaning of every mu in it, fixed for good.
            timeout: seconds that a decision waits for others.
        Raises:
            LedgerError: if there is a book already, or none can be made there.
        """
        protects = line_of_words("unit", unit, 'unit="one person"')
        refuse_unseen("unit", [protects])
        neighbours = checked_adjacency(adjacency)
        database = Database(url, number("timeout", timeout, POSITIVE))
        with closing(database), database.making() as connection:
            if version_of(connection) is not None:
                raise LedgerError(f"there is a budget book in {database.place} already; open it")
            migrate(connection)
            connection.execute(sa.insert(BOOK).values(id=1, unit=protects, adjacency=neighbours))
            content = {"unit": protects, "adjacency": neighbours, "schema": VERSION}
            Decision(connection).append("create", None, None, content)
        return cls(url, timeout=timeout)

    @classmethod
    def open(cls, url: str, *, timeout: float = DEFAULT_TIMEOUT) -> "Ledger":
        """Open a book that there is; see `create` for the arguments."""
        return cls(url, timeout=timeout)

    @classmethod
    def upgrade(cls, url: str, *, timeout: float = DEFAULT_TIMEOUT) -> "Ledger":
        """Bring a book of an older version to the schema of this one, in one transaction; keep a copy before."""
        database = Database(url, number("timeout", timeout, POSITIVE))
        with closing(database), database.deciding() as connection:
            found = version_of(connection)
            if found is not None and found < VERSION:
                migrate(connection)
                Decision(connection).append("upgrade", None, None, {"from": found, "to": VERSION})
        return cls(url, timeout=timeout)

    def close(self) -> None:
        """Let the database go."""
        self._database.close()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self.place!r}, unit={self.unit!r}, adjacency={self.adjacency!r})"

    @property
    def place(self) -> str:
        """Where it is kept, without the password."""
        return self._database.place

    def open_budget(
        self,
        name: str,
        total: GDP,
        *,
        slack: float = 0.0,
        within: str | Sequence[str] = (),
        period: str = "",
        per_person: bool = False,
        purpose: str = "",
    ) -> Budget:
        """Open a budget.

        Args:
            name: such as "health/2027".
            total: all that may be spent; its mu in [1e-15, 1e15].
            slack: the sum of the slacks of its releases, in [0, 1); 0 for releases that are GDP without a floor.
            within: budgets that it lies within: what is charged to it is charged to all of them too.
            period: what it is for, such as "year", if it may be renewed.
            per_person: whether each person has it, instead of all together.
            purpose: what it is for, in words.
        Raises:
            DomainError: if there is one of that name, or one that it lies within is missing.
        """
        title = _name("name", name, "health/2027")
        refuse_unseen("name", [title])
        mu = number("mu", instance("total", total, GDP, "GDP").mu, MOST_MU)
        allowed = number("slack", slack, PROBABILITY)
        if allowed >= 1:
            raise DomainError("slack", "below 1", slack)
        holders = [within] if isinstance(within, str) else several("within", within, "names of budgets")
        words = line_of_words("period", period, "year") if period else ""
        if per_person and words:
            raise DomainError("per_person", problem="goes with no period: what a person spent is kept for good")
        balance = Balance(title, mu, allowed, words, bool(per_person))
        with self._database.deciding() as connection:
            decisions.open_budget(connection, balance, holders, _purpose(purpose))
        return self.budget(title)

    def reserve(
        self,
        budget: str,
        release: object,
        *,
        key: str,
        purpose: str = "",
        floor: float | None = None,
        stated_for: Adjacency | None = None,
        people: "People | str | Path | Iterable[str] | None" = None,
    ) -> Entry:
        """Take what a release needs from a budget and from all that it lies within, before its noise is drawn.

        What is reserved is spent until it is refunded. The same request under the same key gives the first answer
        again, marked as `repeated`: whoever gets that must not release a second time.

        Args:
            budget: its name.
            release: a mechanism, a guarantee, an accounted curve, a fit, a run, the path of a plan file, or an event of
                dp_accounting.
            key: of this release, which no other has.
            purpose: what it is for, in words.
            floor: of the fit, for what is not exactly GDP: a smaller one gives a larger mu and a smaller slack.
            stated_for: the neighbours that a guarantee or an event speaks about, if not those of the ledger. What a
                mechanism gave (a fit, a curve, an implied mu) knows them itself.
            people: for a budget per person, who is in the data: a CSV or Parquet file with a column `person`, or the
                people, or `People(...)`. Those who can pay take part (`taking_part`), and nobody else may.
        Raises:
            BudgetExceeded: if a budget has too little left; nothing is written.
            DomainError: if the key was used for another request, or nothing is proved about the release.
        """
        name, own = _name("budget", budget, "health/2027"), _name("key", key, "table-7")
        refuse_unseen("key", [own])
        charge = self._charge(release, floor, stated_for, each=people is not None)
        listed = None if people is None else people if isinstance(people, People) else People(people)
        request = Request(name, own, charge, _purpose(purpose), listed)
        try:
            return self._reserved(request)
        except ShortError as error:
            raise exceeded(error.touched, error.short, charge, self.adjacency) from None

    def commit(self, key: str) -> Entry:
        """Say that the release of a reservation came out: it stays spent for good."""
        own = _name("key", key, "table-7")
        with self._database.deciding(keyed=True) as connection:
            return decisions.resolve(connection, "commit", own, {})

    def refund(self, key: str, *, reason: str) -> Entry:
        """Give back what was reserved, because nothing came out.

        Args:
            key: of the reservation.
            reason: the statement that nothing was released, nor will be, and why; it is kept with the entry.
        Raises:
            DomainError: if the release was committed, or there is no such reservation.
        """
        own, why = _name("key", key, "table-7"), line_of_words("reason", reason, "nothing was released")
        with self._database.deciding(keyed=True) as connection:
            return decisions.resolve(connection, "refund", own, {"reason": why})

    @contextmanager
    def spending(self, budget: str, release: object, *, key: str, **others: Any) -> Iterator[Entry]:
        """Reserve, run what stands inside, and commit; after an exception the reservation stays spent.

        Args:
            budget, release, key, others: as for `reserve`.
        Raises:
            DomainError: if the key was reserved before: whether something came out then is not known.
        """
        entry = self.reserve(budget, release, key=key, **others)
        if entry.repeated:
            raise DomainError(
                "key",
                problem=f"{key!r} was reserved before, and whether its release came out is not known",
                advice="commit it, or refund it if nothing came out, and take another key",
            )
        yield entry
        self.commit(key)

    def renew(self, budget: str, *, reason: str) -> Entry:
        """Begin another period of a budget that has periods, in writing.

        Privacy loss does not renew: `budget(name).lifetime` goes on, and so do the budgets that it lies within.

        Args:
            budget: its name.
            reason: why it may be spent again.
        """
        name, why = _name("budget", budget, "health/2027"), line_of_words("reason", reason, "a new year of data")
        with self._database.deciding() as connection:
            return decisions.renew(connection, name, why)

    def budget(self, name: str) -> Budget:
        """A budget with its balance."""
        with self._database.reading() as connection:
            return _budget(connection, Decision(connection).balances(_name("budget", name, "health/2027")), name)

    def budgets(self) -> list[Budget]:
        """All budgets, by name."""
        with self._database.reading() as connection:
            decision = Decision(connection)
            names = connection.execute(sa.select(BUDGETS.c.name).order_by(BUDGETS.c.name)).scalars().all()
            return [_budget(connection, decision.balances(name), name) for name in names]

    def entries(self, budget: str | None = None, *, last: int | None = None) -> list[Entry]:
        """What happened, in order.

        Args:
            budget: of this budget and those within it; of the whole book unless given.
            last: only so many of the latest.
        """
        newest = None if last is None else integer("last", last, low=1)
        with self._database.reading() as connection:
            return list(_entries(connection, budget, newest))

    def each_entry(self, budget: str | None = None) -> Iterator[Entry]:
        """The same one after another, for books that do not fit into memory."""
        with self._database.reading() as connection:
            yield from _entries(connection, budget, None)

    @property
    def head(self) -> str:
        """The hash of the last entry: noted elsewhere, it proves later that nothing up to it was changed or removed."""
        with self._database.reading() as connection:
            newest = sa.select(ENTRIES.c.hash).order_by(ENTRIES.c.seq.desc()).limit(1)
            return str(connection.execute(newest).scalar_one())

    def state(self, key: str) -> str:
        """What became of a reservation: "reserved", "committed", "refunded" or "unknown"."""
        with self._database.reading() as connection:
            decision = Decision(connection, _name("key", key, "table-7"))
            if decision.reservation() is None:
                return "unknown"
            last = decision.resolution()
            return "reserved" if last is None else "committed" if last.kind == "commit" else "refunded"

    def reservation(self, key: str) -> Entry:
        """The reservation under a key."""
        with self._database.reading() as connection:
            found = Decision(connection, _name("key", key, "table-7")).reservation()
        if found is None:
            raise DomainError("key", problem=say("is unknown: there is no reservation {key}", key=repr(key)))
        return found

    def taking_part(self, key: str) -> Iterator[str]:
        """The people whom a reservation charges: those who take part in its release, and nobody else may."""
        with self._database.reading() as connection:
            entry = Decision(connection, _name("key", key, "table-7")).reservation()
            if entry is None or "people" not in entry.content:
                raise DomainError("key", problem=f"{key!r} is no reservation from a budget per person")
            for block in taking_part(connection, entry.seq):
                yield from block

    def verify(self, head: str | None = None, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Replay the book: recompute every hash and every balance, and compare.

        Args:
            head: a hash noted earlier, which must be among those of the entries.
            progress: called with how many entries are done, and how many there are.
        """
        if head is not None:
            instance("head", head, str, "a hash")
        with self._database.reading() as connection:
            return verify(connection, head, progress)

    def preview(self, budget: str, release: object, **others: Any) -> Preview:
        """What a reservation would do, without writing it; see `reserve` for the arguments."""
        name = _name("budget", budget, "health/2027")
        with self._database.reading() as connection:
            touched = Decision(connection).balances(name)
        each = any(one.per_person for one in touched)
        charge = self._charge(release, others.pop("floor", None), others.pop("stated_for", None), each=each)
        return preview_of(touched, charge)

    def plan(self, budget: str, releases: int | None = None, *, weights: Sequence[float] | None = None) -> Plan:
        """Split what is left over further releases, so that all of them fit.

        Args:
            budget: its name.
            releases: how many, all alike.
            weights: instead, how much of the square of mu each gets, one a release.
        """
        own = self.budget(budget)
        return plan_of(own.name, own.available, releases, weights, self.adjacency)

    def report(self, budget: str) -> Document:
        """The statement of all that was released under a budget and those within it."""
        return report_document(self, _name("budget", budget, "health/2027"))

    def figure(self, budget: str, *formats: str) -> dict[str, bytes]:
        """The picture of a budget over time, in each of these formats ("svg", "pdf", "png").

        Of a budget per person it shows what somebody has spent who took part in everything.
        """
        drawn = [one_of("format", one, FORMATS) for one in formats]
        return spending_figure(self, _name("budget", budget, "health/2027"), *drawn)

    def _charge(self, release: object, floor: float | None, stated_for: Adjacency | None, *, each: bool) -> Charge:
        if each and self.adjacency == "replace-one":
            return charge_of_each(release, unit=self.unit, floor=floor, stated_for=stated_for)
        return charge_of(release, unit=self.unit, adjacency=self.adjacency, floor=floor, stated_for=stated_for)

    def _reserved(self, request: Request) -> Entry:
        before = None if request.people is None else request.load
        with self._database.deciding(before, keyed=True) as connection:
            return request.decide(connection)

    def __reduce__(self) -> Any:
        url = self._database.url.render_as_string(hide_password=False)
        return _reopened, (url, self._database.timeout)


def _reopened(url: str, timeout: float) -> Ledger:
    return Ledger(url, timeout=timeout)


def _name(parameter: str, value: object, example: str) -> str:
    words = line_of_words(parameter, value, f'"{example}"')
    if len(words) > _LONGEST_NAME:
        raise DomainError(
            parameter, problem=say("must have at most {most} characters", most=_LONGEST_NAME), got=str(len(words))
        )
    return words


def _purpose(words: str) -> str:
    return line_of_words("purpose", words, '"monthly table"') if words else ""


def _budget(connection: Connection, touched: list[Balance], name: str) -> Budget:
    own = next(one for one in touched if one.name == name)
    return Budget.of(own, touched, most_spent(connection, own) if own.per_person else Fraction())


def _entries(connection: Connection, budget: str | None, last: int | None) -> Iterator[Entry]:
    wanted = sa.select(ENTRIES)
    if budget is not None:
        instance("budget", budget, str, "the name of a budget")
        inside = connection.execute(sa.select(WITHIN.c.budget).where(WITHIN.c.holder == budget)).scalars().all()
        if not inside:
            raise unknown_budget(connection, budget)
        wanted = wanted.where(ENTRIES.c.budget.in_(inside))
    if last is not None:
        newest = connection.execute(wanted.order_by(ENTRIES.c.seq.desc()).limit(last)).all()
        yield from (Entry.of_row(row) for row in reversed(newest))
        return
    with closing(connection.execute(wanted.order_by(ENTRIES.c.seq), execution_options={"yield_per": 1000})) as rows:
        for row in rows:
            yield Entry.of_row(row)
