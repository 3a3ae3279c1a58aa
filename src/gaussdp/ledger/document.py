"""What a book tells people: its history, its picture over time, and the statement of all that was released."""

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from gaussdp.documents import (
    Column,
    Document,
    Facts,
    Headline,
    Items,
    Picture,
    Rounding,
    Section,
    Table,
    Words,
    shown,
)
from gaussdp.documents.rounding import shown_up
from gaussdp.documents.written import root_up
from gaussdp.figures.spending import render_spending
from gaussdp.guarantees import ApproxGDP
from gaussdp.ledger.budgets import NO_RENEWAL, Budget
from gaussdp.ledger.entries import Entry
from gaussdp.mechanisms.base import ADJACENCIES

if TYPE_CHECKING:
    from gaussdp.ledger.book import Ledger

_MOST_POINTS = 20_000
_DELTAS = (1e-5, 1e-6, 1e-8)
_FPRS = (1e-2, 1e-3, 1e-4)


def history_document(entries: Sequence[Entry], title: str) -> Document:
    """Entries, one a row."""
    columns = (
        Column("seq", "entry"),
        Column("time", "time (UTC)"),
        Column("kind", "what"),
        Column("budget", "budget"),
        Column("key", "key"),
        Column("mu", "μ", Rounding.UP),
        Column("slack", "slack", Rounding.UP),
        Column("words", "words"),
    )
    rows = tuple((entry.seq, entry.time[:19], entry.kind, entry.budget or "", *_row(entry)) for entry in entries)
    return Document.tabular(title, (Table("history", "History", columns, rows),))


def _row(entry: Entry) -> tuple[Any, ...]:
    charge = entry.guarantee if entry.kind == "reserve" else None
    said = entry.content
    words = said.get("reason") or entry.purpose or said.get("release", "")
    if entry.kind == "open":
        words = entry.purpose or f"μ = {said['mu']}"
    return entry.key or "", charge.mu if charge else "", charge.delta_bound if charge else "", words


def spending_over_time(book: "Ledger", budget: str) -> tuple[list[datetime], list[float], list[datetime]]:
    """When the spent mu of a budget changed, what it was from then on, and when its periods began."""
    square, times, mus, renewals = Fraction(), list[datetime](), list[float](), list[datetime]()
    period = 1
    for entry in book.each_entry(budget):
        time = datetime.fromisoformat(entry.time)
        if entry.kind == "renew" and entry.budget == budget:
            square, period = Fraction(), period + 1
            renewals.append(time)
        elif entry.kind == "reserve":
            square += entry.square
        elif entry.kind == "refund":
            about = book.reservation(str(entry.key))
            square -= about.square if dict(about.charged).get(budget) == period else 0
        elif entry.kind == "commit":
            continue
        times.append(time)
        mus.append(root_up(square))
        if len(times) > _MOST_POINTS:  # every second one: more than a picture can show
            times, mus = times[::2], [max(pair) for pair in zip_longest(mus[::2], mus[1::2], fillvalue=0.0)]
    return times, mus, renewals


def spending_figure(book: "Ledger", budget: str, *formats: str) -> dict[str, bytes]:
    """The picture of a budget over time, in each of these formats ("svg", "pdf", "png").

    Of a budget per person it shows what somebody has spent who took part in everything.
    """
    times, mus, renewals = spending_over_time(book, budget)
    return render_spending(times, mus, book.budget(budget).total.mu, *formats, renewals=renewals)


def report_document(book: "Ledger", budget: str) -> Document:
    """The statement of all that was released under a budget: what holds for it together, and what it was."""
    now, entries = book.budget(budget), book.entries(budget)
    refunded = {entry.key: entry for entry in entries if entry.kind == "refund"}
    committed = {entry.key for entry in entries if entry.kind == "commit"}
    charged = [entry for entry in entries if entry.kind == "reserve"]
    kept = [entry for entry in charged if entry.key not in refunded]
    holds = now.guarantee
    blocks = (
        Headline(f"μ = {shown_up(holds.mu)}", "holds for all releases under this budget together"),
        Words(_promise(now)),
        Section("meaning", "What it means", (_facts(book, now, len(kept)), _attacker(holds), _epsilons(holds))),
        Section("releases", "What was released", (_releases(kept, committed), *_notes(kept, committed, refunded))),
        Section("picture", "Over time", (_picture(book, budget, now),)),
        Section("book", "The book", (Facts((("Kept in", book.place), ("Head of its chain", book.head))),)),
    )
    content = {
        "schema": "gaussdp-ledger-report-1",
        "unit": book.unit,
        "adjacency": book.adjacency,
        "budget": now.public(),
        "guarantee": {"mu": holds.mu, "slack": holds.delta_bound},
        "releases": [
            {
                **entry.public(),
                "mu": entry.guarantee.mu,
                "state": "committed" if entry.key in committed else "reserved",
            }
            for entry in kept
        ],
        "head": book.head,
    }
    return Document(f"Released under {budget}", blocks, content)


