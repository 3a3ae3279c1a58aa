"""The budget book: an organisation's privacy budget in mu, for adaptively chosen releases, kept through crashes."""

from gaussdp.errors import MissingExtraError

try:
    import sqlalchemy
except ImportError:
    raise MissingExtraError('the budget book needs SQLAlchemy: pip install "gaussdp[ledger]"') from None

from gaussdp.errors import BudgetExceeded, LedgerError
from gaussdp.ledger.book import Ledger
from gaussdp.ledger.budgets import Budget
from gaussdp.ledger.entries import Entry
from gaussdp.ledger.people import People
from gaussdp.ledger.replaying import Verification

del sqlalchemy

__all__ = ["Budget", "BudgetExceeded", "Entry", "Ledger", "LedgerError", "People", "Verification"]