def _promise(now: Budget) -> str:
    words = ["It holds whoever chose the releases, and their noise, after seeing the earlier ones."]
    if now.guarantee.delta_bound:
        slack = shown_up(now.guarantee.delta_bound)
        words.append(f"With a slack of {slack}: δ(ε) is at most that of μ-GDP plus the slack.")
    if now.per_person:
        words.append("It is each person's own; what people have spent depends on the data, and is not told.")
    else:
        slack = f", with slack {shown_up(now.lifetime_slack)}," if now.lifetime_slack else ""
        spent = f"{shown_up(now.lifetime.mu)}{slack}"
        words.append(f"So far μ = {spent} is spent, which holds itself if no noise was chosen by what came out before.")
    if now.period:
        words.append(f"{NO_RENEWAL}: the number above is of {now.periods} periods of μ = {shown(now.total.mu)} each.")
    return " ".join(words)


def _facts(book: "Ledger", now: Budget, releases: int) -> Facts:
    whom = "each person's own" if now.per_person else "of all releases together"
    return Facts(
        (
            ("Unit of privacy", book.unit),
            ("Neighbours", ADJACENCIES[book.adjacency].meaning),
            ("Budget", f"μ = {shown(now.total.mu)}, {whom}"),
            ("Lies within", ", ".join(now.within) or "no other budget"),
            ("Releases", f"{releases:,}"),
        )
    )


def _attacker(holds: ApproxGDP) -> Table:
    columns = (Column("fpr", "at FPR", level=True), Column("tpr", "TPR at most", Rounding.UP))
    return Table("attacker", "The best attacker finds", columns, tuple((fpr, holds.tpr(fpr)) for fpr in _FPRS))


def _epsilons(holds: ApproxGDP) -> Table:
    columns = (Column("delta", "δ", level=True), Column("epsilon", "ε", Rounding.UP))
    return Table("epsilon", "As (ε, δ)-DP", columns, tuple((delta, holds.epsilon(delta)) for delta in _DELTAS))


def _releases(kept: Sequence[Entry], committed: set[str | None]) -> Table:
    columns = (
        Column("key", "key"),
        Column("time", "reserved (UTC)"),
        Column("budget", "budget"),
        Column("mu", "μ", Rounding.UP),
        Column("slack", "slack", Rounding.UP),
        Column("state", "state"),
        Column("release", "release"),
        Column("purpose", "purpose"),
    )
    rows = tuple(
        (
            entry.key or "",
            entry.time[:19],
            entry.budget or "",
            entry.guarantee.mu,
            entry.guarantee.delta_bound,
            "committed" if entry.key in committed else "reserved",
            entry.content["release"],
            entry.purpose,
        )
        for entry in kept
    )
    return Table("releases", "Releases", columns, rows)


def _notes(kept: Sequence[Entry], committed: set[str | None], refunded: dict[str | None, Entry]) -> tuple[Items, ...]:
    notes = [f"Refunded, and not counted: {key}, because {entry.content['reason']}." for key, entry in refunded.items()]
    waiting = sum(entry.key not in committed for entry in kept)
    if waiting:
        notes.append(f"{waiting:,} reserved and never resolved: they count as released.")
    return (Items(tuple(notes)),) if notes else ()


def _picture(book: "Ledger", budget: str, now: Budget) -> Picture:
    caption = f"The μ of all releases under {budget} together, and its budget of {shown(now.total.mu)}."
    return Picture("spending", "Spent over time", caption, lambda ending: spending_figure(book, budget, ending)[ending])
